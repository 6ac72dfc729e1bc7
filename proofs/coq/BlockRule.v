(** Block verification at one position (Sun et al., arXiv 2403.10444; spec section 4; reference/pointwise.py, running_ratio and
    block_threshold): the running ratio, the threshold and the coins, on numbers alone.

    Promised: thresholds are probabilities (block_threshold_range), what is kept and what is replaced make the target
    (kept_or_replaced), and the largest position that passes has the law one expects (tau_law). Block.v uses them. *)

From Coq Require Import QArith Qminmax List Lqa Lia.
Require Import Laws.
Import ListNotations.
Open Scope Q_scope.

(** rho_i = min(1, rho_{i-1} p/q) at a drafted token; 0 where the draft has no mass. *)
Definition running_ratio (rho p q : Q) : Q := if Qlt_le_dec 0 q then Qmin 1 (rho * p / q) else 0.

(** h_i = S_i / (S_i + 1 - rho_i); 1 at 0/0, where nothing depends on it. *)
Definition block_threshold (mass rho : Q) : Q :=
  if Qeq_dec (mass + (1 - rho)) 0 then 1 else mass / (mass + (1 - rho)).

(** ** One token *)

Lemma positive_part_nonneg a : 0 <= positive_part a.
Proof. unfold positive_part. destruct (Qlt_le_dec 0 a); lra. Qed.

Lemma running_ratio_range rho p q : 0 <= rho -> 0 <= p -> 0 <= running_ratio rho p q <= 1.
Proof.
  intros R P. unfold running_ratio. destruct (Qlt_le_dec 0 q) as [H|H]; [|lra]. split; [|apply Q.le_min_l].
  apply Q.min_glb; [lra|]. apply Qle_shift_div_l; [exact H|]. nra.
Qed.

(** Drafted and still in the running: q rho_i = min(rho_{i-1} p, q). *)
Lemma draft_running_ratio rho p q : 0 <= rho -> 0 <= p -> 0 <= q -> q * running_ratio rho p q == Qmin (rho * p) q.
Proof.
  intros R P N. unfold running_ratio. destruct (Qlt_le_dec 0 q) as [H|H].
  - assert (E : rho * p == q * (rho * p / q)) by (field; lra).
    destruct (Q.min_spec 1 (rho * p / q)) as [[L ->]|[L ->]];
      destruct (Q.min_spec (rho * p) q) as [[M ->]|[M ->]]; nra.
  - rewrite Q.min_r by nra. lra.
Qed.

(** Kept or replaced: together they make rho p. *)
Lemma kept_or_replaced rho p q :
  0 <= rho -> 0 <= p -> 0 <= q -> q * running_ratio rho p q + positive_part (rho * p - q) == rho * p.
Proof.
  intros R P N. rewrite draft_running_ratio by assumption. unfold positive_part.
  destruct (Qlt_le_dec 0 (rho * p - q)); [rewrite Q.min_r | rewrite Q.min_l]; lra.
Qed.

(** A position is left with probability S_i: it passes, and none after it does, of probability 1 - rho_i + S_i. *)
Lemma threshold_mass mass rho : 0 <= mass -> rho <= 1 -> (mass + (1 - rho)) * block_threshold mass rho == mass.
Proof. intros M R. unfold block_threshold. destruct (Qeq_dec (mass + (1 - rho)) 0); [lra | field; assumption]. Qed.

(** Every threshold is a probability. *)
Theorem block_threshold_range mass rho : 0 <= mass -> rho <= 1 -> 0 <= block_threshold mass rho <= 1.
Proof.
  intros M R. unfold block_threshold. destruct (Qeq_dec (mass + (1 - rho)) 0) as [|H]; [lra|].
  assert (0 < mass + (1 - rho)) by (destruct (Qlt_le_dec 0 (mass + (1 - rho))); lra).
  split; [apply Qle_shift_div_l | apply Qle_shift_div_r]; lra.
Qed.

