(** Block verification keeps at least as many drafts as the token rule (Sun et al., arXiv 2403.10444).

    Both rules are given the same drafts, drawn first, and coins of their own. Promised for every vocabulary, every K and all
    rows: at least i drafts are kept with at least the token rule's probability (block_dominance_tail), so at least as many in
    expectation (block_dominance). The reason: given the drafts, rho_i is at least the product of their acceptances. *)

From Coq Require Import QArith Qminmax List Lqa Lia.
Require Import Laws BlockRule Block.
Import ListNotations.
Open Scope Q_scope.

(** How many coins pass before the first that does not: the token rule stops there. *)
Fixpoint leading (bs : list bool) : nat := match bs with true :: bs => S (leading bs) | _ => 0 end.

Section Dominance.
  Context {T : Type} (V : list T) (target draft : list T -> T -> Q).
  Implicit Types (K ahead : nat) (prefix xs ys : list T) (rho : Q) (G : list T -> Q).
  Local Notation drafted := (drafted V draft).
  Local Notation next := (next target draft).
  Local Notation settled := (settled V target draft).
  Local Notation kept_by_block := (kept_by_block V target draft).

  (** min(1, p/q) at each draft: the token rule's thresholds. *)
  Fixpoint acceptances prefix xs : list Q :=
    match xs with
    | [] => []
    | x :: xs => acceptance (target prefix x) (draft prefix x) :: acceptances (prefix ++ [x]) xs
    end.

  (** What the drafts that the token rule keeps make one expect of G. *)
  Definition kept_by_tokens K prefix G : Q :=
    drafted K prefix (fun xs => tossed (acceptances prefix xs) (fun bs => G (firstn (leading bs) xs))).

  Hypothesis target_law : forall prefix, law V (target prefix).
  Hypothesis draft_law : forall prefix, law V (draft prefix).

  Lemma drafted_constant K prefix c : drafted K prefix (fun _ => c) == c.
  Proof.
    revert prefix. induction K as [|K IH]; intros prefix; simpl; [reflexivity|]. unfold expect.
    rewrite (total_ext _ _ (fun x => c * draft prefix x)) by (intros; rewrite IH; ring).
    rewrite total_scale, (proj2 (draft_law prefix)). ring.
  Qed.

  Lemma tokens_step K prefix G :
    kept_by_tokens (S K) prefix G == expect V (draft prefix) (fun x => let a := acceptance (target prefix x) (draft prefix x) in
      a * kept_by_tokens K (prefix ++ [x]) (fun ys => G (x :: ys)) + (1 - a) * G []).
  Proof.
    unfold kept_by_tokens. apply total_ext. intros x _. cbv zeta. apply Qmult_comp; [reflexivity|].
    rewrite <- (drafted_constant K (prefix ++ [x]) (G [])), <- drafted_mix. apply drafted_ext.
    intros xs. cbn [acceptances tossed]. apply Qplus_comp; [reflexivity|]. apply Qmult_comp; [reflexivity|].
    apply (tossed_constant _ (G [])).
  Qed.

  (** Drafts that can be drawn after the prefix, and the running ratio after them. *)
  Fixpoint drawable prefix xs : Prop :=
    match xs with [] => True | x :: xs => In x V /\ 0 < draft prefix x /\ drawable (prefix ++ [x]) xs end.
  Fixpoint ratio_after prefix rho xs : Q :=
    match xs with [] => rho | x :: xs => ratio_after (prefix ++ [x]) (next prefix rho x) xs end.

  (** Given the drafts: the token rule keeps them all with probability at most rho_i (from a = rho = 1 on). *)
  Theorem acceptances_below_ratio xs prefix a rho : 0 <= a <= rho -> rho <= 1 -> drawable prefix xs ->
    fold_left Qmult (acceptances prefix xs) a <= ratio_after prefix rho xs.
  Proof.
    revert prefix a rho. induction xs as [|x xs IH]; intros prefix a rho A R D; [apply A|]. destruct D as [X [D W]].
    assert (P : 0 <= target prefix x) by (apply target_law, X).
    assert (N : 0 <= next prefix rho x <= 1) by (apply (next_range V _ _ target_law); [exact X | lra]).
    apply IH; [split | apply N | exact W].
    - apply Qmult_le_0_compat; [apply A | apply acceptance_nonneg, P].
    - apply acceptance_below_ratio; lra.
  Qed.

  (** If the token rule has kept all drafts so far with probability a <= rho, the block is ahead from here on. *)
  Lemma settled_dominates ahead a prefix rho G : 0 <= a <= rho -> rho <= 1 -> (forall ys y, G ys <= G (ys ++ [y])) ->
    a * kept_by_tokens ahead prefix G + (rho - a) * G [] <= settled ahead prefix rho G.
  Proof.
    revert a prefix rho G. induction ahead as [|ahead IH]; intros a prefix rho G A R M; [cbn; lra|].
    rewrite tokens_step. cbv zeta. cbn [settled]. unfold expect, excess_mass.
    set (t x := kept_by_tokens ahead (prefix ++ [x]) (fun ys => G (x :: ys))).
    set (c x := acceptance (target prefix x) (draft prefix x)).
    setoid_replace (rho - a) with (total V (fun x => rho * target prefix x - a * draft prefix x))
      by (rewrite total_minus, !total_scale, (proj2 (target_law prefix)), (proj2 (draft_law prefix)); ring).
    rewrite <- total_scale, (Qmult_comm _ (G [])), (Qmult_comm _ (G [])), <- !total_scale, <- !total_plus.
    apply total_le. intros x X. rewrite <- (next_or_excess V _ _ target_law draft_law) by (exact X || lra).
    assert (N : 0 <= next prefix rho x <= 1) by (apply (next_range V _ _ target_law); [exact X | lra]).
    assert (E : 0 <= draft prefix x) by (apply draft_law, X).
    assert (P : 0 <= target prefix x) by (apply target_law, X).
    fold (t x) (c x). destruct (Qlt_le_dec 0 (draft prefix x)) as [D|D].
    - assert (B : a * c x <= next prefix rho x) by (apply acceptance_below_ratio; lra).
      assert (C : 0 <= c x) by (apply acceptance_nonneg; exact P).
      specialize (IH (a * c x) (prefix ++ [x]) (next prefix rho x) (fun ys => G (x :: ys))
        ltac:(nra) ltac:(lra) (fun ys y => M (x :: ys) y)).
      fold (t x) in IH. cbv beta in IH. pose proof (M [] x) as G1. cbn in G1.
      assert (I : a * c x * t x + (next prefix rho x - a * c x) * G [] <=
        settled ahead (prefix ++ [x]) (next prefix rho x) (fun ys => G (x :: ys))) by nra.
      set (s := settled ahead (prefix ++ [x]) (next prefix rho x) (fun ys => G (x :: ys))) in *. nra.
    - setoid_replace (draft prefix x) with 0 by lra. lra.
  Qed.

  (** Whatever grows with the kept drafts is at least as large under block verification. *)
  Theorem more_kept K prefix G : (forall ys y, G ys <= G (ys ++ [y])) -> kept_by_tokens K prefix G <= kept_by_block K prefix G.
  Proof.
    intros M. rewrite (kept_settled V _ _ target_law draft_law). assert (A : 0 <= 1 <= 1) by lra.
    pose proof (settled_dominates K 1 prefix 1 G A (Qle_refl 1) M). lra.
  Qed.

  (** It keeps at least i drafts with at least the token rule's probability ... *)
  Theorem block_dominance_tail K prefix i :
    let reached ys := if Nat.leb i (length ys) then 1 else 0 in
    kept_by_tokens K prefix reached <= kept_by_block K prefix reached.
  Proof.
    intros reached. apply more_kept. intros ys y. unfold reached. rewrite app_length. cbn [length].
    destruct (Nat.leb_spec i (length ys)), (Nat.leb_spec i (length ys + 1)); (lia || lra).
  Qed.

  (** ... and so at least as many in expectation. *)
  Theorem block_dominance K prefix :
    let count ys := inject_Z (Z.of_nat (length ys)) in
    kept_by_tokens K prefix count <= kept_by_block K prefix count.
  Proof. intros count. apply more_kept. intros ys y. unfold count. rewrite <- Zle_Qle, app_length. lia. Qed.
End Dominance.

(** Drafts 2 0 0: the token rule has lost 7/9 at the first for good, the block wins back four times what it had left. *)
Example acceptances_below_ratio_satisfiable :
  drawable tokens q_rows [] [2; 0; 0]%nat /\
  fold_left Qmult (acceptances p_rows q_rows [] [2; 0; 0]%nat) 1 == 2#9 /\
  ratio_after p_rows q_rows [] 1 [2; 0; 0]%nat == 8#9.
Proof. vm_compute. tauto. Qed.

(** Both drafts of two are kept with 31/144 against 25/144, and 91/144 drafts in expectation against 85/144. *)
Example block_dominance_satisfiable :
  let count (ys : list nat) := inject_Z (Z.of_nat (length ys)) in
  let reached (ys : list nat) := if Nat.leb 2 (length ys) then 1 else 0 in
  kept_by_tokens tokens p_rows q_rows 2 [] reached == 25#144 /\ kept_by_block tokens p_rows q_rows 2 [] reached == 31#144 /\
  kept_by_tokens tokens p_rows q_rows 2 [] count == 85#144 /\ kept_by_block tokens p_rows q_rows 2 [] count == 91#144.
Proof. vm_compute. repeat split; reflexivity. Qed.

(** The paper's own example, two tokens and K = 2: 11/9 drafts against 10/9. *)
Example block_dominance_strict :
  let count (ys : list bool) := inject_Z (Z.of_nat (length ys)) in
  let p (_ : list bool) (x : bool) := if x then 1#3 else 2#3 in let q _ (x : bool) := if x then 2#3 else 1#3 in
  kept_by_tokens [true; false] p q 2 [] count == 10#9 /\ kept_by_block [true; false] p q 2 [] count == 11#9.
Proof. vm_compute. split; reflexivity. Qed.
