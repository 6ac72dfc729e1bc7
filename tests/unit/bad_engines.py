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
