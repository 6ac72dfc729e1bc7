; float-range-without-draft: At q = 0 the acceptance is 0 or 1, whatever the division gives there.
(set-logic QF_NRA)
(declare-const p Real)
(declare-const r Real)
(assert (>= p 0.0))
(assert (let ((_let_1 (ite (<= 0.0 0.0) (ite (< 0.0 p) 1.0 0.0) (ite (> 1.0 r) r 1.0)))) (not (or (= _let_1 0.0) (= _let_1 1.0)))))
(check-sat)
