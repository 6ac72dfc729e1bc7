; float-zero-without-draft: At p = q = 0 the acceptance is 0, whatever the division gives there.
(set-logic QF_NRA)
(declare-const r Real)
(assert (not (= (ite (<= 0.0 0.0) (ite (< 0.0 0.0) 1.0 0.0) (ite (> 1.0 r) r 1.0)) 0.0)))
(check-sat)
