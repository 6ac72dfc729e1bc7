(** The nucleus of ranked weights (spec 2.3 and 2.4; reference/filters.py; nucleus_keeps of reference/pointwise.py).

    Rank r stays iff the mass of the ranks before it is below top_p of the total. Promise: what stays is a prefix, never empty,
    the fewest tokens that reach top_p of the mass, grows with top_p, does not see tokens of weight 0, and is cut jointly with
    top-k. A list in rank order has its tokens where Ranks.v ranks them. *)

From Coq Require Import QArith List Arith Lia Lqa Permutation Sorted Bool.
Require Import Laws Counting Ranks.
Import ListNotations.
Open Scope Q_scope.

Definition mass (ws : list Q) : Q := total ws (fun weight => weight).

Definition non_negative (ws : list Q) : Prop := Forall (Qle 0) ws.

(** before < top_p * total, for the rank r *)
Definition keeps (top_p : Q) (ws : list Q) (r : nat) : bool := negb (Qle_bool (top_p * mass ws) (mass (firstn r ws))).

(** How many ranks the nucleus keeps. *)
Definition size (top_p : Q) (ws : list Q) : nat := number (keeps top_p ws) (seq 0 (length ws)).

Lemma keeps_spec top_p ws r : keeps top_p ws r = true <-> mass (firstn r ws) < top_p * mass ws.
Proof. unfold keeps. rewrite negb_true_iff, <- not_true_iff_false, Qle_bool_iff. split; lra. Qed.

