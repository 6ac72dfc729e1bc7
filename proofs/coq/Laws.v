(** Rows of rationals over any vocabulary, and the rules at one token.

    A vocabulary is a list of tokens of any type, a row gives each token a rational. A law is known by its expectations:
    two laws agree when every test function f has the same expectation under both. The definitions below transcribe
    reference/pointwise.py; Vectors.v ties the two by running both on the same rationals. *)

From Coq Require Import QArith Qminmax List Lqa.
Open Scope Q_scope.

Section Rows.
  Context {T : Type}.
  Implicit Types (V : list T) (p q f g : T -> Q).

  (** The sum of a row over a vocabulary. *)
  Definition total V f : Q := fold_right (fun x sum => f x + sum) 0 V.

  (** What a law expects of f. *)
  Definition expect V p f : Q := total V (fun x => p x * f x).

  (** A row of probabilities. *)
  Definition law V p : Prop := (forall x, In x V -> 0 <= p x) /\ total V p == 1.

  Lemma total_ext V f g : (forall x, In x V -> f x == g x) -> total V f == total V g.
  Proof.
    induction V as [|x V IH]; intros H; simpl; [reflexivity|].
    rewrite (H x) by (left; reflexivity). rewrite IH by (intros; apply H; right; assumption). reflexivity.
  Qed.

  Lemma total_plus V f g : total V (fun x => f x + g x) == total V f + total V g.
  Proof. induction V as [|x V IH]; simpl; [reflexivity | rewrite IH; ring]. Qed.

  Lemma total_minus V f g : total V (fun x => f x - g x) == total V f - total V g.
  Proof. induction V as [|x V IH]; simpl; [reflexivity | rewrite IH; ring]. Qed.

  Lemma total_scale V c f : total V (fun x => c * f x) == c * total V f.
  Proof. induction V as [|x V IH]; simpl; [ring | rewrite IH; ring]. Qed.

  Lemma total_zero V : total V (fun _ => 0) == 0.
  Proof. induction V as [|x V IH]; simpl; [reflexivity | rewrite IH; ring]. Qed.

  Lemma total_le V f g : (forall x, In x V -> f x <= g x) -> total V f <= total V g.
  Proof.
    induction V as [|x V IH]; intros H; simpl; [apply Qle_refl|].
    apply Qplus_le_compat; [apply H; left; reflexivity | apply IH; intros; apply H; right; assumption].
  Qed.

  Lemma total_nonneg V f : (forall x, In x V -> 0 <= f x) -> 0 <= total V f.
  Proof. intros H. rewrite <- (total_zero V). apply total_le. exact H. Qed.
End Rows.

(** (a)+ *)
Definition positive_part (a : Q) : Q := if Qlt_le_dec 0 a then a else 0.

(** min(1, p/q); where the draft has no mass, 1 if the target has some and 0 otherwise. *)
Definition acceptance (p q : Q) : Q :=
  if Qlt_le_dec 0 q then Qmin 1 (p / q) else if Qlt_le_dec 0 p then 1 else 0.

(** (p - q)+ / mass, and p itself where that mass is 0. *)
Definition residual (p q mass : Q) : Q := if Qeq_dec mass 0 then p else positive_part (p - q) / mass.

(** sum (p - q)+ *)
Definition residual_mass {T} (V : list T) (p q : T -> Q) : Q := total V (fun x => positive_part (p x - q x)).
