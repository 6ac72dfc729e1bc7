; float-one-without-draft: For p > 0 and q = 0 the acceptance is 1, whatever the division gives there.
(set-logic QF_NRA)
(declare-const p Real)
(declare-const r Real)
(assert (> p 0.0))
(assert (not (= (ite (<= 0.0 0.0) (ite (< 0.0 p) 1.0 0.0) (ite (> 1.0 r) r 1.0)) 1.0)))
(check-sat)
