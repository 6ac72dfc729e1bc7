(** Siblings tried in turn keep the target, whatever the laws they are drawn from depend on; and so do trees of them.

    SpecInfer, arXiv 2305.09781; recursive rejection sampling, arXiv 2402.14160. Each sibling is judged against what the target
    has become: the residual, after a rejection. Its law may depend on all siblings rejected before, so that drafts without replacement are an
    instance. At an accepted sibling a tree goes on one level down. *)

From Coq Require Import QArith List Lqa Lia.
Require Import Laws TokenRule Chain.
Import ListNotations.
Open Scope Q_scope.

Section MultiDraft.
  Context {T : Type}.
  Variable V : list T.

  (** One level: up to n siblings, then a draw from what the target has become. draft rejected is the next sibling's law, None if there is
      none. `down` is what f is expected to be once a sibling is accepted, `last` once the last token is drawn. *)
  Fixpoint level (draft : list T -> option (T -> Q)) (down : list T -> T -> Q) (last : T -> Q) (n : nat) (rejected : list T) (p : T -> Q) : Q :=
    match n, draft rejected with
    | S n, Some q =>
        expect V q (fun x => acceptance (p x) (q x) * down rejected x
          + (1 - acceptance (p x) (q x)) * level draft down last n (rejected ++ [x]) (residual_row V p q))
    | _, _ => expect V p last
    end.

  (** The token that a level emits has the target's law. *)
  Theorem multi_draft draft down last f :
    (forall rejected q, incl rejected V -> draft rejected = Some q -> law V q) ->
    (forall rejected x, In x V -> down rejected x == f x) -> (forall x, In x V -> last x == f x) ->
    forall n rejected p, incl rejected V -> law V p -> level draft down last n rejected p == expect V p f.
  Proof.
    intros D H L n. induction n as [|n IH]; intros rejected p R P; simpl; [apply expect_ext, L|].
    destruct (draft rejected) as [q|] eqn:E; [|apply expect_ext, L].
    pose proof (D _ _ R E) as Q. rewrite <- (token_rule V p q P Q f). unfold emitted. apply expect_ext. intros x I.
    rewrite H by exact I. rewrite IH; [reflexivity | | apply residual_law; assumption].
    apply incl_app; [exact R | intros y [<-|[]]; exact I].
  Qed.

  Section Tree.
    Variables (target : list T -> T -> Q) (draft : list T -> list T -> option (T -> Q)) (width : nat) (f : list T -> Q).
    Hypothesis target_law : forall prefix, law V (target prefix).
    Hypothesis draft_law : forall prefix rejected q, incl rejected V -> draft prefix rejected = Some q -> law V q.

    (** A tree of K levels, n tokens to go; after the bonus, or the draw that ends a level, decoding is plain. *)
    Fixpoint tree (K n : nat) (prefix : list T) : Q :=
      match K, n with
      | S K, S n =>
          level (draft prefix) (fun _ x => tree K n (prefix ++ [x])) (fun y => plain V target f n (prefix ++ [y])) width [] (target prefix)
      | _, _ => plain V target f n prefix
      end.

    (** A tree, and plain decoding to n tokens, has the law of plain decoding. *)
    Theorem tree_decodes K : forall n prefix, tree K n prefix == plain V target f n prefix.
    Proof.
      induction K as [|K IH]; intros [|n] prefix; simpl; try reflexivity.
      apply multi_draft; [apply draft_law | intros; apply IH | reflexivity | intros ? [] | apply target_law].
    Qed.
  End Tree.
End MultiDraft.

Section Deterministic.
  Context {T : Type}.
  Variables (V : list T) (eqb : T -> T -> bool).
  Hypothesis eqb_spec : forall x y, eqb x y = true <-> x = y.
  Hypothesis distinct : NoDup V.

  (** The law of the other tokens once x is ruled out. *)
  Definition ruled_out (p : T -> Q) (x y : T) : Q := if eqb y x then 0 else p y / (1 - p x).

  Lemma total_but_one x g : In x V -> total V g == g x + total V (fun y => if eqb y x then 0 else g y).
  Proof.
    revert distinct. induction V as [|z W IH]; [contradiction|]. intros D I. inversion_clear D as [|? ? N D'].
    change (g z + total W g == g x + ((if eqb z x then 0 else g z) + total W (fun y => if eqb y x then 0 else g y))).
    destruct I as [->|I].
    - assert (E : eqb x x = true) by (apply eqb_spec; reflexivity). rewrite E.
      rewrite (total_ext W (fun y => if eqb y x then 0 else g y) g); [ring|].
      intros y Y. destruct (eqb y x) eqn:F; [|reflexivity]. apply eqb_spec in F. subst. contradiction.
    - rewrite (IH D' I). destruct (eqb z x) eqn:F; [apply eqb_spec in F; subst; contradiction | ring].
  Qed.

  Lemma ruled_out_law p x : In x V -> law V p -> p x < 1 -> law V (ruled_out p x).
  Proof.
    intros I [N S] L. unfold ruled_out. split.
    - intros y Y. destruct (eqb y x); [lra|]. apply Qle_shift_div_l; [lra|]. rewrite Qmult_0_l. apply N, Y.
    - apply (Qmult_inj_l _ _ (1 - p x)); [lra|]. rewrite <- total_scale.
      rewrite (total_ext _ _ (fun y => if eqb y x then 0 else p y)).
      + rewrite (total_but_one x p I) in S. lra.
      + intros y _. destruct (eqb y x); [ring | field; lra].
  Qed.

  (** Fixed children tried in turn: each accepted with what the target has become gives it, and ruled out if not. *)
  Fixpoint tried (down last : T -> Q) (children : list T) (p : T -> Q) : Q :=
    match children with
    | [] => expect V p last
    | x :: rest => p x * down x + (1 - p x) * tried down last rest (ruled_out p x)
    end.

  (** The token that is emitted has the target's law. *)
  Theorem deterministic_tree down last f :
    (forall x, In x V -> down x == f x) -> (forall x, In x V -> last x == f x) ->
    forall children p, (forall x, In x children -> In x V) -> law V p -> tried down last children p == expect V p f.
  Proof.
    intros H L children. induction children as [|x rest IH]; intros p C P; simpl; [apply expect_ext, L|].
    assert (I : In x V) by (apply C; left; reflexivity). rewrite (H x I).
    unfold expect. rewrite (total_but_one x _ I). apply Qplus_comp; [reflexivity|].
    destruct (Qlt_le_dec (p x) 1) as [B|B].
    - rewrite IH by (auto using ruled_out_law; intros; apply C; right; assumption). unfold expect.
      rewrite <- total_scale. apply total_ext. intros y _. unfold ruled_out. destruct (eqb y x); [ring | field; lra].
    - destruct P as [N S]. rewrite (total_but_one x _ I) in S.
      assert (R : 0 <= total V (fun y => if eqb y x then 0 else p y)).
      { apply total_nonneg. intros y Y. destruct (eqb y x); [lra | apply N, Y]. }
      assert (E : p x == 1) by lra. rewrite E. rewrite (total_ext _ _ (fun y => 0 * f y)).
      + rewrite total_scale. ring.
      + intros y Y. assert (Z : (if eqb y x then 0 else p y) == 0).
        { apply (total_zero_terms V (fun y => if eqb y x then 0 else p y)); [|lra|exact Y].
          intros z Z. destruct (eqb z x); [lra | apply N, Z]. }
        destruct (eqb y x); [ring | rewrite Z; ring].
  Qed.

  (** Siblings without replacement: what the rejected one leaves of the last law, none when it leaves nothing. *)
  Fixpoint without_replacement (q : T -> Q) (rejected : list T) : option (T -> Q) :=
    match rejected with
    | [] => Some q
    | x :: rest => if Qlt_le_dec (q x) 1 then without_replacement (ruled_out q x) rest else None
    end.

  Lemma without_replacement_law rejected : forall q row,
    law V q -> incl rejected V -> without_replacement q rejected = Some row -> law V row.
  Proof.
    induction rejected as [|x rest IH]; simpl; intros q row L I E; [congruence|].
    destruct (Qlt_le_dec (q x) 1) as [B|_]; [|discriminate]. apply (IH (ruled_out q x)); [|eapply incl_cons_inv, I|exact E].
    apply ruled_out_law; [apply I; left; reflexivity | exact L | exact B].
  Qed.

  (** So siblings without replacement keep the target. *)
  Corollary multi_draft_without_replacement q f n p :
    law V q -> law V p -> level V (without_replacement q) (fun _ => f) f n [] p == expect V p f.
  Proof.
    intros Q P. apply multi_draft; try reflexivity; [|intros ? []|exact P]. intros rejected row I E.
    exact (without_replacement_law rejected q row Q I E).
  Qed.
End Deterministic.

(** Three tokens, a draft that rules one out, two siblings without replacement: the law of the emitted token is the target. *)
Example multi_draft_satisfiable :
  let V := [0; 1; 2]%nat in
  let p x := match x with 0%nat => 1 # 2 | 1%nat => 1 # 3 | _ => 1 # 6 end in
  let q x := match x with 0%nat => 1 # 6 | 1%nat => 5 # 6 | _ => 0 end in
  let f x := if Nat.eqb x 1 then 1 else 0 in
  law V p /\ law V q /\ level V (without_replacement Nat.eqb q) (fun _ => f) f 2 [] p == 1 # 3.
Proof.
  repeat split; try (vm_compute; reflexivity); simpl; intros x H; repeat destruct H as [<-|H]; try contradiction; discriminate.
Qed.
