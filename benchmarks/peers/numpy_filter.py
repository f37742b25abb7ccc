"""The filter's recursion in NumPy, vectorised as its users would write it, timed on request.

Reads lines "mode classes steps kind" (mode off, ewma or auto; kind dense or peaked) and answers each with the nanoseconds of one step.
"""
import sys
import time

import numpy as np


class Paper:
    def __init__(self, k, gate, kappa=0.1, gamma=0.1, tau=0.35, eta=0.05, w=50, m=0.2, gate_tau=0.8, eps=1e-8):
        self.gate, self.gamma, self.tau, self.eta, self.w = gate, gamma, tau, eta, w
        self.m, self.gate_tau, self.eps, self.llr = m, gate_tau, eps, 0.0
        self.c, self.rows = np.full((k, k), kappa), np.full(k, kappa * k)
        self.p = self.q = self.marginal = np.full(k, 1 / k)

    def step(self, q):
        prior = (self.p / self.rows) @ self.c
        p = q * prior
        total = p.sum()
        p = p / total if total > 0 else q / q.sum()
        out = p
        if self.gate:
            self.marginal = (1 - self.eta) * self.marginal + self.eta * q
            self.marginal /= self.marginal.sum()
            delta = np.log(q @ prior + self.eps) - np.log(q @ self.marginal + self.eps)
            self.llr += (delta - self.llr) / self.w
            lam = 1 / (1 + np.exp(-(self.llr - self.m) / self.gate_tau))
            out = lam * p + (1 - lam) * q
            out /= out.sum()
        seen = q[q > 0]
        g = self.gamma * np.exp(np.sum(seen * np.log(seen)) / self.tau)
        self.c *= 1 - g
        self.c += np.outer(g * self.q, q)
        self.rows = (1 - g) * self.rows + g * self.q * q.sum()
        self.p, self.q = p, q
        return out


class Auto:
    """All hypotheses of a temperature in one array: persist, then sticky, then the learned matrix."""

    grid, errors, temperatures = np.array([0.2, 0.4, 0.6, 0.75, 0.87, 0.94, 0.98]), np.array([0.05, 0.2]), (1.0, 5 / 3)
    share, gamma, beta, delta, pseudo, flicker = 0.001, 0.01, 1.0, 0.002, 5.0, 0.1

    def __init__(self, k):
        self.k, self.t = k, 0
        g, s, n = len(self.grid), len(self.grid) * len(self.errors), len(self.temperatures)
        stretch = k / (k - 1)
        self.a = np.repeat(self.grid, len(self.errors))
        self.stay = np.concatenate([self.grid / 3, self.a])[:, None]
        c = np.concatenate([np.full(g, self.flicker), np.tile(self.errors, g)]) * stretch
        self.c = c[:, None]
        self.w0 = np.tile(np.concatenate([[0.45], np.full(g, 0.45 / g), np.full(s, 0.05 / s), [0.05]]), (n, 1)) / n
        self.w = self.w0.copy()
        self.p, self.full = np.full((n, g + s, k), 1 / k), np.full((n, k), 1 / k)
        self.counts, self.mass, self.last = np.zeros((n, k, k)), np.zeros((n, k)), np.full((n, k), 1 / k)

    def step(self, q):
        k, g, w, posteriors = self.k, len(self.grid), self.w.copy(), []
        for i, temperature in enumerate(self.temperatures):
            like = q ** (1 / temperature)
            like /= like.sum()
            mu = (self.mass[i] + self.pseudo / k) / (self.mass[i].sum() + self.pseudo)
            lift, chance = like / mu, mu @ like
            seen = (1 - self.c) * like + self.c / k
            p = self.p[i]
            overlap = np.einsum("hk,hk->h", p[g:], seen[g:])
            u = self.full[i] / (self.counts[i].sum(1) + self.beta)
            prior = u @ self.counts[i] + self.beta * u.sum() * mu
            w[i, 0] *= chance
            w[i, 1 : 1 + g] *= self.grid * (self.last[i] @ like) + (1 - self.grid) * chance
            w[i, 1 + g : -1] *= self.a * overlap + (1 - self.a) * chance
            w[i, -1] *= prior @ like
            p = (self.stay * p + (1 - self.stay) / k) * seen
            p /= p.sum(1, keepdims=True)
            full = prior * lift
            total = full.sum()
            if self.t > 0:
                counts, scale = self.counts[i], (u / total)[:, None]
                gained = counts + self.beta * mu
                gained *= scale
                gained *= lift
                counts *= 1 - self.gamma
                counts += gained
            self.p[i], self.full[i] = p, full / total
            self.mass[i] = (1 - self.delta) * self.mass[i] + like * mu / chance
            self.last[i] = like
            posteriors.append(np.concatenate([like[None], p, self.full[i][None]]))
        w /= w.sum()
        out = sum(w[i] @ posteriors[i] for i in range(len(posteriors)))
        self.w = (1 - self.share) * w + self.share * self.w0
        self.t += 1
        return out


def stream(kind, k, steps, rng):
    q = np.exp(2 * rng.normal(size=(steps, k)))
    q[np.arange(steps), rng.integers(min(k, 20), size=steps)] *= np.exp(4) * np.sqrt(k)
    if kind == "peaked":
        q[q < np.partition(q, -5, axis=1)[:, -5:-4]] = 0
    return q / q.sum(1, keepdims=True)


def make(mode, k):
    return Auto(k) if mode == "auto" else Paper(k, mode == "ewma")


def main():
    filters = {}
    for line in sys.stdin:
        mode, k, steps, kind = line.split()
        k, steps = int(k), int(steps)
        if (mode, k, kind) not in filters:  # keep one: a thousand classes take many megabytes
            filters = {(mode, k, kind): (make(mode, k), stream(kind, k, min(steps, 1024), np.random.default_rng(1)))}
        f, q = filters[mode, k, kind]
        start = time.perf_counter_ns()
        for i in range(steps):
            f.step(q[i % len(q)])
        print((time.perf_counter_ns() - start) / steps, flush=True)


def adapt_all():
    """Reads "mode classes", then predictions one a line, and prints what the filter makes of them."""
    mode, k = sys.stdin.readline().split()
    f = make(mode, int(k))
    for line in sys.stdin:
        print(*(repr(float(v)) for v in f.step(np.array(line.split(), float))))


if __name__ == "__main__":
    adapt_all() if sys.argv[1:] == ["--adapt"] else main()
