(** A chain of drafts keeps the joint law, block after block, for rows that depend on the whole prefix.

    Leviathan et al., arXiv 2211.17192, algorithm 1. All drafts of a block are drawn first, each from the draft's row after the ones
    before it; then they are verified in turn: the first rejection ends the block with a residual draw, full acceptance with a bonus draw
    from the target's row after all drafts. The draft may remember what earlier blocks discarded. A law of token sequences is known by what it
    expects of every function f of the whole sequence. *)

From Coq Require Import QArith List Lqa Lia.
Require Import Laws TokenRule.
Import ListNotations.
Open Scope Q_scope.

Section Sums.
  Context {T : Type}.
  Implicit Types (V : list T) (p f g : T -> Q).

  Lemma expect_ext V p f g : (forall x, In x V -> f x == g x) -> expect V p f == expect V p g.
  Proof. intros H. apply total_ext. intros x I. rewrite (H x I). reflexivity. Qed.

  Lemma expect_linear V p a b f g : expect V p (fun x => a * f x + b * g x) == a * expect V p f + b * expect V p g.
  Proof.
    unfold expect. rewrite <- !total_scale, <- total_plus. apply total_ext. intros. ring.
  Qed.

  Lemma expect_constant V p c : law V p -> expect V p (fun _ => c) == c.
  Proof.
    intros [_ S]. unfold expect. rewrite (total_ext _ _ (fun x => c * p x)) by (intros; ring). rewrite total_scale, S. ring.
  Qed.
End Sums.