Lemma mass_app ws vs : mass (ws ++ vs) == mass ws + mass vs.
Proof. unfold mass. induction ws as [|w ws IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma mass_zeros m : mass (repeat 0 m) == 0.
Proof. unfold mass. induction m as [|m IH]; simpl; [|rewrite IH]; reflexivity. Qed.

Lemma mass_non_negative ws : non_negative ws -> 0 <= mass ws.
Proof. unfold mass. induction 1; simpl; lra. Qed.

Lemma mass_firstn ws r s : non_negative ws -> (r <= s)%nat -> mass (firstn r ws) <= mass (firstn s ws).
Proof.
  intros H. revert r s. induction H as [|w ws Hw H IH]; intros [|r] [|s] L; simpl; try lra; try lia.
  - apply (mass_non_negative (w :: firstn s ws)). constructor; [exact Hw|]. rewrite <- (firstn_skipn s ws) in H.
    apply Forall_app in H. tauto.
  - unfold mass in *. simpl. specialize (IH r s ltac:(lia)). lra.
Qed.

Lemma mass_all ws r : (length ws <= r)%nat -> mass (firstn r ws) = mass ws.
Proof. intros H. rewrite firstn_all2 by exact H. reflexivity. Qed.

(** What stays is a prefix of the ranks. *)
Theorem nucleus_prefix top_p ws : non_negative ws ->
  filter (keeps top_p ws) (seq 0 (length ws)) = seq 0 (size top_p ws).
Proof.
  intros H. apply filter_prefix. intros r s L. rewrite !keeps_spec. pose proof (mass_firstn ws r s H L). lra.
Qed.

Lemma keeps_below_size top_p ws r : non_negative ws -> (r < length ws)%nat ->
  keeps top_p ws r = true <-> (r < size top_p ws)%nat.
Proof.
  intros H L. transitivity (In r (filter (keeps top_p ws) (seq 0 (length ws)))).
  - rewrite filter_In, in_seq. intuition lia.
  - rewrite nucleus_prefix, in_seq by exact H. lia.
Qed.

(** At least the first rank stays. *)
Theorem nucleus_non_empty top_p ws : 0 < top_p -> 0 < mass ws -> (0 < size top_p ws)%nat.
Proof.
  intros P M. assert (K : keeps top_p ws 0 = true) by (apply keeps_spec; unfold mass at 1; simpl; nra).
  destruct ws as [|w ws]; [unfold mass in M; simpl in M; lra|].
  unfold size, number. simpl. rewrite K. simpl. lia.
Qed.

(** What stays reaches top_p of the mass, and no shorter prefix does. *)
Theorem nucleus_minimal top_p ws : non_negative ws -> top_p <= 1 ->
  top_p * mass ws <= mass (firstn (size top_p ws) ws) /\
  forall r, (r < size top_p ws)%nat -> mass (firstn r ws) < top_p * mass ws.
Proof.
  intros H P. assert (L : (size top_p ws <= length ws)%nat).
  { rewrite <- (seq_length (length ws) 0). apply number_length. }
  split.
  - destruct (Nat.eq_dec (size top_p ws) (length ws)) as [E|E].
    + rewrite mass_all by lia. pose proof (mass_non_negative ws H). nra.
    + apply Qnot_lt_le. rewrite <- keeps_spec, keeps_below_size by (auto; lia). lia.
  - intros r R. apply keeps_spec, keeps_below_size; auto; lia.
Qed.

Definition descending (a b : Q) : Prop := b <= a.

(** The weights that a choice of ranks selects. *)
Fixpoint chosen (choice : list bool) (ws : list Q) : list Q :=
  match choice, ws with c :: choice, w :: ws => (if c then [w] else []) ++ chosen choice ws | _, _ => [] end.

Lemma firstn_larger w ws k : 0 <= w -> non_negative ws -> Forall (fun v => v <= w) ws -> StronglySorted descending ws ->
  mass (firstn k ws) <= mass (firstn k (w :: ws)).
Proof.
  intros W N A S. revert w k W A. induction S as [|v ws S IH A']; intros w [|k] W A;
    simpl; rewrite ?firstn_nil; try (unfold mass; simpl; lra).
  inversion N as [|? ? Nv Nws]; inversion A as [|? ? V _]; subst.
  specialize (IH Nws v k Nv A'). unfold mass in *. simpl in *. lra.
Qed.

Lemma first_are_largest choice ws : non_negative ws -> StronglySorted descending ws ->
  mass (chosen choice ws) <= mass (firstn (length (chosen choice ws)) ws).
Proof.
  intros N S. revert choice. induction S as [|w ws S IH A]; intros [|c choice]; simpl; try (unfold mass; simpl; lra).
  inversion N as [|? ? Nw Nws]; subst. specialize (IH Nws choice). destruct c; simpl.
  - unfold mass in *. simpl. lra.
  - apply (Qle_trans _ _ _ IH), firstn_larger; assumption.
Qed.

(** Of descending weights, no fewer tokens of any choice reach top_p of the mass. *)
Theorem nucleus_fewest top_p ws choice : non_negative ws -> top_p <= 1 -> StronglySorted descending ws ->
  top_p * mass ws <= mass (chosen choice ws) -> (size top_p ws <= length (chosen choice ws))%nat.
Proof.
  intros N P S R. apply Nat.le_ngt. intros L. apply (proj2 (nucleus_minimal top_p ws N P)) in L.
  pose proof (first_are_largest choice ws N S). lra.
Qed.

(** A larger top_p keeps no fewer ranks. *)
Theorem nucleus_monotone top_p top_p' ws : non_negative ws -> top_p <= top_p' -> (size top_p ws <= size top_p' ws)%nat.
Proof.
  intros H P. apply number_le. intros r _. rewrite !keeps_spec. pose proof (mass_non_negative ws H). nra.
Qed.

(** Ranks of weight 0 after the others do not count, at top_p = 1 either: the mass before them is the total. *)
Theorem nucleus_padding top_p ws m : non_negative ws -> top_p <= 1 -> size top_p (ws ++ repeat 0 m) = size top_p ws.
Proof.
  intros H P. assert (M : mass (ws ++ repeat 0 m) == mass ws) by (rewrite mass_app, mass_zeros; ring).
  unfold size, number. rewrite app_length, seq_app, filter_app, app_length, (filter_none _ (seq (0 + length ws) _)).
  - rewrite Nat.add_0_r. f_equal. apply filter_ext_in. intros r I%in_seq. apply eq_true_iff_eq.
    rewrite !keeps_spec, M, firstn_app. replace (r - length ws)%nat with 0%nat by lia.
    rewrite firstn_O, app_nil_r. reflexivity.
  - intros r I%in_seq. apply not_true_iff_false. rewrite keeps_spec, M, firstn_app, mass_app, mass_all by lia.
    pose proof (mass_non_negative ws H). assert (0 <= mass (firstn (r - length ws) (repeat 0 m))); [|nra].
    apply mass_non_negative, Forall_forall. intros w I'. replace w with 0; [lra|].
    symmetry. apply (repeat_spec m). rewrite <- (firstn_skipn (r - length ws)). apply in_app_iff. auto.
Qed.

(** One joint cut with top-k: the first min(k, size) ranks (spec 2.4). *)
Theorem joint_cut top_p ws k : non_negative ws ->
  filter (fun r => keeps top_p ws r && (r <? k)%nat) (seq 0 (length ws)) = seq 0 (min k (size top_p ws)).
Proof.
  intros H. rewrite <- filter_below, <- (nucleus_prefix top_p ws H). generalize (seq 0 (length ws)) as l. clear.
  induction l as [|r l IH]; simpl; [reflexivity|].
  destruct (keeps top_p ws r); simpl; [destruct (r <? k)%nat|]; rewrite IH; reflexivity.
Qed.

(** A token's rank in Ranks.v is its place in any list of the tokens in rank order. *)
Theorem place_is_rank w V before x after : Permutation (before ++ x :: after) V ->
  StronglySorted (fun a b => outranks w a b = true) (before ++ x :: after) -> rank w V x = length before.
Proof.
  intros P S. unfold rank. rewrite <- (number_permutation _ _ _ P). clear P. unfold number.
  induction before as [|y before IH]; simpl in *.
  - rewrite outranks_irreflexive. inversion S as [|? ? _ A]; subst. rewrite filter_none; [reflexivity|].
    intros y I. rewrite Forall_forall in A. specialize (A y I). apply not_true_iff_false. intros B.
    pose proof (outranks_transitive w _ _ _ A B) as C. rewrite outranks_irreflexive in C. discriminate.
  - inversion S as [|? ? S' A]; subst. rewrite Forall_forall in A.
    rewrite (A x) by (apply in_app_iff; simpl; auto). simpl. rewrite (IH S'). reflexivity.
Qed.

(** The hypotheses can hold, and the cut is strict: at a tie of mass before and top_p of the total the rank goes; rank 3 stays
    only above 7/8, and the ranks of weight 0 never. *)
Definition example_ranked : list Q := [4; 2; 1; 1].

Example nucleus_satisfiable : non_negative example_ranked /\ StronglySorted descending example_ranked /\
  0 < mass example_ranked /\
  map (fun top_p => size top_p (example_ranked ++ repeat 0 3)) [1 # 8; 1 # 2; 5 # 8; 3 # 4; 7 # 8; 9 # 10; 1]
    = [1; 1; 2; 2; 3; 4; 4]%nat.
Proof. split; [|split; [|split; [reflexivity | vm_compute; reflexivity]]]; repeat constructor; discriminate. Qed.

Example place_is_rank_satisfiable : Permutation ([1; 2] ++ 5 :: [4; 0; 7; 3; 6])%nat (seq 0 8) /\
  StronglySorted (fun a b => outranks example_weight a b = true) ([1; 2] ++ 5 :: [4; 0; 7; 3; 6])%nat.
Proof.
  split; [|simpl; repeat constructor].
  apply NoDup_Permutation_bis; [|simpl; lia|intros x; simpl; tauto]. repeat (constructor; [simpl; lia|]). constructor.
Qed.
