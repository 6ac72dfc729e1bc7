; top-k-one-way: Of two tokens exactly one outranks the other: the heavier, or of equally heavy ones the lower id.
(set-logic QF_NRA)
(declare-const weight_a Real)
(declare-const id_a Real)
(declare-const weight_b Real)
(declare-const id_b Real)
(assert (not (= id_a id_b)))
(assert (let ((_let_1 (and (= weight_a weight_b) (< id_a id_b)))) (let ((_let_2 (or (< weight_b weight_a) _let_1))) (let ((_let_3 (or (< weight_a weight_b) (and (= weight_b weight_a) (< id_b id_a))))) (not (and (or _let_2 _let_3) (not (and _let_2 _let_3)) (not (or (< weight_a weight_a) (and (= weight_a weight_a) (< id_a id_a)))) (or (not (> weight_a weight_b)) _let_2) (or (not _let_1) _let_2)))))))
(check-sat)
