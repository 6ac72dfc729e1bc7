(** Counting: sums of natural numbers over lists, over draws and over vectors of draws, and how many of a list pass a test.

    No promise of its own: what OneDraw.v, OneDrawChain.v, Ranks.v and Nucleus.v count with. *)

From Coq Require Import List Arith Lia Permutation.
Import ListNotations.

(** * Sums *)

Definition sum {A} (l : list A) (f : A -> nat) : nat := fold_right (fun x s => f x + s) 0 l.

Lemma sum_ext {A} (l : list A) f g : (forall x, In x l -> f x = g x) -> sum l f = sum l g.
Proof.
  induction l as [|x l IH]; intros H; simpl; [reflexivity|].
  rewrite (H x) by (left; reflexivity). rewrite IH by (intros; apply H; right; assumption). reflexivity.
Qed.

Lemma sum_plus {A} (l : list A) f g : sum l (fun x => f x + g x) = sum l f + sum l g.
Proof. induction l as [|x l IH]; simpl; [|rewrite IH]; lia. Qed.

Lemma sum_scale {A} (l : list A) c f : sum l (fun x => c * f x) = c * sum l f.
Proof. induction l as [|x l IH]; simpl; [|rewrite IH]; lia. Qed.

Lemma sum_const {A} (l : list A) c : sum l (fun _ => c) = length l * c.
Proof. induction l as [|x l IH]; simpl; [|rewrite IH]; lia. Qed.

Lemma sum_app {A} (l m : list A) f : sum (l ++ m) f = sum l f + sum m f.
Proof. induction l as [|x l IH]; simpl; [|rewrite IH]; lia. Qed.

Lemma sum_map {A B} (h : A -> B) l f : sum (map h l) f = sum l (fun x => f (h x)).
Proof. induction l as [|x l IH]; simpl; [|rewrite IH]; lia. Qed.

Lemma sum_flat_map {A B} (h : A -> list B) l f : sum (flat_map h l) f = sum l (fun x => sum (h x) f).
Proof. induction l as [|x l IH]; simpl; [|rewrite sum_app, IH]; lia. Qed.

Lemma sum_permutation {A} (l m : list A) f : Permutation l m -> sum l f = sum m f.
Proof. induction 1; simpl; lia. Qed.

Lemma sum_filter {A} (l : list A) h : sum (filter (fun x => 0 <? h x) l) h = sum l h.
Proof. induction l as [|x l IH]; simpl; [|destruct (Nat.ltb_spec 0 (h x)); simpl]; lia. Qed.

Lemma sum_zero {A} (l : list A) f : (forall x, In x l -> f x = 0) -> sum l f = 0.
Proof. intros H. rewrite (sum_ext l f (fun _ => 0)) by exact H. rewrite sum_const. lia. Qed.

(** Two lists without repetitions that both hold the support have one sum. *)
Lemma sum_support {A} (l m : list A) h : NoDup l -> NoDup m ->
  (forall x, 0 < h x -> In x l) -> (forall x, 0 < h x -> In x m) -> sum l h = sum m h.
Proof.
  intros Hl Hm Il Im. rewrite <- (sum_filter l), <- (sum_filter m). apply sum_permutation.
  apply NoDup_Permutation; try (apply NoDup_filter; assumption).
  intros x. rewrite !filter_In, !Nat.ltb_lt. split; intros [_ H]; auto.
Qed.

Lemma sum_of_ones {A} (l : list A) f : (forall x, f x <= 1) -> sum l f = length l -> forall x, In x l -> f x = 1.
Proof.
  intros H. assert (sum_le : forall l, sum l f <= length l).
  { intros m. induction m as [|x m IH]; simpl; [|specialize (H x)]; lia. }
  induction l as [|x l IH]; simpl; intros E y; [tauto|].
  pose proof (H x). pose proof (sum_le l). intros [<-|I]; [|apply IH; [|exact I]]; lia.
Qed.

(** The first n of n + m draws, and the others as if they began at 0. *)
Lemma sum_draws n m f : sum (seq 0 (n + m)) f = sum (seq 0 n) f + sum (seq 0 m) (fun j => f (n + j)).
Proof.
  rewrite seq_app, sum_app. f_equal. simpl.
  assert (E : forall m a, sum (seq (n + a) m) f = sum (seq a m) (fun j => f (n + j))).
  { clear m. induction m as [|m IH]; intros a; simpl; [reflexivity|]. rewrite <- IH, Nat.add_succ_r. reflexivity. }
  rewrite <- E, Nat.add_0_r. reflexivity.
Qed.

(** * Vectors of draws *)

(** All vectors of n draws below D. *)
Fixpoint vectors (D n : nat) : list (list nat) :=
  match n with O => [[]] | S n => flat_map (fun r => map (cons r) (vectors D n)) (seq 0 D) end.

Lemma sum_vectors D n f : sum (vectors D (S n)) f = sum (seq 0 D) (fun r => sum (vectors D n) (fun rs => f (r :: rs))).
Proof. simpl. rewrite sum_flat_map. apply sum_ext. intros. apply sum_map. Qed.

Lemma sum_vectors_app D n m f :
  sum (vectors D (n + m)) f = sum (vectors D n) (fun rs => sum (vectors D m) (fun ss => f (rs ++ ss))).
Proof.
  revert f. induction n as [|n IH]; intros f; [symmetry; apply Nat.add_0_r|]. simpl plus.
  rewrite !sum_vectors. apply sum_ext. intros r _. rewrite IH. reflexivity.
