(** Chains of one-draw verification (docs/integer-core.md, section 5, A chain; reference/dyadic.py, verify_chain).

    K + 1 draws give K drafts, each the owner of its draw after the ones before; then each is judged with the same draw. The
    first rejection ends the block with its deficit token, full acceptance with the bonus, the last draw's owner in the
    target. Promise: over all draws, blocks followed by plain decoding with fresh draws have the joint law of plain decoding.
    Rows depend on the whole prefix, and drafts may remember every earlier draw, those of discarded drafts too. *)

From Coq Require Import List Arith Lia.
Require Import Counting OneDraw.
Import ListNotations.

Lemma split_draws {A} n (rs ss : list A) : length rs = n -> firstn n (rs ++ ss) = rs /\ skipn n (rs ++ ss) = ss.
Proof.
  intros <-. rewrite firstn_app, skipn_app, Nat.sub_diag, firstn_all, skipn_all, firstn_O, skipn_O, app_nil_r. auto.
Qed.

Definition listed {A} (found : option A) : list A := match found with Some x => [x] | None => [] end.

Section Chain.
  Context {T : Type}.
  Implicit Types (prefix xs : list T) (row target draft : list T -> dyadic T) (rs ss draws : list nat) (F : list T -> nat).

  (** Plain decoding: one token a draw, its owner in the row after the tokens before. *)
  Fixpoint plain target prefix rs : list T :=
    match rs with
    | [] => []
    | r :: rs => match owner (target prefix) r with Some x => x :: plain target (prefix ++ [x]) rs | None => [] end
    end.

  (** The rows after the prefix, after one token of xs, and so on. *)
  Fixpoint rows row prefix xs : list (dyadic T) :=
    row prefix :: match xs with [] => [] | x :: xs => rows row (prefix ++ [x]) xs end.

  (** K + 1 targets, K drafts and K + 1 draws -> the tokens emitted. *)
  Fixpoint verify_chain (ps qs : list (dyadic T)) rs : list T :=
    match ps, qs, rs with
    | p :: ps, q :: qs, r :: rs =>
      match verify p q r with
      | Some (y, true) => y :: verify_chain ps qs rs
      | Some (y, false) => [y]
      | None => []
      end
    | p :: _, [], r :: _ => listed (owner p r)
    | _, _, _ => []
    end.

  (** A block: all but the last draw give drafts, drawn as plain decoding of the draft; then all draws verify. *)
  Definition block target draft prefix rs : list T :=
    let xs := plain draft prefix (removelast rs) in
    verify_chain (rows target prefix xs) (removelast (rows draft prefix xs)) rs.

  Lemma rows_cons row prefix xs : exists p ps, rows row prefix xs = p :: ps.
  Proof. destruct xs; simpl; eauto. Qed.

  (** Verification needs a draft only where those before it were accepted. *)
  Lemma block_step target draft prefix r rs : rs <> [] -> owner (draft prefix) r <> None ->
    block target draft prefix (r :: rs) =
      match verify (target prefix) (draft prefix) r with
      | Some (y, true) => y :: block target draft (prefix ++ [y]) rs
      | Some (y, false) => [y]
      | None => []
      end.
  Proof.
    intros H O. unfold block. destruct rs as [|r' rs]; [congruence|].
    change (removelast (r :: r' :: rs)) with (r :: removelast (r' :: rs)). simpl plain.
    destruct (owner (draft prefix) r) as [x|] eqn:E; [|congruence].
    set (xs := plain draft (prefix ++ [x]) _). simpl rows. destruct (rows_cons draft (prefix ++ [x]) xs) as (q & qs & R).
    rewrite R. change (removelast (draft prefix :: q :: qs)) with (draft prefix :: removelast (q :: qs)). rewrite <- R.
    simpl. destruct (verify _ _ r) as [[y []]|] eqn:A; try reflexivity.
    apply accepted_is_draft in A. rewrite A in E. injection E as ->. reflexivity.
  Qed.

  (** Blocks of the given lengths, each with its own draws, then plain decoding with the draws that are left. *)
  Fixpoint decode target (draft : list nat -> list T -> dyadic T) (lengths : list nat) memory prefix draws : list T :=
    match lengths with
    | [] => plain target prefix draws
    | K :: lengths =>
      let rs := firstn (S K) draws in
      let b := block target (draft memory) prefix rs in
      b ++ decode target draft lengths (memory ++ rs) (prefix ++ b) (skipn (S K) draws)
    end.

  Section Law.
    Variables (D : nat) (target : list T -> dyadic T).
    Hypothesis target_law : forall prefix, dyadic_law D (target prefix).

    (** The first G tokens that n draws decode have the law of plain decoding: equal means over all vectors of draws. *)
    Definition as_plain (G n : nat) prefix (tokens : list nat -> list T) : Prop := forall F,
      D ^ G * sum (vectors D n) (fun ss => F (firstn G (tokens ss))) =
      D ^ n * sum (vectors D G) (fun us => F (plain target prefix us)).

    Lemma no_tokens n prefix tokens : as_plain 0 n prefix tokens.
    Proof. intros F. simpl. rewrite sum_unused. lia. Qed.

    (** A row of the target followed by plain decoding. *)
    Lemma sum_plain G prefix F : sum (vectors D (S G)) (fun us => F (plain target prefix us)) =
      sum (tokens (target prefix)) (fun y => count (target prefix) y *
        sum (vectors D G) (fun us => F (y :: plain target (prefix ++ [y]) us))).
    Proof.
      rewrite sum_vectors. destruct (target_law prefix) as (N & I & E). rewrite <- sum_owner, E. apply sum_ext.
      intros r Hr%in_seq. simpl. destruct (owner_some D (target prefix) r) as (y & ->); auto. lia.
    Qed.

    (** Draws beyond the tokens that are wanted do no harm. *)
    Lemma plain_as_plain G n prefix : G <= n -> as_plain G n prefix (plain target prefix).
    Proof.
      revert n prefix. induction G as [|G IH]; intros n prefix H F; [apply no_tokens|].
      destruct n as [|n]; [lia|]. rewrite sum_vectors, sum_plain.
      destruct (target_law prefix) as (N & I & E). rewrite <- sum_owner, E, <- !sum_scale. apply sum_ext.
      intros r Hr%in_seq. simpl plain. destruct (owner_some D (target prefix) r) as (y & ->); [apply target_law | lia |].
      simpl. rewrite <- !Nat.mul_assoc. f_equal. apply (IH n (prefix ++ [y]) ltac:(lia) (fun ys => F (y :: ys))).
    Qed.

    (** A block, then whatever decodes as plain decoding from where the block ended, whatever it remembers of the draws. *)
    Lemma block_as_plain draft K G n prefix (rest : list nat -> list T -> list nat -> list T) :
      (forall prefix, dyadic_law D (draft prefix)) ->
      (forall rs prefix G', G' < G -> as_plain G' n prefix (rest rs prefix)) ->
      as_plain G (S K + n) prefix (fun draws =>
        let rs := firstn (S K) draws in
        let b := block target draft prefix rs in b ++ rest rs (prefix ++ b) (skipn (S K) draws)).
    Proof.
      intros draft_law. revert G prefix rest. induction K as [|K IH]; intros [|G] prefix rest rest_law F;
        [apply no_tokens | | apply no_tokens |]; rewrite sum_vectors_app, sum_vectors, sum_plain.
      all: change (D ^ S G) with (D * D ^ G); rewrite <- Nat.mul_assoc, <- sum_scale.
      - transitivity (D * (D ^ n * sum (tokens (target prefix)) (fun y => count (target prefix) y *
          sum (vectors D G) (fun us => F (y :: plain target (prefix ++ [y]) us))))); [|simpl; nia].
        f_equal. rewrite <- sum_owner, <- sum_scale. destruct (target_law prefix) as (_ & _ & ->). apply sum_ext.
        intros r Hr%in_seq. destruct (owner_some D (target prefix) r) as (y & E); [apply target_law | lia |].
        simpl. rewrite Nat.add_0_r. unfold block. simpl. rewrite E. simpl.
        apply (rest_law [r] (prefix ++ [y]) G ltac:(lia) (fun ys => F (y :: ys))).
      - transitivity (D * (D ^ (S K + n) * sum (tokens (target prefix)) (fun y => count (target prefix) y *
          sum (vectors D G) (fun us => F (y :: plain target (prefix ++ [y]) us))))); [|simpl; nia].
        f_equal. rewrite <- (one_draw_law D (target prefix) (draft prefix)), <- sum_scale by auto. apply sum_ext.
        intros r Hr%in_seq. unfold emit.
        destruct (verify_some D (target prefix) (draft prefix) r) as ([y a] & E); [auto | auto | lia |].
        rewrite E. cbn [option_map value fst].
        destruct (owner_some D (draft prefix) r) as (x & O); [auto | lia |]. destruct a.
        + rewrite <- (IH G (prefix ++ [y]) (fun rs => rest (r :: rs)) ltac:(intros; apply rest_law; lia)
            (fun ys => F (y :: ys))).
          rewrite sum_vectors_app. f_equal. apply sum_ext. intros rs Hrs. apply sum_ext. intros ss _.
          apply in_vectors in Hrs. f_equal.
          destruct (split_draws (S K) rs ss Hrs) as [-> ->].
          destruct (split_draws (S (S K)) (r :: rs) ss) as [-> ->]; [simpl; congruence|].
          rewrite block_step by (destruct rs; [discriminate Hrs | discriminate] || congruence). rewrite E.
          simpl. rewrite <- app_assoc. reflexivity.
        + transitivity (D ^ S K * (D ^ n * sum (vectors D G) (fun us => F (y :: plain target (prefix ++ [y]) us))));
            [|rewrite Nat.pow_add_r; lia].
          rewrite <- sum_scale, <- sum_unused. apply sum_ext. intros rs Hrs.
          rewrite <- (rest_law (r :: rs) (prefix ++ [y]) G ltac:(lia) (fun ys => F (y :: ys))).
          f_equal. apply sum_ext. intros ss _. apply in_vectors in Hrs.
          destruct (split_draws (S (S K)) (r :: rs) ss) as [-> ->]; [simpl; congruence|].
          rewrite block_step by (destruct rs; [discriminate Hrs | discriminate] || congruence). rewrite E. reflexivity.
    Qed.

    (** All draws of the blocks, and N that are left for plain decoding. *)
    Definition draws_of (lengths : list nat) (N : nat) : nat := fold_right (fun K n => S K + n) N lengths.

    (** Any number of blocks of any lengths, then plain decoding: the first G tokens have the law of plain decoding. *)
    Theorem one_draw_blocks (draft : list nat -> list T -> dyadic T) lengths memory N G prefix :
      (forall memory prefix, dyadic_law D (draft memory prefix)) ->
      G <= length lengths + N -> as_plain G (draws_of lengths N) prefix (decode target draft lengths memory prefix).
    Proof.
      intros draft_law. revert memory G prefix. induction lengths as [|K lengths IH]; intros memory G prefix H.
      - apply plain_as_plain. exact H.
      - apply (block_as_plain (draft memory) K G (draws_of lengths N) prefix
          (fun rs => decode target draft lengths (memory ++ rs))); [apply draft_law|].
        intros rs prefix' G' HG. apply IH. simpl in H. lia.
    Qed.

    (** One block and plain decoding up to K + 1 tokens with K fresh draws: of the D^(K+1) D^K vectors of draws as many give
        each K + 1 tokens (or any sum F of such) as of D^K times the D^(K+1) vectors of plain decoding. *)
    Theorem one_draw_chain draft K prefix F : (forall prefix, dyadic_law D (draft prefix)) ->
      sum (vectors D (S K)) (fun rs => sum (vectors D K) (fun ss =>
        let b := block target draft prefix rs in F (firstn (S K) (b ++ plain target (prefix ++ b) ss)))) =
      D ^ K * sum (vectors D (S K)) (fun us => F (plain target prefix us)).
    Proof.
      intros draft_law. destruct (Nat.eq_dec D 0) as [->|positive]; [simpl; lia|].
      pose proof (block_as_plain draft K (S K) K prefix (fun _ => plain target) draft_law
        ltac:(intros; apply plain_as_plain; lia) F) as E.
      rewrite sum_vectors_app, Nat.pow_add_r, <- Nat.mul_assoc in E.
      apply Nat.mul_cancel_l in E; [|apply Nat.pow_nonzero; exact positive]. rewrite <- E.
      apply sum_ext. intros rs H%in_vectors. apply sum_ext. intros ss _.
      destruct (split_draws (S K) rs ss H) as [-> ->]. reflexivity.
    Qed.
  End Law.
End Chain.

(** The hypotheses can hold, with rows that depend on the prefix, zeros and rejections: draws that accept both drafts, that
    reject the second, that reject the first; and how often of 4^3 4^2 and 4^3 the tokens are 0, 1, 0. *)
Definition example_row (after_0 otherwise : list nat) (prefix : list nat) : dyadic nat :=
  Dyadic [2; 0; 1] (fun x => nth x (if last prefix 0 =? 0 then after_0 else otherwise) 0).
Definition example_target := example_row [1; 2; 1] [3; 1; 0].
Definition example_draft := example_row [2; 0; 2] [1; 1; 2].

Example one_draw_chain_satisfiable :
  (forall prefix, dyadic_law 4 (example_target prefix)) /\ (forall prefix, dyadic_law 4 (example_draft prefix)) /\
  map (block example_target example_draft []) [[0; 2; 1]; [0; 0; 3]; [1; 3; 2]] = [[2; 0; 0]; [2; 0]; [1]] /\
  let F ys := if list_eq_dec Nat.eq_dec ys [0; 1; 0] then 1 else 0 in
  sum (vectors 4 3) (fun rs => sum (vectors 4 2) (fun ss =>
    let b := block example_target example_draft [] rs in F (firstn 3 (b ++ plain example_target b ss)))) = 96 /\
  sum (vectors 4 3) (fun us => F (plain example_target [] us)) = 6.
Proof.
  repeat split; try (repeat constructor; simpl; lia); simpl; unfold example_target, example_draft, example_row;
    try (destruct (last prefix 0 =? 0); simpl; intros; lia);
    try (intros [|[|[|x]]]; destruct (last prefix 0 =? 0); simpl; intros; try lia; destruct x; lia).
  all: vm_compute; reflexivity.
Qed.

(** Two blocks, of two drafts and of one; the last is certain of the other block's second draft, discarded or not. With fresh
    draws each pair of two fair tokens comes from 8 of the 2^5 vectors. *)
Definition fair : dyadic nat := Dyadic [0; 1] (fun x => nth x [1; 1] 0).
Definition one_hot (x : nat) : dyadic nat := Dyadic [x] (fun y => if y =? x then 2 else 0).
Definition remembering (memory prefix : list nat) : dyadic nat :=
  match memory, prefix with [], [] => one_hot 0 | [], _ => fair | _, _ => one_hot (nth 1 memory 0) end.

Example one_draw_blocks_satisfiable :
  dyadic_law 2 fair /\ (forall memory prefix, dyadic_law 2 (remembering memory prefix)) /\
  map (fun ys => number (fun draws =>
      if list_eq_dec Nat.eq_dec (firstn 2 (decode (fun _ => fair) remembering [2; 1] [] [] draws)) ys then true else false)
    (vectors 2 (draws_of [2; 1] 0))) (vectors 2 2) = [8; 8; 8; 8].
Proof.
  assert (law_of_fair : dyadic_law 2 fair).
  { split; [|split]; try (repeat constructor; simpl; lia). intros [|[|[|x]]]; simpl; lia. }
  assert (law_of_one_hot : forall x, dyadic_law 2 (one_hot x)).
  { intros x. unfold dyadic_law. simpl. rewrite Nat.eqb_refl. repeat split; [repeat constructor; simpl; lia|].
    intros y. destruct (Nat.eqb_spec y x); [auto | lia]. }
  split; [exact law_of_fair|]. split; [|vm_compute; reflexivity].
  intros [|r memory] [|x prefix]; [apply law_of_one_hot | exact law_of_fair | apply law_of_one_hot | apply law_of_one_hot].
Qed.

(** Fresh draws are needed: if the second block reads the draw of the discarded draft again, 1, 1 is never emitted. *)
Example discarded_draws_are_spent :
  map (fun rs => let b := block (fun _ => fair) (remembering []) [] rs in
      firstn 2 (b ++ block (fun _ => fair) (remembering rs) b (skipn (length b) rs))) (vectors 2 3) =
    [[0; 0]; [0; 0]; [0; 1]; [0; 1]; [1; 0]; [1; 0]; [1; 0]; [1; 0]].
Proof. vm_compute. reflexivity. Qed.
