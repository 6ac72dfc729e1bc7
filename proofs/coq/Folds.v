(** The induction behind every claim that solvers check one token at a time: what holds at the start, and after a step if it
    held before it, holds after any number of steps.

    The solvers prove start and step, for the very code of reference/pointwise.py; this file is the rest: every vocabulary and
    every depth, for any type of state and of element. The example is the residual mass and the rejection probability of
    Leviathan et al., arXiv 2211.17192, section 3.1, as folds of residual_mass_step and rejection_step. *)

From Coq Require Import QArith Qminmax List Lqa.
Require Import Laws.
Import ListNotations.
Open Scope Q_scope.

(** An invariant of the start, and of every step by an element that fits, is one of the fold over any list that fits. *)
Theorem fold_invariant {S E : Type} (step : S -> E -> S) (fits : E -> Prop) (holds : S -> Prop) (start : S) :
  holds start -> (forall s e, holds s -> fits e -> holds (step s e)) ->
  forall es, (forall e, In e es -> fits e) -> holds (fold_left step es start).
Proof.
  intros H G es. revert start H. induction es as [|e es IH]; intros start H F; simpl; [exact H|].
  apply IH; [apply G; [exact H | apply F; left; reflexivity] | intros e' I; apply F; right; exact I].
Qed.

Example fold_invariant_satisfiable : Nat.Even (fold_left (fun s e => e + s)%nat [2; 4; 6]%nat 0%nat).
Proof.
  apply (fold_invariant _ Nat.Even Nat.Even); [exists 0%nat; reflexivity | |].
  - intros s e [a ->] [b ->]. exists (b + a)%nat. symmetry. apply Nat.mul_add_distr_l.
  - intros e [<-|[<-|[<-|[]]]]; [exists 1%nat | exists 2%nat | exists 3%nat]; reflexivity.
Qed.

(** Two folds over one list, side by side. *)
Definition both {A B E : Type} (f : A -> E -> A) (g : B -> E -> B) (s : A * B) (e : E) : A * B := (f (fst s) e, g (snd s) e).

Lemma fold_both {A B E : Type} (f : A -> E -> A) (g : B -> E -> B) es a b :
  fold_left (both f g) es (a, b) = (fold_left f es a, fold_left g es b).
Proof. revert a b. induction es as [|e es IH]; intros a b; [reflexivity | apply IH]. Qed.

(** The same for two folds over one list and a relation between what they have accumulated. *)
Theorem folds_related {A B E : Type} (f : A -> E -> A) (g : B -> E -> B) (fits : E -> Prop) (related : A -> B -> Prop) a b :
  related a b -> (forall s t e, related s t -> fits e -> related (f s e) (g t e)) ->
  forall es, (forall e, In e es -> fits e) -> related (fold_left f es a) (fold_left g es b).
Proof.
  intros H G es F. pose proof (fold_invariant (both f g) fits (fun s => related (fst s) (snd s)) (a, b) H
    (fun s e => G (fst s) (snd s) e) es F) as R.
  rewrite fold_both in R. exact R.
Qed.

(** ** The residual mass is the rejection probability *)

(** reference/pointwise.py: one token of the fold that sums (p - q)+, and of the one that sums q(1 - a). *)
Definition residual_mass_step (mass p q : Q) : Q := mass + positive_part (p - q).
Definition rejection_step (rejection q a : Q) : Q := rejection + q * (1 - a).

(** One token: its excess less its rejection is p - q. *)
Lemma excess_less_rejection p q : 0 <= p -> 0 <= q -> positive_part (p - q) - q * (1 - acceptance p q) == p - q.
Proof.
  intros P N. unfold positive_part, acceptance. destruct (Qlt_le_dec 0 q) as [H|H].
  - assert (E : p == q * (p / q)) by (field; lra).
    destruct (Q.min_spec 1 (p / q)) as [[L ->]|[L ->]], (Qlt_le_dec 0 (p - q)); nra.
  - assert (E : q == 0) by lra. destruct (Qlt_le_dec 0 (p - q)), (Qlt_le_dec 0 p); rewrite E; lra.
Qed.

Section Vocabulary.
  Context {T : Type} (V : list T) (p q : T -> Q).

  Definition mass_fold := fold_left (fun mass x => residual_mass_step mass (p x) (q x)) V 0.
  Definition rejection_fold := fold_left (fun rejection x => rejection_step rejection (q x) (acceptance (p x) (q x))) V 0.

  (** A fold that adds f of each token ends at the total of f. *)
  Lemma fold_total f s : fold_left (fun s x => s + f x) V s == s + total V f.
  Proof. revert s. induction V as [|x W IH]; intros s; simpl; [ring | rewrite IH; ring]. Qed.

  (** The folds are the sums of Laws.v. *)
  Lemma mass_fold_total : mass_fold == residual_mass V p q.
  Proof. unfold mass_fold, residual_mass_step. rewrite fold_total. unfold residual_mass. ring. Qed.

  (** mass - rejection = sum p - sum q, over any vocabulary: it holds of no tokens, and one more keeps it. *)
  Lemma balanced : (forall x, In x V -> 0 <= p x /\ 0 <= q x) -> mass_fold - rejection_fold == total V p - total V q.
  Proof.
    intros N. setoid_replace (total V p - total V q) with
      (fold_left (fun s x => s + p x) V 0 - fold_left (fun s x => s + q x) V 0) by (rewrite !fold_total; ring).
    set (mass_step mass x := residual_mass_step mass (p x) (q x)).
    set (rejecting rejection x := rejection_step rejection (q x) (acceptance (p x) (q x))).
    set (adding (f : T -> Q) s x := s + f x).
    set (balance s t := fst s - snd s == fst t - snd t : Prop).
    enough (B : balance (fold_left (both mass_step rejecting) V (0, 0)) (fold_left (both (adding p) (adding q)) V (0, 0)))
      by (rewrite !fold_both in B; exact B).
    apply (folds_related _ _ (fun x => 0 <= p x /\ 0 <= q x)); [reflexivity | | exact N].
    intros s t x E [P R]. pose proof (excess_less_rejection (p x) (q x) P R) as D.
    unfold balance, both, adding, mass_step, rejecting, residual_mass_step, rejection_step in *. simpl in *. lra.
  Qed.

  (** Over any vocabulary, a draft is rejected with probability sum (p - q)+. *)
  Theorem rejection_is_residual_mass : law V p -> law V q -> rejection_fold == mass_fold.
  Proof.
    intros [P SP] [R SR]. pose proof (balanced (fun x X => conj (P x X) (R x X))) as E. rewrite SP, SR in E. lra.
  Qed.
End Vocabulary.

Example rejection_is_residual_mass_satisfiable :
  let V := [0; 1; 2]%nat in let p x := nth x [1#2; 1#3; 1#6] 0 in let q x := nth x [1#4; 0; 3#4] 0 in
  law V p /\ law V q /\ rejection_fold V p q == 7#12 /\ mass_fold V p q == 7#12.
Proof.
  intros V p q. split; [|split]; [| |split; reflexivity]; (split; [|reflexivity]);
    intros x [<-|[<-|[<-|[]]]]; discriminate.
Qed.
