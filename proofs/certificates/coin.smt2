; coin: A coin below the acceptance probability accepts; one at it or above rejects.
(set-logic QF_NRA)
(declare-const below Real)
(declare-const a Real)
(declare-const above Real)
(assert (< below a))
(assert (<= a above))
(assert (not (and (< below a) (not (< above a)))))
(check-sat)
