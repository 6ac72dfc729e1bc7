; float-zero: At p = 0 and q > 0 the quotient is the grid point 0, and so is the acceptance.
(set-logic QF_NRA)
(declare-const q Real)
(declare-const r Real)
(declare-const quotient_0 Real)
(assert (> q 0.0))
(assert (=> (distinct q 0.0) (= 0.0 (* quotient_0 q))))
(assert (not (or (not (<= (ite (< quotient_0 r) (- r quotient_0) (- quotient_0 r)) (ite (> 0.0 quotient_0) (- 0.0 quotient_0) (- quotient_0 0.0)))) (= (ite (>= 0.0 q) (ite (< 0.0 0.0) 1.0 0.0) (ite (> 1.0 r) r 1.0)) 0.0))))
(check-sat)
