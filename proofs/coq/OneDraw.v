(** One draw drafts and verifies (docs/integer-core.md, sections 4 and 5; reference/dyadic.py).

    A dyadic law is counts over one denominator D. A draw r < D picks a cell of the draft; its place in the cell's interval
    decides acceptance; a rejected one is sent to the deficit cell of its own number. Promise: over all D draws each token is
    emitted as often as the target counts it, whatever the two orders. Natural numbers only: statements are countings. *)

From Coq Require Import List Arith Lia Bool.
Require Import Counting.
Import ListNotations.

(** The value of what a draw gives, 0 for nothing. *)
Definition value {A} (f : A -> nat) (found : option A) : nat := match found with Some x => f x | None => 0 end.

(** * One token *)

Section OneDraw.
  Context {T : Type}.

  (** Token_ids in the order of their intervals, and the counts of all tokens. *)
  Record dyadic := Dyadic { tokens : list T; count : T -> nat }.

  (** Counts are 0 for tokens that are not listed, and sum to D. *)
  Definition dyadic_law (D : nat) (l : dyadic) : Prop :=
    NoDup (tokens l) /\ (forall x, 0 < count l x -> In x (tokens l)) /\ sum (tokens l) (count l) = D.

  (** The tokens before the owner of a cell, the owner, and how far into its interval the cell lies. *)
  Fixpoint locate (n : T -> nat) (order : list T) (r : nat) : option (list T * T * nat) :=
    match order with
    | [] => None
    | x :: order =>
      if r <? n x then Some ([], x, r)
      else option_map (fun '(before, y, off) => (x :: before, y, off)) (locate n order (r - n x))
    end.

  Definition owner (l : dyadic) (r : nat) : option T :=
    option_map (fun '(_, x, _) => x) (locate (count l) (tokens l) r).

  Definition excess (p q : dyadic) : dyadic := Dyadic (tokens q) (fun y => count q y - count p y).
  Definition deficit (p q : dyadic) : dyadic := Dyadic (tokens p) (fun y => count p y - count q y).

  (** The token that a draw emits, and whether it is the draft's (section 5, steps 1 to 4). *)
  Definition verify (p q : dyadic) (r : nat) : option (T * bool) :=
    match locate (count q) (tokens q) r with
    | Some (before, x, off) =>
      if off <? count p x then Some (x, true)
      else option_map (fun y => (y, false)) (owner (deficit p q) (sum before (count (excess p q)) + (off - count p x)))
    | None => None
    end.

  Definition emit (p q : dyadic) (r : nat) : option T := option_map fst (verify p q r).

  (** An accepted token is the draft: the draw's owner in the draft's intervals. *)
  Lemma accepted_is_draft p q r x : verify p q r = Some (x, true) -> owner q r = Some x.
  Proof.
    unfold verify, owner. destruct (locate _ _ _) as [[[before y] off]|]; [simpl|discriminate].
    destruct (off <? count p y); [congruence|]. destruct (option_map _ (locate _ _ _)); discriminate.
  Qed.

  (** Whoever draws from a law gets each token for as many draws as it is counted. *)
  Lemma sum_owner l f : sum (seq 0 (sum (tokens l) (count l))) (fun r => value f (owner l r)) =
    sum (tokens l) (fun x => count l x * f x).
  Proof.
    destruct l as [V n]. unfold owner. simpl. induction V as [|x V IH]; [reflexivity|].
    simpl sum at 1. rewrite sum_draws. simpl. f_equal.
    - rewrite <- (seq_length (n x) 0) at 2. rewrite <- sum_const. apply sum_ext.
      intros r H%in_seq. rewrite (proj2 (Nat.ltb_lt r (n x))) by lia. reflexivity.
    - rewrite <- IH. apply sum_ext. intros r _. rewrite (proj2 (Nat.ltb_ge (n x + r) (n x))) by lia.
      rewrite Nat.add_comm, Nat.add_sub. destruct (locate n V r) as [[[before y] off]|]; reflexivity.
  Qed.

  (** The draws of a draft are its accepted ones, and its excess cells numbered in turn. *)
  Lemma sum_cells p q f d W start :
    sum (seq 0 (sum W q)) (fun r => value (fun '(before, x, off) =>
      if off <? p x then f x else d (start + sum before (fun y => q y - p y) + (off - p x))) (locate q W r)) =
    sum W (fun x => min (p x) (q x) * f x) + sum (seq 0 (sum W (fun y => q y - p y))) (fun j => d (start + j)).
  Proof.
    revert start. induction W as [|x W IH]; intros start; [reflexivity|].
    simpl sum at 1. rewrite sum_draws. simpl. rewrite (sum_draws (q x - p x)).
    enough (head : sum (seq 0 (q x)) (fun r => value (fun '(before, x, off) =>
        if off <? p x then f x else d (start + sum before (fun y => q y - p y) + (off - p x)))
          (if r <? q x then Some ([], x, r) else
            option_map (fun '(before, y, off) => (x :: before, y, off)) (locate q W (r - q x)))) =
      min (p x) (q x) * f x + sum (seq 0 (q x - p x)) (fun j => d (start + j))).
    { rewrite head. replace (sum (seq 0 (sum W _)) (fun j => d (start + (q x - p x + j)))) with
        (sum (seq 0 (sum W (fun y => q y - p y))) (fun j => d (start + (q x - p x) + j)))
        by (apply sum_ext; intros; f_equal; lia).
      match goal with |- _ + ?tail = _ => enough (tail = sum W (fun x => min (p x) (q x) * f x) +
        sum (seq 0 (sum W (fun y => q y - p y))) (fun j => d (start + (q x - p x) + j))) by lia end.
      rewrite <- IH. apply sum_ext. intros r _. rewrite (proj2 (Nat.ltb_ge (q x + r) (q x))) by lia.
      rewrite Nat.add_comm, Nat.add_sub. destruct (locate q W r) as [[[before y] off]|]; simpl; [|reflexivity].
      destruct (off <? p y); [reflexivity|]. f_equal. lia. }
    replace (q x) with (min (p x) (q x) + (q x - p x)) at 1 by lia. rewrite sum_draws. f_equal.
    - rewrite <- (seq_length (min (p x) (q x)) 0) at 2. rewrite <- sum_const. apply sum_ext. intros r H%in_seq.
      rewrite (proj2 (Nat.ltb_lt r (q x))) by lia. simpl. rewrite (proj2 (Nat.ltb_lt r (p x))) by lia. reflexivity.
    - apply sum_ext. intros j H%in_seq. rewrite (proj2 (Nat.ltb_lt (min (p x) (q x) + j) (q x))) by lia. simpl.
      rewrite (proj2 (Nat.ltb_ge (min (p x) (q x) + j) (p x))) by lia. f_equal. lia.
  Qed.

  (** What a law is where both laws give something: the same in both orders. *)
  Lemma sum_common D p q f : dyadic_law D p -> dyadic_law D q ->
    sum (tokens q) (fun x => min (count p x) (count q x) * f x) =
    sum (tokens p) (fun x => min (count p x) (count q x) * f x).
  Proof.
    intros (Np & Ip & _) (Nq & Iq & _). apply sum_support; try assumption; intros x H; [apply Iq | apply Ip]; nia.
  Qed.

  (** As many cells are too many in the draft as lack in the target. *)
  Theorem one_draw_totals D p q : dyadic_law D p -> dyadic_law D q ->
    sum (tokens q) (count (excess p q)) = sum (tokens p) (count (deficit p q)).
  Proof.
    intros Hp Hq. pose proof (sum_common D p q (fun _ => 1) Hp Hq) as E.
    destruct Hp as (_ & _ & Dp), Hq as (_ & _ & Dq). simpl.
    assert (split : forall (V : list T) n m, sum V (fun x => n x - m x) + sum V (fun x => min (n x) (m x) * 1) = sum V n).
    { intros V n m. rewrite <- sum_plus. apply sum_ext. intros. lia. }
    pose proof (split (tokens p) (count p) (count q)) as Ep. pose proof (split (tokens q) (count q) (count p)) as Eq.
    rewrite (sum_ext _ (fun x => min (count q x) (count p x) * 1) (fun x => min (count p x) (count q x) * 1)) in Eq
      by (intros; lia). lia.
  Qed.

  (** Over all draws, token x is emitted accepted min(P, Q) times, and (P - Q)+ times in place of a rejected draft. *)
  Theorem one_draw_sum D p q g : dyadic_law D p -> dyadic_law D q ->
    sum (seq 0 D) (fun r => value g (verify p q r)) =
    sum (tokens p) (fun x => min (count p x) (count q x) * g (x, true) + (count p x - count q x) * g (x, false)).
  Proof.
    intros Hp Hq. rewrite sum_plus, <- (sum_common D) by assumption.
    change (sum (tokens p) (fun x => (count p x - count q x) * g (x, false)))
      with (sum (tokens (deficit p q)) (fun x => count (deficit p q) x * g (x, false))).
    rewrite <- (sum_owner (deficit p q) (fun x => g (x, false))).
    change (tokens (deficit p q)) with (tokens p). rewrite <- (one_draw_totals D) by assumption.
    destruct Hq as (_ & _ & <-).
    etransitivity; [|exact (sum_cells (count p) (count q) (fun x => g (x, true))
      (fun j => value (fun x => g (x, false)) (owner (deficit p q) j)) (tokens q) 0)].
    apply sum_ext. intros r _. unfold verify. destruct (locate _ _ r) as [[[before x] off]|]; [|reflexivity]. simpl.
    destruct (off <? count p x); [reflexivity|]. destruct (owner _ _); reflexivity.
  Qed.

  (** The theorem on test functions: the emitted token is one of the target's own. *)
  Theorem one_draw_law D p q f : dyadic_law D p -> dyadic_law D q ->
    sum (seq 0 D) (fun r => value f (emit p q r)) = sum (tokens p) (fun x => count p x * f x).
  Proof.
    intros Hp Hq. rewrite (sum_ext _ _ (fun r => value (fun e => f (fst e)) (verify p q r)))
      by (intros r _; unfold emit; destruct (verify p q r); reflexivity).
    rewrite (one_draw_sum D) by assumption. apply sum_ext. intros x _. simpl. nia.
  Qed.

  (** Every draw emits a token. *)
  Lemma verify_some D p q r : dyadic_law D p -> dyadic_law D q -> r < D -> exists e, verify p q r = Some e.
  Proof.
    intros Hp Hq Hr. enough (H : value (fun _ => 1) (verify p q r) = 1)
      by (destruct (verify p q r) as [e|]; [exists e; reflexivity | discriminate H]).
    apply (sum_of_ones (seq 0 D) (fun r => value (fun _ => 1) (verify p q r)));
      [intros s; destruct (verify p q s); simpl; lia | | apply in_seq; lia].
    rewrite (one_draw_sum D), seq_length by assumption. destruct Hp as (_ & _ & <-). apply sum_ext. intros. lia.
  Qed.

  Lemma owner_some D p r : dyadic_law D p -> r < D -> exists x, owner p r = Some x.
  Proof.
    intros (_ & _ & H) Hr. enough (E : value (fun _ => 1) (owner p r) = 1)
      by (destruct (owner p r) as [x|]; [exists x; reflexivity | discriminate E]).
    apply (sum_of_ones (seq 0 D) (fun r => value (fun _ => 1) (owner p r)));
      [intros s; destruct (owner p s); simpl; lia | | apply in_seq; lia].
    rewrite <- H at 1. rewrite sum_owner, seq_length, <- H. apply sum_ext. intros. lia.
  Qed.

  Section Counts.
    Variable same : forall x y : T, {x = y} + {x <> y}.

    Definition gives (e : T * bool) (found : option (T * bool)) : bool :=
      match found with Some (y, a) => (if same y (fst e) then true else false) && Bool.eqb a (snd e) | None => false end.

    Definition emits (x : T) (found : option T) : bool :=
      match found with Some y => if same y x then true else false | None => false end.

    Lemma sum_at D p h x : dyadic_law D p -> (forall y, count p y = 0 -> h y = 0) ->
      sum (tokens p) (fun y => if same y x then h y else 0) = h x.
    Proof.
      intros (N & I & _) Z. destruct (Nat.eq_dec (h x) 0) as [E|E].
      { rewrite E. apply sum_zero. intros y _. destruct (same y x) as [->|]; [exact E | reflexivity]. }
      rewrite (sum_support _ [x]); [simpl; destruct (same x x) as [|n]; [lia | destruct n; reflexivity] | exact N | | |].
      - repeat constructor. intros [].
      - intros y H. destruct (same y x) as [->|]; [|lia]. apply I. specialize (Z x). lia.
      - intros y H. destruct (same y x) as [->|]; [left; reflexivity | lia].
    Qed.

    (** Of the D draws, exactly P(x) emit x. *)
    Theorem one_draw D p q x : dyadic_law D p -> dyadic_law D q ->
      number (fun r => emits x (emit p q r)) (seq 0 D) = count p x.
    Proof.
      intros Hp Hq. rewrite sum_number, <- (sum_at D p (count p) x Hp) by auto.
      transitivity (sum (tokens p) (fun y => count p y * (if same y x then 1 else 0)));
        [rewrite <- (one_draw_law D p q) by assumption | ]; apply sum_ext.
      - intros r _. destruct (emit p q r) as [y|]; simpl; [destruct (same y x)|]; reflexivity.
      - intros y _. destruct (same y x); lia.
    Qed.

    (** Of the D draws, exactly min(P(x), Q(x)) draft x and accept it. *)
    Theorem one_draw_accepted D p q x : dyadic_law D p -> dyadic_law D q ->
      number (fun r => gives (x, true) (verify p q r)) (seq 0 D) = min (count p x) (count q x).
    Proof.
      intros Hp Hq. rewrite sum_number.
      rewrite <- (sum_at D p (fun x => min (count p x) (count q x)) x Hp) by (intros y ->; reflexivity).
      pose (g := fun e : T * bool => if snd e then if same (fst e) x then 1 else 0 else 0).
      transitivity (sum (tokens p) (fun y =>
        min (count p y) (count q y) * g (y, true) + (count p y - count q y) * g (y, false)));
        [rewrite <- (one_draw_sum D p q g) by assumption | ]; apply sum_ext.
      - intros r _. unfold g. destruct (verify p q r) as [[y []]|]; simpl; try destruct (same y x); reflexivity.
      - intros y _. unfold g. simpl. destruct (same y x); lia.
    Qed.
  End Counts.
End OneDraw.
Arguments dyadic : clear implicits.

(** The hypotheses can hold: a draft of another order with a zero, and rejections. *)
Definition example_p : dyadic nat := Dyadic [2; 0; 1] (fun x => nth x [3; 1; 4; 0] 0).
Definition example_q : dyadic nat := Dyadic [3; 0; 1] (fun x => nth x [2; 2; 0; 4] 0).

Example one_draw_satisfiable : dyadic_law 8 example_p /\ dyadic_law 8 example_q /\
  map (verify example_p example_q) (seq 0 8) =
    map Some [(2, false); (2, false); (2, false); (2, false); (0, true); (0, true); (1, true); (0, false)].
Proof.
  unfold dyadic_law. simpl. repeat split; try (repeat constructor; simpl; lia);
    intros [|[|[|[|x]]]]; simpl; try lia; destruct x; lia.
Qed.
