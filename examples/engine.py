"""An engine in Python: acceptance, residual and verification, on exact fractions and a tape."""

from fractions import Fraction


class Engine:
    name = "token rule"

    def acceptance(self, p, q, token):
        return min(Fraction(1), p[token] / q[token]) if q[token] else Fraction(p[token] > 0)

    def residual(self, p, q):
        ahead = [max(p_y - q_y, 0) for p_y, q_y in zip(p, q, strict=True)]
        return [a / sum(ahead) for a in ahead] if any(ahead) else p

    def verify_token(self, p, q, draft, tape):
        if tape.coin() < self.acceptance(p, q, draft):
            return draft
        return tape.categorical(self.residual(p, q))


class OneCoin(Engine):
    name = "one coin for both draws"

    def verify_token(self, p, q, draft, tape):
        if tape.coin("u") < self.acceptance(p, q, draft):
            return draft
        return tape.categorical(self.residual(p, q), "u")
