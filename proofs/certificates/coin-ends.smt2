; coin-ends: No coin in [0, 1) accepts at acceptance probability 0, and every one does at 1.
(set-logic QF_NRA)
(declare-const u Real)
(assert (>= u 0.0))
(assert (< u 1.0))
(assert (not (and (not (> 0.0 u)) (> 1.0 u))))
(check-sat)
