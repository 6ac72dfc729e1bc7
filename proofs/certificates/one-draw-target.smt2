; one-draw-target: A token's min(p, q) accepted draws and the (p - q)+ deficit cells it owns are p draws together.
(set-logic QF_NRA)
(declare-const p Real)
(declare-const q Real)
(assert (>= p 0.0))
(assert (>= q 0.0))
(assert (let ((_let_1 (- p q))) (not (= (+ (ite (< q p) q p) (ite (< 0.0 _let_1) _let_1 0.0)) p))))
(check-sat)
