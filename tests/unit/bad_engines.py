"""Engines that misbehave in ways that are no law: loaded by path, in a process of their own."""

import os
import signal
import time
from fractions import Fraction


class Right:
    """The acceptance rule."""

    def acceptance(self, p, q, token):
        """min(1, p/q)."""
        return min(Fraction(1), p[token] / q[token]) if q[token] else Fraction(p[token] > 0)


class Prints(Right):
    """Talks on standard output."""

    def acceptance(self, p, q, token):
        """min(1, p/q), aloud."""
        print("hello")
        os.write(1, b"world\n")
        return super().acceptance(p, q, token)


class Hangs:
    """Never answers."""

    def acceptance(self, p, q, token):
        """Sleeps."""
        time.sleep(1000)


class Stops:
    """Does not even read."""

    def target(self, logits, config):
        """Stops the process at the first question."""
        os.kill(os.getpid(), signal.SIGSTOP)


class Crashes:
    """Ends the process."""

    def acceptance(self, p, q, token):
        """Aborts."""
        os.abort()


class Eats:
    """Takes all memory."""

    def acceptance(self, p, q, token):
        """Allocates without end."""
        held = []
        while True:
            held.append(bytearray(1 << 24))


class Raises:
    """Refuses valid questions."""

    def acceptance(self, p, q, token):
        """Raises."""
        raise RuntimeError("not today")


class Wavers:
    """Answers by the process it is in."""

    def acceptance(self, p, q, token):
        """A number of its own."""
        return Fraction(os.getpid() % 1000 + 2)


class Nonsense:
    """Answers with what is no number."""

    def acceptance(self, p, q, token):
        """Text."""
        return "half"


class Nothing:
    """Offers nothing."""


class Lossy:
    """Declares a wrong law."""

    lossy = True

    def acceptance(self, p, q, token):
        """Always 1."""
        return 1


class SharedCoin(Right):
    """Reads one cell twice, where it does no harm."""

    def verify_token(self, p, q, draft, tape):
        """The same comparison twice."""
        a = self.acceptance(p, q, draft)
        if tape.coin("u") < a and tape.coin("u") < a:
            return draft
        residual = [max(x - y, 0) for x, y in zip(p, q, strict=True)]
        return tape.categorical(residual if any(residual) else p)


class Rejects:
    """Draws by a loop that only ends with probability 1."""

    def sample(self, p, tape):
        """Rejection sampling."""
        while True:
            token = tape.below(len(p))
            if tape.coin() < p[token]:
                return token


class Floats:
    """Turns its coin into a float."""

    def sample(self, p, tape):
        """Inverse CDF in floats."""
        u = float(tape.coin())
        return next(token for token in range(len(p)) if u < sum(p[: token + 1]))


class WrongLater(Right):
    """Right sixty times."""

    asked = 0

    def acceptance(self, p, q, token):
        """1, from the sixty-first question on."""
        self.asked += 1
        return super().acceptance(p, q, token) if self.asked <= 60 else Fraction(1)


class Scribbles:
    """Takes its residual in place."""

    def residual(self, p, q):
        """Writes into p."""
        ahead = [max(x - y, 0) for x, y in zip(p, q, strict=True)]
        if any(ahead):
            p[:] = [x / sum(ahead) for x in ahead]
        return p


class NoMethod:
    """A number where a method should be."""

    acceptance = Right.acceptance
    residual = 5


class Gap:
    """A coin between 0.3400 and 0.3410 keeps a draft that should go."""

    numbers = "float"

    def verify_token(self, p, q, draft, tape):
        """The one-hot rule, with a gap."""
        u = float(tape.coin())
        if u < p[draft] / q[draft] or 0.34 < u < 0.341:
            return draft
        residual = [max(x - y, 0) for x, y in zip(p.tolist(), q.tolist(), strict=True)]
        return tape.categorical(residual)


class OwnRandomness:
    """Draws numbers of its own."""

    numbers = "float"

    def sample(self, p, tape):
        """Inverse CDF of a number that is not the tape's."""
        import random

        return random.choices(range(len(p)), p.tolist())[0]


class Chain:
    """The token rule for blocks that have a draft."""

    def verify_chain(self, p_rows, q_rows, drafts, tape):
        """Draft after draft, then the bonus."""
        for at, (p, q, draft) in enumerate(zip(p_rows, q_rows, drafts, strict=False)):
            if not tape.coin() < min(Fraction(1), p[draft] / q[draft]):
                residual = [max(x - y, 0) for x, y in zip(p, q, strict=True)]
                return [*drafts[:at], tape.categorical(residual)]
        return [*drafts, self.bonus(p_rows, drafts, tape)]

    def bonus(self, p_rows, drafts, tape):
        """From the last row."""
        return tape.categorical(p_rows[-1])


class NeedsDrafts(Chain):
    """Refuses blocks without a draft."""

    def bonus(self, p_rows, drafts, tape):
        """None without drafts."""
        if not drafts:
            raise ValueError("no drafts")
        return super().bonus(p_rows, drafts, tape)


class ForgetsBonus(Chain):
    """Without a draft there is no draw."""

    def bonus(self, p_rows, drafts, tape):
        """Token 0 without drafts."""
        return super().bonus(p_rows, drafts, tape) if drafts else 0


class TextTokens:
    """Answers with text."""

    def sample(self, p, tape):
        """A token in text."""
        return str(tape.categorical(p))


class OneElement:
    """Answers with a list of one token."""

    def sample(self, p, tape):
        """A batch of one."""
        return [tape.categorical(p)]


class Halves(Right):
    """Answers with floats."""

    def acceptance(self, p, q, token):
        """Rounded."""
        return float(super().acceptance(p, q, token))


class Bracketed(Right):
    """A name that looks like markup."""

    name = "my [/chain] engine [v2]"
