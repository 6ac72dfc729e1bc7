; one-hot-draft-acceptance: With the draft one-hot on d, the acceptance at d is p(d).
(set-logic QF_NRA)
(declare-const p_d Real)
(declare-const quotient_0 Real)
(assert (>= p_d 0.0))
(assert (<= p_d 1.0))
(assert (=> (distinct 1.0 0.0) (= (* quotient_0 1.0) p_d)))
(assert (not (= (ite (<= 1.0 0.0) (ite (< 0.0 p_d) 1.0 0.0) (ite (> 1.0 quotient_0) quotient_0 1.0)) p_d)))
(check-sat)
