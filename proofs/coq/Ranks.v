(** Ranks and cuts (spec 2.2 and 2.4; reference/filters.py; docs/integer-core.md, section 3).

    Tokens rank by weight, descending, and by id where weights tie. Promise: top-k keeps exactly k of them, ties included, and
    the tokens of the blocks with the largest maxima are enough to find them. The other cut is in Nucleus.v. *)

From Coq Require Import QArith List Arith Lia Lqa Permutation Bool.
Require Import Counting.
Import ListNotations.
Open Scope nat_scope.

(** * Ranks *)

Section Ranks.
  Variable w : nat -> Q.

  (** The larger weight ranks before the smaller, the lower id before the higher where they are equal (spec 2.2). *)
  Definition outranks (a b : nat) : bool := negb (Qle_bool (w a) (w b)) || (Qeq_bool (w a) (w b) && (a <? b)).

  Lemma outranks_spec a b : outranks a b = true <-> (w b < w a)%Q \/ (w a == w b)%Q /\ a < b.
  Proof.
    unfold outranks. rewrite orb_true_iff, andb_true_iff, negb_true_iff, Nat.ltb_lt, Qeq_bool_iff.
    rewrite <- not_true_iff_false, Qle_bool_iff. split; intros [H|H]; auto; left; lra.
  Qed.

  Lemma outranks_irreflexive a : outranks a a = false.
  Proof. apply not_true_iff_false. rewrite outranks_spec. intros [H|[_ H]]; [lra | lia]. Qed.

  Lemma outranks_transitive a b c : outranks a b = true -> outranks b c = true -> outranks a c = true.
  Proof. rewrite !outranks_spec. intros [H|[H I]] [J|[J K]]; try (left; lra). right. split; [lra | lia]. Qed.

  Lemma outranks_total a b : a <> b -> outranks a b = true \/ outranks b a = true.
  Proof.
    rewrite !outranks_spec. intros H. destruct (Q_dec (w a) (w b)) as [[L|L]|E]; auto.
    destruct (Nat.lt_gt_cases a b) as [[I|I] _]; [exact H | |]; [left | right]; right; split; auto; lra.
  Qed.

  (** How many tokens of V rank before x. *)
  Definition rank (V : list nat) (x : nat) : nat := number (fun y => outranks y x) V.

  (** The tokens of V that fewer than k tokens of V outrank. *)
  Definition top (k : nat) (V : list nat) : list nat := filter (fun x => rank V x <? k) V.

  Lemma in_top k V x : In x (top k V) <-> In x V /\ rank V x < k.
  Proof. unfold top. rewrite filter_In, Nat.ltb_lt. reflexivity. Qed.

  Lemma rank_lt V x y : In x V -> outranks x y = true -> rank V x < rank V y.
  Proof.
    intros I H. apply (number_lt _ _ _ x); auto using outranks_irreflexive.
    intros z _ Hz. apply (outranks_transitive z x y); assumption.
  Qed.

  Lemma rank_below V x : In x V -> rank V x < length V.
  Proof.
    intros I. replace (length V) with (number (fun _ => true) V).
    - apply (number_lt _ _ _ x); auto using outranks_irreflexive.
    - unfold number. f_equal. clear I. induction V as [|y V IH]; simpl; [|rewrite IH]; reflexivity.
  Qed.

  (** Every rank below the number of tokens is taken by one token: ties do not merge ranks. *)
  Lemma ranks_are_all V : NoDup V -> Permutation (map (rank V) V) (seq 0 (length V)).
  Proof.
    intros N. apply NoDup_Permutation_bis.
    - apply nodup_map; [|exact N]. intros x y Ix Iy E.
      destruct (Nat.eq_dec x y) as [|D]; [assumption|]. exfalso.
      destruct (outranks_total x y D) as [H|H]; apply (rank_lt V) in H; auto; lia.
    - rewrite map_length, seq_length. reflexivity.
    - intros r (x & <- & I)%in_map_iff. apply in_seq. pose proof (rank_below V x I). lia.
  Qed.

  (** Top-k keeps exactly min(k, n) tokens, and every kept one outranks every other. *)
  Theorem top_k k V : NoDup V ->
    length (top k V) = min k (length V) /\
    forall x y, In x (top k V) -> In y V -> ~ In y (top k V) -> outranks x y = true.
  Proof.
    intros N. split.
    - transitivity (number (fun r => r <? k) (map (rank V) V)).
      + unfold top, number. generalize (rank V) as f. intros f. generalize V. clear.
        induction V as [|x V IH]; simpl; [reflexivity|]. destruct (f x <? k); simpl; rewrite IH; reflexivity.
      + rewrite (number_permutation _ _ _ (ranks_are_all V N)). unfold number.
        rewrite filter_below, seq_length. reflexivity.
    - intros x y [Ix Hx]%in_top Iy Hy. rewrite in_top in Hy.
      assert (D : x <> y) by (intros <-; tauto).
      destruct (outranks_total x y D) as [H|H]; [exact H|]. apply (rank_lt V) in H; [|exact Iy].
      exfalso. apply Hy. split; [exact Iy | lia].
  Qed.

  (** * Block maxima *)

  Definition reaches (v : Q) (x : nat) : bool := Qle_bool v (w x).

  (** R blocks with a maximum of at least v hold R tokens of at least v. *)
  Lemma reached_by_blocks v blocks : number (existsb (reaches v)) blocks <= number (reaches v) (concat blocks).
  Proof.
    unfold number. induction blocks as [|b blocks IH]; simpl; [lia|].
    rewrite filter_app, app_length. destruct (existsb (reaches v) b) eqn:E; simpl; [|lia].
    apply existsb_exists in E. destruct E as (x & I & H).
    assert (J : In x (filter (reaches v) b)) by (apply filter_In; auto).
    destruct (filter (reaches v) b); [destruct J | simpl; lia].
  Qed.

  (** V is split in blocks; R tokens of the chosen ones reach v, and no token of a block left out does. Then each of the first
      R ranks is in a chosen block, and for k <= R the first k of the chosen tokens alone are the first k of all. *)
  Theorem block_maxima V chosen left_out v R :
    Permutation (concat (chosen ++ left_out)) V ->
    R <= number (reaches v) (concat chosen) ->
    (forall block x, In block left_out -> In x block -> (w x < v)%Q) ->
    (forall x, In x V -> rank V x < R -> In x (concat chosen)) /\
    (forall k, k <= R -> Permutation (top k (concat chosen)) (top k V)).
  Proof.
    intros P HR Hout. set (C := concat chosen) in *. set (O := concat left_out).
    rewrite concat_app in P. fold C O in P.
    assert (out : forall x, In x O -> (w x < v)%Q) by (intros x (b & Ib & Ix)%in_concat; eauto).
    assert (split : forall x, rank V x = rank C x + rank O x).
    { intros x. unfold rank. rewrite <- (number_permutation _ _ _ P). unfold number.
      rewrite filter_app, app_length. reflexivity. }
    assert (behind : forall x, (w x < v)%Q -> R <= rank C x).
    { intros x H. apply (Nat.le_trans _ _ _ HR). apply number_le. intros y _ Hy. apply Qle_bool_iff in Hy.
      apply outranks_spec. left. lra. }
    assert (same : forall x, In x C -> rank C x < R -> rank V x = rank C x).
    { intros x I H. rewrite split. unfold rank at 2, number. rewrite filter_none; [simpl; lia|].
      intros y Iy. apply not_true_iff_false. rewrite outranks_spec. apply out in Iy. intros J.
      assert (B : (w x < v)%Q) by (destruct J as [J|[J _]]; lra). apply behind in B. lia. }
    assert (inside : forall x, In x V -> rank V x < R -> In x C).
    { intros x I H. apply (Permutation_in x (Permutation_sym P)), in_app_iff in I. destruct I as [I|I]; [exact I|].
      apply out, behind in I. rewrite split in H. lia. }
    split; [exact inside|]. intros k Hk. unfold top.
    apply (Permutation_trans (l' := filter (fun x => rank V x <? k) (C ++ O))); [|apply filter_permutation; exact P].
    rewrite filter_app, (filter_none _ O), app_nil_r.
    - erewrite filter_ext_in; [apply Permutation_refl|].
      intros x I. simpl. specialize (split x).
      destruct (Nat.ltb_spec (rank C x) R) as [H|H]; [rewrite (same x I H); reflexivity|].
      rewrite (proj2 (Nat.ltb_ge (rank C x) k)), (proj2 (Nat.ltb_ge (rank V x) k)) by lia. reflexivity.
    - intros x I. specialize (split x). apply out, behind in I. apply Nat.ltb_ge. lia.
  Qed.
End Ranks.

(** The hypotheses can hold, with ties: tokens 1, 2 and 5 weigh 3; of four blocks two are chosen, and the first 3 of 8 found. *)
Definition example_weight (x : nat) : Q := nth x [1; 3; 3; 0; 2; 3; 0; 1]%Q 0%Q.

Example top_k_satisfiable : NoDup (seq 0 8) /\ top example_weight 2 (seq 0 8) = [1; 2] /\
  top example_weight 3 (seq 0 8) = [1; 2; 5] /\ length (top example_weight 9 (seq 0 8)) = 8.
Proof. split; [apply seq_NoDup | vm_compute; auto]. Qed.

Example block_maxima_satisfiable : let chosen := [[1; 5]; [2; 6]] in let left_out := [[0; 4]; [3; 7]] in
  Permutation (concat (chosen ++ left_out)) (seq 0 8) /\ 3 <= number (reaches example_weight 3%Q) (concat chosen) /\
  (forall block x, In block left_out -> In x block -> (example_weight x < 3)%Q) /\
  top example_weight 3 (concat chosen) = [1; 5; 2].
Proof.
  simpl. repeat split.
  - apply NoDup_Permutation_bis; [|simpl; lia|intros x; simpl; tauto].
    repeat (constructor; [simpl; lia|]). constructor.
  - vm_compute. lia.
  - intros block x [<-|[<-|[]]] H; simpl in H; intuition; subst; reflexivity.
Qed.
