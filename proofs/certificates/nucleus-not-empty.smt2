; nucleus-not-empty: The first rank, with no mass before it, is always kept.
(set-logic QF_NRA)
(declare-const top_p Real)
(declare-const total Real)
(assert (> top_p 0.0))
(assert (<= top_p 1.0))
(assert (> total 0.0))
(assert (not (< 0.0 (* top_p total))))
(check-sat)
