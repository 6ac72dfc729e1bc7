"""A kernel in torch as an engine: rows and coins come as float32, and its law is probed on the lattice of its coins."""

import torch


def verify(p, q, drafts, coins, residual_coins):
    """A batch of drafts [B] against rows [B, V]: your kernel goes here. Returns tokens [B]."""
    rows = torch.arange(len(drafts))
    accepted = coins * q[rows, drafts] < p[rows, drafts]
    residual = (p - q).clamp(min=0).cumsum(dim=-1)
    drawn = (residual <= residual_coins[:, None] * residual[:, -1:]).sum(dim=-1)
    return torch.where(accepted, drafts, drawn.clamp(max=p.shape[1] - 1))


class Engine:
    name = "torch kernel"
    numbers = "float"

    def verify_token(self, p, q, draft, tape):
        coins = [torch.tensor([tape.coin()]) for _ in range(2)]
        # In a batch with another request: a kernel that mixes rows up shows.
        p, q = (torch.stack([torch.tensor(row), torch.tensor(row).flip(0)]) for row in (p, q))
        drafts = torch.tensor([draft, p.shape[1] - 1 - draft])
        return int(verify(p, q, drafts, *(coin.repeat(2) for coin in coins))[0])
