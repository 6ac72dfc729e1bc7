(** Block verification (Sun et al., arXiv 2403.10444; spec section 4; reference/rules.py, verify_block).

    K drafts are drawn first, each given those before it. Every position gets a running ratio rho_i, a residual mass S_i, a
    threshold h_i and a coin of its own; the longest prefix whose coin passes is emitted, and one more token after it.
    Promised for every vocabulary, every K and all rows that depend on the whole prefix: the block, with plain decoding up to
    K + 1 tokens, has the law of plain decoding (block_verification). It rests on one fact, proved from the back: given
    x_1..x_i, tau >= i has probability rho_i (tau_reaches). BlockDominance.v compares it with the token rule. *)

From Coq Require Import QArith Qminmax List Lqa Lia.
Require Import Laws BlockRule.
Import ListNotations.
Open Scope Q_scope.

Section Block.
  Context {T : Type} (V : list T) (target draft : list T -> T -> Q).
  Implicit Types (K ahead : nat) (prefix xs ys : list T) (rho : Q) (f G : list T -> Q).

  (** What n tokens of plain decoding make one expect of f, a function of all tokens. *)
  Fixpoint plain n prefix f : Q :=
    match n with O => f prefix | S n => expect V (target prefix) (fun x => plain n (prefix ++ [x]) f) end.

  (** What K drafts, each drawn given those before it, make one expect of a function of the drafts. *)
  Fixpoint drafted K prefix (g : list T -> Q) : Q :=
    match K with
    | O => g []
    | S K => expect V (draft prefix) (fun x => drafted K (prefix ++ [x]) (fun xs => g (x :: xs)))
    end.

  (** The ratio after one more draft. *)
  Definition next prefix rho x : Q := running_ratio rho (target prefix x) (draft prefix x).

  (** (rho_i p_i - q_i)+, a row, and S_i, its mass. *)
  Definition excess prefix rho x : Q := positive_part (rho * target prefix x - draft prefix x).
  Definition excess_mass prefix rho : Q := total V (excess prefix rho).

  (** The threshold where drafts xs are still to come: rho_K at the last position, h_i before it. *)
  Definition threshold prefix rho xs : Q :=
    match xs with [] => rho | _ => block_threshold (excess_mass prefix rho) rho end.

  (** h_1 .. h_K of the drafts xs; prefix and rho are those before them. *)
  Fixpoint thresholds prefix rho xs : list Q :=
    match xs with
    | [] => []
    | x :: xs => let prefix' := prefix ++ [x] in let rho' := next prefix rho x in
                 threshold prefix' rho' xs :: thresholds prefix' rho' xs
    end.

  (** What the drafts that a block keeps, x_1..x_tau, make one expect of G. *)
  Definition kept_by_block K prefix G : Q :=
    drafted K prefix (fun xs => tossed (thresholds prefix 1 xs) (fun bs => G (firstn (tau bs) xs))).

  (** The law of the token after the kept drafts: the bonus if no draft is ahead, else (rho p - q)+ / S; x/0 = 0 at S = 0. *)
  Definition last_law ahead prefix rho x : Q :=
    match ahead with O => target prefix x | _ => excess prefix rho x / excess_mass prefix rho end.

  (** The kept drafts ys, of `ahead`, and one more token: what is then expected of g, a function of how many tokens are still
      missing to K + 1, and of all tokens. *)
  Fixpoint ended ahead prefix rho (g : nat -> list T -> Q) ys : Q :=
    match ys with
    | [] => expect V (last_law ahead prefix rho) (fun y => g ahead (prefix ++ [y]))
    | x :: ys => ended (pred ahead) (prefix ++ [x]) (next prefix rho x) g ys
    end.

  (** What the block's tokens make one expect of such a g. *)
  Definition emitted K prefix g : Q := kept_by_block K prefix (ended K prefix 1 g).

  (** The block, and plain decoding until K + 1 tokens stand after the prefix. *)
  Definition block K prefix f : Q := emitted K prefix (fun missing tokens => plain missing tokens f).

  (** *** Sums *)

  Lemma drafted_ext K prefix g g' : (forall xs, g xs == g' xs) -> drafted K prefix g == drafted K prefix g'.
  Proof.
    revert prefix g g'. induction K as [|K IH]; intros prefix g g' H; simpl; [apply H|].
    apply total_ext. intros x _. apply Qmult_comp; [reflexivity|]. apply IH. intros; apply H.
  Qed.

  Lemma drafted_mix K prefix c d g g' :
    drafted K prefix (fun xs => c * g xs + d * g' xs) == c * drafted K prefix g + d * drafted K prefix g'.
  Proof.
    revert prefix g g'. induction K as [|K IH]; intros prefix g g'; simpl; [reflexivity|].
    unfold expect. rewrite <- !total_scale, <- total_plus. apply total_ext. intros x _. rewrite IH. ring.
  Qed.

  Hypothesis target_law : forall prefix, law V (target prefix).
  Hypothesis draft_law : forall prefix, law V (draft prefix).

  Lemma next_range prefix rho x : In x V -> 0 <= rho -> 0 <= next prefix rho x <= 1.
  Proof. intros X R. apply running_ratio_range; [exact R | apply target_law, X]. Qed.

  Lemma excess_mass_nonneg prefix rho : 0 <= excess_mass prefix rho.
  Proof. apply total_nonneg. intros. apply positive_part_nonneg. Qed.

  Lemma next_or_excess prefix rho x : In x V -> 0 <= rho ->
    draft prefix x * next prefix rho x + excess prefix rho x == rho * target prefix x.
  Proof. intros X R. apply kept_or_replaced; [exact R | apply target_law, X | apply draft_law, X]. Qed.

  (** The next draft goes on with probability rho - S. *)
  Lemma next_mass prefix rho : 0 <= rho ->
    total V (fun x => draft prefix x * next prefix rho x) == rho - excess_mass prefix rho.
  Proof.
    intros R. unfold excess_mass.
    rewrite (total_ext _ _ (fun x => rho * target prefix x - excess prefix rho x)).
    - rewrite total_minus, total_scale, (proj2 (target_law prefix)). ring.
    - intros x X. rewrite <- next_or_excess by assumption. ring.
  Qed.

  (** A draw from the excess, weighed with the mass that it is divided by; at S = 0 nothing is drawn. *)
  Lemma excess_share prefix rho x : In x V ->
    excess_mass prefix rho * (excess prefix rho x / excess_mass prefix rho) == excess prefix rho x.
  Proof.
    intros X. destruct (Qeq_dec (excess_mass prefix rho) 0) as [Z|Z]; [|field; exact Z]. rewrite Z.
    rewrite (total_zero_each V (excess prefix rho)); [ring | intros; apply positive_part_nonneg | exact Z | exact X].
  Qed.

  (** *** The induction from the back *)

  (** Standing at a position with ratio rho: it is the last to pass with probability S, the final one with rho. *)
  Fixpoint settled ahead prefix rho G : Q :=
    match ahead with
    | O => rho * G []
    | S ahead => excess_mass prefix rho * G []
        + expect V (draft prefix) (fun x => settled ahead (prefix ++ [x]) (next prefix rho x) (fun ys => G (x :: ys)))
    end.

  (** Given the drafts so far, this position or one after it passes with probability rho; settled says which. *)
  Lemma tossed_from_here ahead prefix rho z G : 0 <= rho <= 1 ->
    drafted ahead prefix (fun xs => tossed (threshold prefix rho xs :: thresholds prefix rho xs)
      (fun bs => match tau bs with O => z | S i => G (firstn i xs) end))
    == (1 - rho) * z + settled ahead prefix rho G.
  Proof.
    revert prefix rho z G. induction ahead as [|ahead IH]; intros prefix rho z G R; [simpl; ring|].
    set (h := block_threshold (excess_mass prefix rho) rho).
    cbn [drafted settled]. unfold expect.
    rewrite (total_ext _ _ (fun x => (h * G [] + (1 - h) * z) * (draft prefix x - draft prefix x * next prefix rho x)
      + draft prefix x * settled ahead (prefix ++ [x]) (next prefix rho x) (fun ys => G (x :: ys)))).
    - rewrite total_plus, total_scale, total_minus, (proj2 (draft_law prefix)), next_mass by apply R.
      pose proof (threshold_mass (excess_mass prefix rho) rho (excess_mass_nonneg prefix rho) (proj2 R)) as E.
      fold h in E. set (S := excess_mass prefix rho) in *.
      setoid_replace ((h * G [] + (1 - h) * z) * (1 - (rho - S)))
        with ((S + (1 - rho)) * h * G [] + (S + (1 - rho) - (S + (1 - rho)) * h) * z) by ring.
      rewrite E. ring.
    - intros x X.
      rewrite (drafted_ext _ _ _ (fun xs => let prefix' := prefix ++ [x] in let rho' := next prefix rho x in
        let coins z := tossed (threshold prefix' rho' xs :: thresholds prefix' rho' xs)
          (fun bs => match tau bs with O => z | S i => G (x :: firstn i xs) end) in
        h * coins (G []) + (1 - h) * coins z)).
      + cbv zeta. rewrite drafted_mix, !(IH _ _ _ (fun ys => G (x :: ys))) by (apply next_range; [exact X | apply R]).
        ring.
      + intros xs. cbn [thresholds]. cbv zeta. set (hs := threshold _ _ xs :: _).
        change (tossed (h :: hs) (fun bs => match tau bs with O => z | S i => G (firstn i (x :: xs)) end) ==
          h * tossed hs (fun bs => match tau bs with O => G [] | S i => G (x :: firstn i xs) end) +
          (1 - h) * tossed hs (fun bs => match tau bs with O => z | S i => G (x :: firstn i xs) end)).
        cbn [tossed]. apply Qplus_comp; (apply Qmult_comp; [reflexivity|]); apply tossed_ext; intros bs; simpl;
          destruct (tau bs); reflexivity.
  Qed.

  Lemma kept_settled K prefix G : kept_by_block K prefix G == settled K prefix 1 G.
  Proof.
    assert (R : 0 <= 1 <= 1) by lra. pose proof (tossed_from_here K prefix 1 0 G R) as E.
    setoid_replace ((1 - 1) * 0 + settled K prefix 1 G) with (settled K prefix 1 G) in E by ring.
    rewrite <- E. apply drafted_ext. intros xs. cbn [tossed].
    assert (H : threshold prefix 1 xs == 1) by (destruct xs; [reflexivity | apply block_threshold_start]).
    rewrite H, (tossed_ext _ (fun bs => match tau (true :: bs) with O => 0 | S i => G (firstn i xs) end)
      (fun bs => G (firstn (tau bs) xs))).
    - ring.
    - intros bs; simpl. destruct (tau bs); reflexivity.
  Qed.

  (** Given the drafts x_1..x_i, with prefix and rho_i after them, tau >= i has probability rho_i. *)
  Theorem tau_reaches ahead prefix rho : 0 <= rho <= 1 ->
    drafted ahead prefix (fun xs => tossed (threshold prefix rho xs :: thresholds prefix rho xs)
      (fun bs => match tau bs with O => 0 | S _ => 1 end)) == rho.
  Proof.
    intros R. rewrite (tossed_from_here ahead prefix rho 0 (fun _ => 1) R).
    enough (E : settled ahead prefix rho (fun _ => 1) == rho) by (rewrite E; ring).
    revert prefix rho R. induction ahead as [|ahead IH]; intros prefix rho R; simpl; [ring|]. unfold expect.
    rewrite (total_ext _ _ (fun x => draft prefix x * next prefix rho x)).
    - rewrite next_mass by apply R. ring.
    - intros x X. rewrite IH by (apply next_range; [exact X | apply R]). reflexivity.
  Qed.

  (** ... and after it stands plain decoding. *)
  Lemma settled_is_plain ahead prefix rho f : 0 <= rho <= 1 ->
    settled ahead prefix rho (ended ahead prefix rho (fun missing tokens => plain missing tokens f)) == rho * plain (S ahead) prefix f.
  Proof.
    revert prefix rho. induction ahead as [|ahead IH]; intros prefix rho R; [reflexivity|].
    set (after x := plain (S ahead) (prefix ++ [x]) f).
    change (excess_mass prefix rho * total V (fun x => excess prefix rho x / excess_mass prefix rho * after x)
      + total V (fun x => let prefix' := prefix ++ [x] in let rho' := next prefix rho x in draft prefix x *
          settled ahead prefix' rho' (ended ahead prefix' rho' (fun missing tokens => plain missing tokens f)))
      == rho * total V (fun x => target prefix x * after x)).
    rewrite <- !total_scale, <- total_plus. apply total_ext. intros x X. cbv zeta.
    rewrite IH by (apply next_range; [exact X | apply R]). fold (after x).
    setoid_replace (rho * (target prefix x * after x)) with (rho * target prefix x * after x) by ring.
    rewrite <- next_or_excess by (exact X || apply R). set (e := excess prefix rho x).
    setoid_replace (draft prefix x * next prefix rho x + e)
      with (draft prefix x * next prefix rho x + excess_mass prefix rho * (e / excess_mass prefix rho)).
    - ring.
    - unfold e. rewrite (excess_share prefix rho x X). reflexivity.
  Qed.

  (** Exactness: a block, with plain decoding up to K + 1 tokens, has the joint law of plain decoding. *)
  Theorem block_verification K prefix f : block K prefix f == plain (K + 1) prefix f.
  Proof.
    unfold block, emitted. rewrite kept_settled, settled_is_plain by lra. replace (K + 1)%nat with (S K) by lia. ring.
  Qed.
End Block.

(** The instances of the examples below: rows over the tokens 0, 1, 2 that change with the sum of the prefix, q with a zero. *)
Definition tokens : list nat := [0; 1; 2]%nat.
Definition p_rows (prefix : list nat) (x : nat) : Q :=
  nth x (if Nat.even (list_sum prefix) then [1#2; 1#3; 1#6] else [1#5; 0; 4#5]) 0.
Definition q_rows (prefix : list nat) (x : nat) : Q :=
  nth x (if Nat.even (list_sum prefix) then [1#4; 0; 3#4] else [1#2; 1#4; 1#4]) 0.

Lemma rows_are_laws prefix : law tokens (p_rows prefix) /\ law tokens (q_rows prefix).
Proof.
  unfold p_rows, q_rows. destruct (Nat.even (list_sum prefix)); split; split; try reflexivity;
    intros x [<-|[<-|[<-|[]]]]; discriminate.
Qed.

(** The hypotheses hold there, both drafts stay with probability 31/144 only, and tokens 0 1 2 come out as in plain decoding. *)
Example block_verification_satisfiable :
  (forall prefix, law tokens (p_rows prefix)) /\ (forall prefix, law tokens (q_rows prefix)) /\
  let outcome (ys : list nat) := if list_eq_dec Nat.eq_dec ys [0; 1; 2]%nat then 1 else 0 in
  block tokens p_rows q_rows 2 [] outcome == 2#15 /\ plain tokens p_rows 3 [] outcome == 2#15 /\
  kept_by_block tokens p_rows q_rows 2 [] (fun ys => if Nat.eqb (length ys) 2 then 1 else 0) == 31#144.
Proof. split; [|split]; [apply rows_are_laws | apply rows_are_laws |]. vm_compute. repeat split; reflexivity. Qed.

(** After the draft 1, of rho = 1/2 say and with two to come. *)
Example tau_reaches_satisfiable :
  drafted tokens q_rows 2 [1]%nat (fun xs =>
    tossed (threshold tokens p_rows q_rows [1]%nat (1#2) xs :: thresholds tokens p_rows q_rows [1]%nat (1#2) xs)
      (fun bs => match tau bs with O => 0 | S _ => 1 end)) == 1#2.
Proof. vm_compute. reflexivity. Qed.
