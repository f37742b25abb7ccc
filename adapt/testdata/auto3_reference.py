"""The third `auto` gate: float64 reference, plain.

`python3 auto3_reference.py` (needs numpy) writes filter_golden_auto3.json anew, on the predictions of filter_golden_auto2.json; the file is
byte-stable.
"""
import json
import pathlib

import numpy as np


def tempered(q, temperature):
    z = np.log(np.maximum(q, 1e-12)) / temperature
    l = np.exp(z - z.max())
    return l / l.sum()


class Auto3:
    """Auto2 with twins without order. One principle is added: an ordered hypothesis earns only what its twin without order does not.

    For each temperature T: l, mu, L and the lift M = M(20) as in Auto2; M(n) = l / m_n scaled to <mu, M(n)> = 1, with
    m_n = (mass + 20 prior + (n-20)/K) / (|mass| + n): pseudo-observations beyond twenty are uniform.

      hypothesis     evidence                               posterior ~
      none(s, d)     <mu_sd, L>                             q             three, as in Auto2
      static(e)      (1-c) <s, L> + c                       q             s ~ s ((1-c) M_A + c), s_0 = 1/K
      none(f)        <f, L>                                 q             only if a population is given (f: its class frequencies)
      static_f(e)    (1-c) <s, L> + c                       q             only with a population: s_0 = f, M_f in place of M_A
      persist(a)     a <r, L> + (1-a)                       (b p + (1-b)/K) l_f,  b = trust a (K-1)/K
      sticky(a, e)   a ((1-c) <p, L> + c) + (1-a)           (a p + (1-a) mu) ((1-c) M_a + c)
      full(e), population(e)                                as in Auto2

    Every 16th step ends with s ~ s_0 (s/s_0)^((1-decay)^16).
    M_a = M(n_a), n_a = 20 (1 + (a / (6 (1-a)))^2); M_A belongs to the longest memory (the last a of the grid).  r = l_{t-1}^1.5, normalised.
    Let k = argmax q and j = argmax of the mixture. If j is not k and out_j <= out_k margin^w, with w the weight of all that is without order at
    both temperatures, then out_k becomes out_j (1 + 1e-6), and out is normalised.

    What differs from Auto2, and why:
      1. static: the product of what the items say about one constant class (the most a sticky hypothesis can learn without order: the product
         does not depend on order). A predictor biased to a class makes a locked sticky posterior beat every marginal, on shuffled items too:
         that was credited to order. It ends the harm on shuffled items, and that of wrong population matrices (static_f).
      2. With 1, a long memory may lift less: in a stream that stays for hundreds of items in a class the marginal is that class, and dividing
         by it argues against it. Items that depend on each other are worth fewer, so that more pseudo-observations stand against them.
      3. persist predicts from the last prediction sharpened: a soft last prediction understates how inert predictions are, and `full` won by
         that on slow streams of two classes.
      4. b with (K-1)/K: for two classes a contrary step is as good as its odds.
      5. none(f): the population's class frequencies alone are no order.
      6. margin: where the weight is without order, a change of label at nearly equal odds is not worth it (half of such changes are wrong, more
         in short streams).
      7. Temperatures 1 and 1.8 in place of 1 and 5/3.
      8. population starts from f, as its twin does: a first item is no evidence of order.
      9. Without order the answer is q: l is q sharpened or flattened, which only order needs.
     10. full admits no errors: with 0.2 it called what left the learned order an error, and undid what a good predictor had right.

    A label that is known for certain (`known` of step): l is 1 there and 0 elsewhere, and c and flicker are 0 in all that has order. static keeps c,
    which is also the share of items that are of another class than the constant one: were it 0, two known labels would refute what every item
    before them told. No margin, no step of the exponent.
    """

    GRID = (0.2, 0.4, 0.6, 0.75, 0.87, 0.94, 0.98)

    def __init__(self, K, grid=GRID, errors=(0.05, 0.2), full_errors=(0.0,), flicker=0.1, temperatures=(1.0, 1.8),
                 weights=None, share=0.001, gamma=0.01, beta=1.0, delta=0.002, pseudo=5.0, lift_pseudo=20.0,
                 nones=((1.0, 0.002), (1.0, 0.02)), population=None, frequencies=None, population_errors=(0.0, 0.05, 0.2, 0.4),
                 prior=None, confidence=0.8,
                 static_decay=0.002, lift_memory=6.0, sharpen_last=1.5, trust=0.35, margin=3.0, none_f=0.05, static_f=0.3):
        self.K, self.grid, self.flicker, self.share, self.gamma, self.beta = K, grid, flicker, share, gamma, beta
        self.delta, self.pseudo, self.lift_pseudo, self.nones, self.confidence = delta, pseudo, lift_pseudo, nones, confidence
        self.temperatures = temperatures
        self.static_decay, self.lift_memory, self.sharpen_last, self.trust, self.margin = static_decay, lift_memory, sharpen_last, trust, margin
        self.prior = np.full(K, 1 / K) if prior is None else np.asarray(prior, float)
        rate = lambda e: min(e * K / (K - 1), 1.0) if K > 1 else 0.0
        self.sticky = [(a, rate(e)) for a in grid for e in errors]
        self.full = [rate(e) for e in full_errors]
        self.pop = [rate(e) for e in population_errors] if population is not None else []
        self.P = None if population is None else np.asarray(population, float)
        self.frequencies = None if frequencies is None else np.asarray(frequencies, float)
        self.doubt = rate(flicker)
        self.static = [rate(e) for e in errors]
        self.twins = list(self.pop)
        if weights is None:
            weights = (0.45, 0.45, 0.095, 0.005, 0.0) if population is None else (0.4, 0.35, 0.095, 0.005, 0.15)
        wn, wp, ws, wf, wq = weights
        N, G, S, F, Q = len(nones) + 1 + len(self.static), len(grid), len(self.sticky), len(self.full), len(self.pop)
        one = [wn / N] * N + ([none_f] + [static_f / Q] * Q if self.twins else [])
        self.N = len(one)
        one = one + [wp / G] * G + [ws / S] * S + [wf / F] * F + ([wq / Q] * Q if Q else [])
        self.w0 = np.tile(one, (len(self.temperatures), 1))
        self.w0 = self.w0 / self.w0.sum()
        self.w = self.w0.copy()
        n = len(self.temperatures)
        self.p = np.tile(self.prior, (n, G + S + F + Q, 1))
        if Q:
            self.p[:, G + S + F:] = self.frequencies
        self.mass = np.zeros((n, K))
        self.masses = np.zeros((n, len(nones), K))
        self.C = np.zeros((n, F, K, K))
        self.last = np.tile(self.prior, (n, 1))
        self.s = np.full((n, len(self.static), K), 1 / K)
        self.sf = np.tile(self.frequencies, (n, len(self.twins), 1)) if self.twins else None
        self.exponent, self.age, self.t = 1.0, 0, 0

    def marginal(self, mass, pseudo):
        return (mass + pseudo * self.prior) / (mass.sum() + pseudo)

    def lift(self, i, l, mu, a):
        """l over the marginal under n_a pseudo-observations, those beyond lift_pseudo uniform; scaled to <mu, M> = 1."""
        n = self.lift_pseudo * (1 + (a / (1 - a) / self.lift_memory) ** 2)
        mass = self.mass[i]
        M = l * (mass.sum() + n) / (mass + self.lift_pseudo * self.prior + (n - self.lift_pseudo) / self.K)
        return M / (mu @ M)

    def constant(self, s, factor, start):
        """What the items say about one constant class: their product, slowly forgotten."""
        s = s * factor
        if not s.sum() > 1e-290:  # no errors, and an item that refutes what all others told
            return start + np.zeros(self.K)
        s = np.maximum(s / s.sum(), 1e-300)
        if self.t % 16 == 15:
            s = start * (s / start) ** ((1 - self.static_decay) ** 16)
            s = s / s.sum()
        return s

    def step(self, q, known=False):
        """known: q is 1 at the label of the item, which is certain. Errors of the predictor (c, flicker) are none then."""
        error = (lambda c: 0.0) if known else (lambda c: c)
        K, w, posteriors = self.K, self.w.copy(), []
        G, S, F = len(self.grid), len(self.sticky), len(self.full)
        raised = np.maximum(q, 1e-12)
        for i, T in enumerate(self.temperatures):
            l = np.asarray(q, float) if known else tempered(q, T / self.exponent)
            mu = self.marginal(self.mass[i], self.pseudo)
            chance = mu @ l
            L = l / chance
            M = l / self.marginal(self.mass[i], self.lift_pseudo)
            M = M / (mu @ M)
            Ma = {a: self.lift(i, l, mu, a) for a in self.grid}
            if self.pop:
                Mf = l / self.frequencies
                Mf = Mf / (mu @ Mf)
            evidence, posterior = [1.0], [l]
            for n, (pseudo, delta) in enumerate(self.nones):
                m = self.marginal(self.masses[i, n], pseudo)
                z = m @ l
                evidence.append(z / chance)
                posterior.append(l)
                self.masses[i, n] = (1 - delta) * self.masses[i, n] + m * l / z
            for n, c in enumerate(self.static):
                evidence.append((1 - c) * (self.s[i, n] @ L) + c)
                posterior.append(l)
                self.s[i, n] = self.constant(self.s[i, n], (1 - c) * Ma[self.grid[-1]] + c, 1 / K)
            if self.twins:
                evidence.append(self.frequencies @ L)
                posterior.append(l)
            for n, c in enumerate(self.twins):
                evidence.append((1 - c) * (self.sf[i, n] @ L) + c)
                posterior.append(l)
                self.sf[i, n] = self.constant(self.sf[i, n], (1 - c) * Mf + c, self.frequencies)
            old = self.p[i].copy()
            inert, lf = self.last[i] @ L, (1 - error(self.doubt)) * l + error(self.doubt) / K
            for h, a in enumerate(self.grid):
                b = self.trust * a * (K - 1) / K
                evidence.append(a * inert + (1 - a))
                posterior.append((b * old[h] + (1 - b) / K) * lf)
            for h, (a, c) in enumerate(self.sticky, G):
                c = error(c)
                evidence.append(a * ((1 - c) * (old[h] @ L) + c) + (1 - a))
                posterior.append((a * old[h] + (1 - a) * mu) * ((1 - c) * Ma[a] + c))
            for f, c in enumerate(self.full):
                c, h = error(c), G + S + f
                A = (self.C[i, f] + self.beta * mu) / (self.C[i, f].sum(1, keepdims=True) + self.beta)
                forward, Me = A.T @ old[h], (1 - c) * M + c
                evidence.append((1 - c) * (forward @ L) + c)
                posterior.append(forward * Me)
                if self.t > 0:
                    self.C[i, f] = (1 - self.gamma) * self.C[i, f] + old[h][:, None] * A * Me / (forward @ Me)
            for e, c in enumerate(self.pop):
                c, forward = error(c), self.P.T @ old[G + S + F + e]
                evidence.append((1 - c) * (forward @ L) + c)
                posterior.append(forward * ((1 - c) * Mf + c))
            self.mass[i] = (1 - self.delta) * self.mass[i] + mu * L
            r = l ** self.sharpen_last
            self.last[i] = r / r.sum()
            posterior = np.array([p / p.sum() for p in posterior])
            self.p[i] = posterior[self.N:]
            posterior[:self.N] = raised / raised.sum()
            w[i] *= evidence
            posteriors.append(posterior)
        w = w / w.sum()
        out = np.tensordot(w, np.array(posteriors), 2)
        k, j = np.argmax(q), np.argmax(out)
        if not known and j != k and out[j] <= out[k] * self.margin ** w[:, :self.N].sum():
            out[k] = out[j] * (1 + 1e-6)
            out = out / out.sum()
        if self.confidence > 0 and not known:
            z = np.log(np.maximum(q, 1e-12))
            top = 1 / np.exp((z - z.max()) * self.exponent).sum()
            rate = 0.1 + 1 / (1 + self.age / 20)
            self.exponent = max(1.0, min(self.exponent * np.exp(rate * (self.confidence - top)), 16.0))
            self.age += 1
        self.w = (1 - self.share) * w + self.share * self.w0
        self.t += 1
        return out, w

def main():
    here = pathlib.Path(__file__).parent
    source = json.loads((here / "filter_golden_auto2.json").read_text())
    cases = []
    for n, case in enumerate(source["cases"]):
        filter = Auto3(case["K"], **case["config"])
        steps = [filter.step(np.array(q)) for q in case["q"]]
        every = max(len(steps) // len(case["weights"]), 1)
        cases.append(dict(case=n, out=[out.tolist() for out, _ in steps], weights=[w.tolist() for _, w in steps[::every]]))
    with open(here / "filter_golden_auto3.json", "w") as out:
        json.dump(dict(numpy=np.__version__, cases=cases), out)
        out.write("\n")


if __name__ == "__main__":
    main()
