(** The token rule keeps the target: what is emitted, a draft that is accepted or a draw from the residual, has the law p.

    Leviathan et al., arXiv 2211.17192, appendix A.1; Chen et al., arXiv 2302.01318, theorem 1. For every vocabulary, every target p
    and every draft law q: with q = 0 somewhere, one-hot laws and equal laws included. *)

From Coq Require Import QArith Qminmax Qabs List Lqa.
Require Import Laws.
Open Scope Q_scope.

(** A token is drafted and accepted with probability min(p, q). *)
Lemma accepted_mass (p q : Q) : 0 <= p -> 0 <= q -> q * acceptance p q == Qmin p q.
Proof.
  intros Hp Hq. unfold acceptance. destruct (Qlt_le_dec 0 q) as [H|H].
  - destruct (Q.min_spec 1 (p / q)) as [[L ->]|[L ->]].
    + rewrite Q.min_r; [ring|]. assert (M : 1 * q <= p / q * q) by (apply Qmult_le_compat_r; lra).
      field_simplify in M; lra.
    + rewrite Q.min_l; [field; lra|]. assert (M : p / q * q <= 1 * q) by (apply Qmult_le_compat_r; lra).
      field_simplify in M; lra.
  - assert (q == 0) by lra. rewrite Q.min_r by lra. destruct (Qlt_le_dec 0 p); lra.
Qed.

(** The acceptance is a probability. *)
Lemma acceptance_range (p q : Q) : 0 <= p -> 0 <= acceptance p q <= 1.
Proof.
  intros Hp. unfold acceptance. destruct (Qlt_le_dec 0 q) as [H|H].
  - split; [|apply Q.le_min_l]. apply Q.min_glb; [lra|]. apply Qle_shift_div_l; lra.
  - destruct (Qlt_le_dec 0 p); lra.
Qed.

Lemma remaining_part (p q : Q) : positive_part (p - q) == p - Qmin p q.
Proof.
  unfold positive_part. destruct (Qlt_le_dec 0 (p - q)); [rewrite Q.min_r | rewrite Q.min_l]; lra.
Qed.

Lemma positive_part_nonneg (a : Q) : 0 <= positive_part a.
Proof. unfold positive_part. destruct (Qlt_le_dec 0 a); lra. Qed.