Section Chain.
  Context {T : Type}.
  Variables (V : list T) (target : list T -> T -> Q) (draft : list T -> list T -> T -> Q).
  (** draft memory prefix: the row after the prefix, when the last block discarded these tokens. *)
  Hypothesis target_law : forall prefix, law V (target prefix).
  Hypothesis draft_law : forall memory prefix, law V (draft memory prefix).
  Variable f : list T -> Q.

  (** What f is expected to be after n more tokens of plain decoding. *)
  Fixpoint plain (n : nat) (prefix : list T) : Q :=
    match n with
    | O => f prefix
    | S n => expect V (target prefix) (fun x => plain n (prefix ++ [x]))
    end.

  (** K drafts, each drawn after the ones before it; g of all of them. *)
  Fixpoint drafts (memory : list T) (K : nat) (prefix : list T) (g : list T -> Q) : Q :=
    match K with
    | O => g []
    | S K => expect V (draft memory prefix) (fun x => drafts memory K (prefix ++ [x]) (fun xs => g (x :: xs)))
    end.

  (** Drafts verified in turn, n tokens to go; when the block has ended, `next` goes on, told what was discarded. *)
  Fixpoint verify (memory : list T) (next : list T -> nat -> list T -> Q) (n : nat) (prefix xs : list T) : Q :=
    match xs with
    | [] => expect V (target prefix) (fun y => next [] (pred n) (prefix ++ [y]))
    | x :: rest =>
        let p := target prefix in
        let q := draft memory prefix in
        acceptance (p x) (q x) * verify memory next (pred n) (prefix ++ [x]) rest
        + (1 - acceptance (p x) (q x)) * expect V (residual_row V p q) (fun y => next (x :: rest) (pred n) (prefix ++ [y]))
    end.

  Definition block (memory : list T) (K : nat) (next : list T -> nat -> list T -> Q) (n : nat) (prefix : list T) : Q :=
    drafts memory K prefix (verify memory next n prefix).

  Lemma drafts_ext m K : forall prefix g h, (forall xs, length xs = K -> g xs == h xs) -> drafts m K prefix g == drafts m K prefix h.
  Proof.
    induction K as [|K IH]; simpl; intros prefix g h H; [apply H; reflexivity|].
    apply expect_ext. intros x _. apply IH. intros xs L. apply H. simpl. congruence.
  Qed.

  Lemma drafts_linear m K : forall prefix a b g h,
    drafts m K prefix (fun xs => a * g xs + b * h xs) == a * drafts m K prefix g + b * drafts m K prefix h.
  Proof.
    induction K as [|K IH]; simpl; intros; [reflexivity|]. rewrite <- expect_linear. apply expect_ext. intros x _. apply IH.
  Qed.

  Lemma drafts_constant m K : forall prefix c, drafts m K prefix (fun _ => c) == c.
  Proof.
    induction K as [|K IH]; simpl; intros; [reflexivity|].
    rewrite (expect_ext _ _ _ (fun _ => c)) by (intros; apply IH). apply expect_constant, draft_law.
  Qed.

  (** If what follows a block decodes plainly, so do the block and what follows it. *)
  Lemma block_then K : forall m next n prefix,
    (forall discarded k pre, (k < n)%nat -> next discarded k pre == plain k pre) -> (K < n)%nat -> block m K next n prefix == plain n prefix.
  Proof.
    unfold block. induction K as [|K IH]; intros m next n prefix N L; (destruct n as [|n]; [lia|]); simpl.
    - apply expect_ext. intros x _. apply N. lia.
    - set (p := target prefix). set (q := draft m prefix).
      rewrite <- (token_rule V p q (target_law _) (draft_law _ _) (fun x => plain n (prefix ++ [x]))).
      unfold emitted. apply expect_ext. intros x _. rewrite drafts_linear. fold q.
      rewrite (IH m next n (prefix ++ [x])); [| intros; apply N; lia | lia].
      rewrite (drafts_ext m K (prefix ++ [x]) _ (fun _ => expect V (residual_row V p q) (fun y => plain n (prefix ++ [y])))).
      + rewrite drafts_constant. reflexivity.
      + intros xs _. apply expect_ext. intros y _. apply N. lia.
  Qed.

  (** A block of K drafts, and plain decoding to K + 1 tokens, has the law of plain decoding. *)
  Theorem chain m K prefix : block m K (fun _ => plain) (S K) prefix == plain (S K) prefix.
  Proof. apply block_then; [reflexivity | lia]. Qed.

  (** Blocks one after another, of depths that may depend on the tokens and on what was discarded, until n tokens stand. *)
  Fixpoint decode (depth : list T -> list T -> nat) (fuel : nat) (memory : list T) (n : nat) (prefix : list T) : Q :=
    match fuel, n with
    | S fuel, S _ => block memory (Nat.min (depth memory prefix) (pred n)) (decode depth fuel) n prefix
    | _, _ => plain n prefix
    end.

  (** So does decoding by any number of blocks. *)
  Theorem decoding depth fuel : forall m n prefix, decode depth fuel m n prefix == plain n prefix.
  Proof.
    induction fuel as [|fuel IH]; intros m [|n] prefix; simpl; try reflexivity.
    apply (block_then _ m (decode depth fuel) (S n)); [intros; apply IH | simpl; lia].
  Qed.

  (** Probability that all drafts are accepted. *)
  Fixpoint all_accepted (memory prefix xs : list T) : Q :=
    match xs with
    | [] => 1
    | x :: rest => acceptance (target prefix x) (draft memory prefix x) * all_accepted memory (prefix ++ [x]) rest
    end.

  (** Where all drafts are accepted the block ends with one token more, from the target's row after all of them. *)
  Theorem bonus m n xs : forall prefix,
    verify m (fun discarded k pre => match discarded with [] => f pre | _ => 0 end) n prefix xs
    == all_accepted m prefix xs * expect V (target (prefix ++ xs)) (fun y => f ((prefix ++ xs) ++ [y])).
  Proof.
    revert n. induction xs as [|x xs IH]; intros n prefix; simpl.
    - rewrite app_nil_r. ring.
    - rewrite IH. replace (prefix ++ x :: xs) with ((prefix ++ [x]) ++ xs) by (rewrite <- app_assoc; reflexivity).
      unfold expect at 2. rewrite (total_ext _ _ (fun _ => 0)) by (intros; ring). rewrite total_zero. ring.
  Qed.
End Chain.

(** Two tokens, rows that depend on the length of the prefix, a draft that rules a token out at first: two drafts and a bonus. *)
Example chain_satisfiable :
  let V := [0; 1]%nat in
  let target (prefix : list nat) (x : nat) := match length prefix, x with 0%nat, 0%nat => 1 # 3 | 0%nat, _ => 2 # 3 | _, 0%nat => 3 # 4 | _, _ => 1 # 4 end in
  let draft (memory prefix : list nat) (x : nat) := match length prefix, x with 0%nat, 0%nat => 1 | 0%nat, _ => 0 | _, _ => 1 # 2 end in
  let f (tokens : list nat) := if list_eq_dec Nat.eq_dec tokens [0; 1; 0]%nat then 1 else 0 in
  (forall prefix, law V (target prefix)) /\ (forall memory prefix, law V (draft memory prefix))
  /\ block V target draft [] 2 (fun _ => plain V target f) 3 [] == 1 # 16.
Proof.
  repeat split; try (vm_compute; reflexivity);
    try (intros x; simpl; intros H; repeat destruct H as [<-|H]; try contradiction); destruct (length prefix); simpl; try reflexivity; discriminate.
Qed.