Qed.

Lemma vectors_length D n : length (vectors D n) = D ^ n.
Proof.
  rewrite <- (Nat.mul_1_r (length _)), <- sum_const. induction n as [|n IH]; [reflexivity|].
  rewrite sum_vectors, sum_const, seq_length, IH. reflexivity.
Qed.

Lemma in_vectors D n rs : In rs (vectors D n) -> length rs = n.
Proof.
  revert rs. induction n as [|n IH]; simpl; intros rs; [intros [<-|[]]; reflexivity|].
  rewrite in_flat_map. intros (r & _ & (ss & <- & H)%in_map_iff). simpl. auto.
Qed.

Lemma sum_unused D n c : sum (vectors D n) (fun _ => c) = D ^ n * c.
Proof. rewrite sum_const, vectors_length. reflexivity. Qed.

(** * Numbers of what passes a test *)

(** How many of a list pass. *)
Definition number {A} (b : A -> bool) (l : list A) : nat := length (filter b l).

Lemma sum_number {A} (l : list A) b : number b l = sum l (fun x => if b x then 1 else 0).
Proof. unfold number. induction l as [|x l IH]; simpl; [|destruct (b x); simpl]; lia. Qed.

Lemma number_le {A} (b c : A -> bool) l : (forall x, In x l -> b x = true -> c x = true) -> number b l <= number c l.
Proof.
  unfold number. induction l as [|x l IH]; intros H; simpl; [lia|].
  assert (IH' : number b l <= number c l) by (apply IH; intros; apply H; simpl; auto). unfold number in IH'.
  pose proof (H x (or_introl eq_refl)). destruct (b x), (c x); simpl; lia || discriminate (H0 eq_refl).
Qed.

Lemma number_length {A} (b : A -> bool) l : number b l <= length l.
Proof. unfold number. induction l as [|x l IH]; simpl; [|destruct (b x); simpl]; lia. Qed.

Lemma number_lt {A} (b c : A -> bool) l a : (forall x, In x l -> b x = true -> c x = true) ->
  In a l -> b a = false -> c a = true -> number b l < number c l.
Proof.
  intros H (l1 & l2 & ->)%in_split Ba Ca. unfold number. rewrite !filter_app, !app_length. simpl. rewrite Ba, Ca. simpl.
  assert (number b l1 <= number c l1) by (apply number_le; intros; apply H; [apply in_app_iff|]; auto).
  assert (number b l2 <= number c l2) by (apply number_le; intros; apply H; [apply in_app_iff; simpl|]; auto).
  unfold number in *. lia.
Qed.

Lemma filter_permutation {A} (b : A -> bool) l m : Permutation l m -> Permutation (filter b l) (filter b m).
Proof.
  induction 1; simpl; [constructor | | | eauto using Permutation_trans].
  - destruct (b x); [constructor|]; assumption.
  - destruct (b x), (b y); try apply Permutation_refl. constructor.
Qed.

Lemma number_permutation {A} (b : A -> bool) l m : Permutation l m -> number b l = number b m.
Proof. intros H. apply Permutation_length, filter_permutation, H. Qed.

Lemma filter_none {A} (b : A -> bool) l : (forall x, In x l -> b x = false) -> filter b l = [].
Proof.
  induction l as [|x l IH]; intros H; simpl; [reflexivity|].
  rewrite (H x), IH by (intros; try apply H; simpl; auto). reflexivity.
Qed.

Lemma nodup_map {A B} (h : A -> B) l : (forall x y, In x l -> In y l -> h x = h y -> x = y) -> NoDup l -> NoDup (map h l).
Proof.
  induction l as [|x l IH]; intros H N; simpl; [constructor|]. inversion N as [|? ? O M]; subst. constructor.
  - intros (y & E & I)%in_map_iff. apply O. rewrite (H x y); simpl; auto.
  - apply IH; [intros; apply H; simpl; auto | exact M].
Qed.

Lemma filter_below k n : filter (fun r => r <? k) (seq 0 n) = seq 0 (min k n).
Proof.
  induction n as [|n IH]; [rewrite Nat.min_0_r; reflexivity|].
  rewrite seq_S, filter_app, IH. simpl. destruct (Nat.ltb_spec n k).
  - rewrite (Nat.min_r k n), (Nat.min_r k (S n)) by lia. symmetry. apply seq_S.
  - rewrite (Nat.min_l k n), (Nat.min_l k (S n)) by lia. apply app_nil_r.
Qed.

(** Where a test holds for whatever is before what it holds for, it selects a prefix. *)
Lemma filter_prefix b n : (forall r s, (r <= s)%nat -> b s = true -> b r = true) ->
  filter b (seq 0 n) = seq 0 (number b (seq 0 n)).
Proof.
  intros H. unfold number. induction n as [|n IH]; [reflexivity|]. rewrite seq_S, filter_app, app_length. simpl.
  destruct (b n) eqn:E; simpl; [|rewrite app_nil_r, Nat.add_0_r; exact IH].
  replace (filter b (seq 0 n)) with (seq 0 n); [rewrite seq_length, <- seq_S; f_equal; lia|].
  clear IH. rewrite <- (filter_ext_in (fun _ => true)).
  - induction (seq 0 n) as [|x l IH]; simpl; congruence.
  - intros r I%in_seq. symmetry. apply (H r n); [lia | exact E].
Qed.