Section TokenRule.
  Context {T : Type}.
  Implicit Types (V : list T) (p q f : T -> Q).

  Lemma total_zero_terms V f : (forall x, In x V -> 0 <= f x) -> total V f == 0 -> forall x, In x V -> f x == 0.
  Proof.
    induction V as [|y V IH]; simpl; [contradiction|]. intros H Z.
    assert (0 <= f y) by (apply H; auto). assert (0 <= total V f) by (apply total_nonneg; auto).
    intros x [<-|I]; [lra | apply IH; auto; lra].
  Qed.

  Definition residual_row V p q (y : T) : Q := residual (p y) (q y) (residual_mass V p q).

  (** What f is expected to be of the emitted token: the draft x, drawn from q, if its coin accepts it, else a residual draw. *)
  Definition emitted V p q f : Q :=
    expect V q (fun x => acceptance (p x) (q x) * f x + (1 - acceptance (p x) (q x)) * expect V (residual_row V p q) f).

  (** Probability that a draft is rejected. *)
  Definition rejection V p q : Q := expect V q (fun x => 1 - acceptance (p x) (q x)).

  Section Laws.
    Variables (V : list T) (p q : T -> Q).
    Hypotheses (Hp : law V p) (Hq : law V q).
    Let shared := total V (fun x => Qmin (p x) (q x)).

    Lemma accepted_total : expect V q (fun x => acceptance (p x) (q x)) == shared.
    Proof. apply total_ext. intros x I. apply accepted_mass; [apply Hp | apply Hq]; assumption. Qed.

    Lemma residual_mass_is : residual_mass V p q == 1 - shared.
    Proof.
      unfold residual_mass. rewrite (total_ext _ _ (fun x => p x - Qmin (p x) (q x))) by (intros; apply remaining_part).
      rewrite total_minus. destruct Hp as [_ ->]. reflexivity.
    Qed.

    (** A draft is rejected with probability sum (p - q)+. *)
    Theorem rejection_probability : rejection V p q == residual_mass V p q.
    Proof.
      rewrite residual_mass_is. unfold rejection, expect.
      rewrite (total_ext _ _ (fun x => q x - q x * acceptance (p x) (q x))) by (intros; ring).
      rewrite total_minus. destruct Hq as [_ ->]. rewrite <- accepted_total. reflexivity.
    Qed.

    Lemma residual_mass_nonneg : 0 <= residual_mass V p q.
    Proof. apply total_nonneg. intros. apply positive_part_nonneg. Qed.

    Lemma residual_part x : In x V -> residual_mass V p q * residual_row V p q x == positive_part (p x - q x).
    Proof.
      intros I. unfold residual_row, residual. destruct (Qeq_dec (residual_mass V p q) 0) as [Z|Z]; [|field; assumption].
      rewrite Z. rewrite (total_zero_terms V (fun x => positive_part (p x - q x))); [ring | | exact Z | exact I].
      intros. apply positive_part_nonneg.
    Qed.

    (** The residual is a law. *)
    Theorem residual_law : law V (residual_row V p q).
    Proof.
      pose proof residual_mass_nonneg as N. destruct (Qeq_dec (residual_mass V p q) 0) as [Z|Z].
      - split; [intros x I | rewrite (total_ext _ _ p); [apply Hp|intros x I]];
          unfold residual_row, residual; destruct (Qeq_dec (residual_mass V p q) 0); try contradiction; [apply Hp; exact I | reflexivity].
      - assert (P : 0 < residual_mass V p q) by (apply Qle_lteq in N; destruct N as [N|N]; [exact N | symmetry in N; contradiction]).
        split.
        + intros x I. unfold residual_row, residual. destruct (Qeq_dec (residual_mass V p q) 0); [contradiction|].
          apply Qle_shift_div_l; [exact P|]. rewrite Qmult_0_l. apply positive_part_nonneg.
        + apply (Qmult_inj_l _ _ (residual_mass V p q)); [exact Z|]. rewrite <- total_scale.
          rewrite (total_ext _ _ (fun x => positive_part (p x - q x))) by (intros; apply residual_part; assumption).
          fold (residual_mass V p q). ring.
    Qed.

    (** The emitted token has the target's law, for every draft. *)
    Theorem token_rule f : emitted V p q f == expect V p f.
    Proof.
      unfold emitted, expect at 1. set (R := expect V (residual_row V p q) f).
      rewrite (total_ext _ _ (fun x => Qmin (p x) (q x) * f x + R * (q x * (1 - acceptance (p x) (q x))))).
      2: { intros x I. rewrite <- accepted_mass; [ring | apply Hp | apply Hq]; assumption. }
      rewrite total_plus, total_scale. fold (expect V q (fun x => 1 - acceptance (p x) (q x))). fold (rejection V p q).
      rewrite rejection_probability. unfold R, expect. rewrite Qmult_comm, <- total_scale, <- total_plus.
      apply total_ext. intros x I. rewrite Qmult_assoc, residual_part by assumption. rewrite remaining_part. ring.
    Qed.

    (** With residual mass 0 nothing is ever rejected, and the residual is the target. *)
    Theorem zero_residual : residual_mass V p q == 0 -> rejection V p q == 0 /\ forall x, residual_row V p q x == p x.
    Proof.
      intros Z. split; [rewrite rejection_probability; exact Z|]. intros x. unfold residual_row, residual.
      destruct (Qeq_dec (residual_mass V p q) 0); [reflexivity | contradiction].
    Qed.

    (** Half the L1 distance of the two laws. *)
    Definition total_variation : Q := total V (fun x => Qabs (p x - q x)) / 2.

    (** A draft is accepted with probability 1 - TV(p, q). *)
    Theorem acceptance_rate : expect V q (fun x => acceptance (p x) (q x)) == 1 - total_variation.
    Proof.
      rewrite accepted_total. unfold total_variation.
      rewrite (total_ext V (fun x => Qabs (p x - q x)) (fun x => p x + (q x - 2 * Qmin (p x) (q x)))).
      - rewrite total_plus, total_minus, total_scale. destruct Hp as [_ ->], Hq as [_ ->]. fold shared. field.
      - intros x _. destruct (Q.min_spec (p x) (q x)) as [[L ->]|[L ->]];
          [rewrite Qabs_neg by lra | rewrite Qabs_pos by lra]; ring.
    Qed.

    (** No coupling of draft and target agrees more often: its entry (x, x) is part of a row and of a column. *)
    Theorem acceptance_optimal (pi : T -> T -> Q) :
      (forall x y, In x V -> In y V -> 0 <= pi x y) ->
      (forall x, In x V -> total V (pi x) == q x) ->
      (forall y, In y V -> total V (fun x => pi x y) == p y) ->
      total V (fun x => pi x x) <= expect V q (fun x => acceptance (p x) (q x)).
    Proof.
      intros N rows columns. rewrite accepted_total. apply total_le. intros x I.
      assert (term : forall f, (forall y, In y V -> 0 <= f y) -> f x <= total V f).
      { clear - I. revert I. induction V as [|y W IH]; simpl; [contradiction|]. intros [->|I] f F.
        - assert (0 <= total W f) by (apply total_nonneg; auto). lra.
        - assert (f x <= total W f) by (apply IH; auto). assert (0 <= f y) by auto. lra. }
      apply Q.min_glb.
      - rewrite <- columns by assumption. apply (term (fun x => pi x x)) || apply (term (fun y => pi y x)). intros; apply N; assumption.
      - rewrite <- rows by assumption. apply (term (pi x)). intros; apply N; assumption.
    Qed.
  End Laws.
End TokenRule.

(** Three tokens, p <> q, a draft that rules one out, a rejection of probability 1/3. *)
Example token_rule_satisfiable :
  let V := (0 :: 1 :: 2 :: nil)%nat in
  let p x := match x with 0%nat => 1 # 2 | 1%nat => 1 # 3 | _ => 1 # 6 end in
  let q x := match x with 0%nat => 1 # 6 | 1%nat => 5 # 6 | _ => 0 end in
  law V p /\ law V q /\ rejection V p q == 1 # 2 /\ emitted V p q (fun x => if Nat.eqb x 2 then 1 else 0) == 1 # 6.
Proof.
  repeat split; try reflexivity; simpl; intros x H; repeat destruct H as [<-|H]; try contradiction; discriminate.
Qed.