Example block_threshold_range_satisfiable : block_threshold (1#4) (1#2) == 1#3 /\ block_threshold 0 1 == 1.
Proof. split; reflexivity. Qed.

Lemma block_threshold_start mass : block_threshold mass 1 == 1.
Proof. unfold block_threshold. destruct (Qeq_dec (mass + (1 - 1)) 0); [reflexivity | field; lra]. Qed.

Lemma acceptance_nonneg p q : 0 <= p -> 0 <= acceptance p q.
Proof.
  intros P. unfold acceptance. destruct (Qlt_le_dec 0 q) as [H|H]; [|destruct (Qlt_le_dec 0 p); lra].
  apply Q.min_glb; [lra|]. apply Qle_shift_div_l; [exact H | lra].
Qed.

(** The block's ratio keeps what the token rule keeps, whatever share a of rho that rule has kept so far. *)
Lemma acceptance_below_ratio a rho p q :
  0 <= a <= rho -> rho <= 1 -> 0 <= p -> 0 < q -> a * acceptance p q <= running_ratio rho p q.
Proof.
  intros A R P H. unfold acceptance, running_ratio. destruct (Qlt_le_dec 0 q); [|lra].
  assert (D : 0 <= p / q) by (apply Qle_shift_div_l; lra).
  assert (E : rho * p / q == rho * (p / q)) by (field; lra).
  apply Q.min_glb; rewrite ?E; destruct (Q.min_spec 1 (p / q)) as [[L ->]|[L ->]]; nra.
Qed.

(** ** Sums *)

Lemma total_zero_each {T} (V : list T) f x : (forall y, In y V -> 0 <= f y) -> total V f == 0 -> In x V -> f x == 0.
Proof.
  induction V as [|y V IH]; intros N Z X; [destruct X|]. simpl in Z.
  assert (0 <= f y) by (apply N; left; reflexivity).
  assert (0 <= total V f) by (apply total_nonneg; intros; apply N; right; assumption).
  destruct X as [<-|X]; [lra|]. apply IH; [intros; apply N; right; assumption | lra | exact X].
Qed.

(** ** Coins *)

(** What independent coins, passing with probabilities hs, make one expect of g. *)
Fixpoint tossed (hs : list Q) (g : list bool -> Q) : Q :=
  match hs with
  | [] => g []
  | h :: hs => h * tossed hs (fun bs => g (true :: bs)) + (1 - h) * tossed hs (fun bs => g (false :: bs))
  end.

(** The largest position that passes, counted from 1; 0 if none does. *)
Fixpoint tau (bs : list bool) : nat :=
  match bs with
  | [] => 0
  | b :: bs => match tau bs with O => if b then 1 else 0 | S i => S (S i) end
  end.

(** h_i times the product of 1 - h_j over j > i, where h_0 = 1. *)
Definition tau_is (hs : list Q) (i : nat) : Q :=
  nth i (1 :: hs) 0 * fold_right (fun h others => (1 - h) * others) 1 (skipn i hs).

Lemma tossed_ext hs g g' : (forall bs, g bs == g' bs) -> tossed hs g == tossed hs g'.
Proof.
  revert g g'. induction hs as [|h hs IH]; intros g g' H; simpl; [apply H|].
  apply Qplus_comp; (apply Qmult_comp; [reflexivity|]; apply IH; intros; apply H).
Qed.

Lemma tossed_constant hs c : tossed hs (fun _ => c) == c.
Proof. induction hs as [|h hs IH]; simpl; [reflexivity | rewrite IH; ring]. Qed.

Lemma total_seq n f : total (seq 0 (S n)) f = f 0%nat + total (seq 0 n) (fun i => f (S i)).
Proof.
  change (f 0%nat + total (seq 1 n) f = f 0%nat + total (seq 0 n) (fun i => f (S i))). f_equal. generalize 0%nat.
  induction n as [|n IH]; intros m; simpl; [reflexivity | rewrite IH; reflexivity].
Qed.

(** tau is i with probability h_i times the product of 1 - h_j over j > i. *)
Theorem tau_law hs g : tossed hs (fun bs => g (tau bs)) == total (seq 0 (S (length hs))) (fun i => tau_is hs i * g i).
Proof.
  revert g. induction hs as [|h hs IH]; intros g; [unfold tau_is; simpl; ring|].
  set (on b i := match i with O => if b : bool then g 1%nat else g 0%nat | S i => g (S (S i)) end).
  assert (E : forall b bs, g (tau (b :: bs)) == on b (tau bs)) by (intros [] bs; simpl; destruct (tau bs); reflexivity).
  cbn [tossed]. rewrite (tossed_ext _ _ _ (E true)), (tossed_ext _ _ _ (E false)), (IH (on true)), (IH (on false)).
  cbn [length]. rewrite !total_seq.
  rewrite !(total_ext _ _ (fun i => tau_is (h :: hs) (S (S i)) * g (S (S i)))) by (intros; reflexivity).
  unfold tau_is; simpl. ring.
Qed.

Example tau_law_satisfiable : let hs := [1#2; 1#3; 1#4] in
  tossed hs (fun bs => if Nat.eqb (tau bs) 2 then 1 else 0) == 1#4 /\ tau_is hs 2 == 1#4 /\ tau_is hs 0 == 1#4.
Proof. repeat split; reflexivity. Qed.
