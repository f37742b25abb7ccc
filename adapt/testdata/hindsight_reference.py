"""Hindsight of the later editions of `auto`: float64 reference, plain, and the judge of Smooth, Viterbi and Lagged in package adapt.

Run `python3 hindsight_reference.py` (needs numpy) to write hindsight_golden.json anew.

A recording q [T][K] is read as a whole. Order of operations (function `smooth`):

  1  b: the exponent >= 1 (at most 16) with which the mean of the greatest entry of q^b, normalised, is `confidence` (1 if it is above already).
  2  For each temperature T (1, 5/3): l = q^(b/T) normalised; mu = MAP marginal of the l under 5 pseudo-observations of `prior` (EM, concave);
     L = l / <mu, l>; M = l / mu20 scaled to <mu, M> = 1, mu20 the same under 20; E = confusions of l (row y: what is seen in y's place).
  3  Log evidence of every reading: sums of the causal evidences of the filter, mu fixed, no share, and its initial weight:
       none        0
       none(d)     log <m, l> - log <mu, l>,  m = (mass + mu)/(|mass| + 1), mass <- (1-d) mass + m l/<m, l>,   d in .002, .02
       persist(a)  log(a <l_{t-1}, L> + 1 - a),  l_{-1} = mu
       sticky(a,e) log(a <p, O(e) L> + 1 - a),   p ~ (a p + (1-a) mu) O(e) M,  p = mu at first
       full(e)     log <A'p, O(e) L>,  A_ij = (C_ij + beta mu_j)/(C_i. + beta) learned online, C kept for ever
       drift(e)    the same, C decays by 1-gamma a step
       population(e)  log <P'p, O(e) L>,  p ~ P'p O(e) Mf,  Mf = l / frequencies scaled to <mu, Mf> = 1
     O(e) x = (1-c) x + c with c = e K/(K-1) (an error goes anywhere) or, marked `confused`, (1-e) x + e E x.
  4  weights = initial * exp(log evidence), normalised over both temperatures. full and drift start at `matrix_odds` of their weight.
  5  Smoothed posterior of every reading that weighs over 1e-13 (forward-backward):
       none        l
       persist(a)  chain s I + (1-s) u on ((1-c) l + c/K)/u, c = .1 K/(K-1), where l is that of T = 5/3 under BOTH temperatures,
                   u = n^lift / sum, n = (sum_t l + 5 prior)/(T + 5), s = strength a max(0, 1 - 1/(k-1)), k = 1/sum n^2 (effective classes)
       sticky      chain a I + (1-a) mu on O(e) M, starting at mu
       full        Baum-Welch from A_ij = mu_j on O(e) M;  drift: one matrix for each max(25, K) steps, counts decayed between blocks
       population  chain P on O(e) Mf
  6  Sharpening is undone in the answers of none and persist: posterior^(1/b), normalised. (Labels stay, calibration returns.)
  7  Answer: the weighted mean. Viterbi: the heaviest reading (none: of all its members; persist(a): of both temperatures) and its best path;
     none, and persist with s = 0: the most probable class of each q.

A label that is known for certain (`known`, by item: a class, or None): l is 1 there and 0 elsewhere, O(e) and c are no errors, b and E are those of the other
items, and the answer is the label.
"""
import json

import numpy as np

GRID = (0.2, 0.4, 0.6, 0.75, 0.87, 0.94, 0.98)
TEMPERATURES = (1.0, 5 / 3)
STICKY_ERRORS = ((0.05, False), (0.2, False), (0.4, False), (0.05, True), (0.2, True), (0.4, True))  # (e, confused)
MATRIX_ERRORS = ((0.0, True), (0.05, True), (0.2, True))
POPULATION_ERRORS = ((0.0, False), (0.05, False), (0.2, False), (0.4, False))
WEIGHTS = dict(none=0.7, persist=0.245, sticky=0.05, matrix=0.005, population=0.0)
WEIGHTS_POPULATION = dict(none=0.6, persist=0.2, sticky=0.045, matrix=0.005, population=0.15)
MATRIX_ODDS, GAMMA, BETA_FULL, BETA_DRIFT = 1e-12, 0.01, 4.0, 2.0
STRENGTH, LIFT, FLICKER, CONFIDENCE = 0.7, 0.2, 0.1, 0.8
BLOCK, PASSES, ENOUGH = 25, 30, 1e-5
WEIGHTLESS, TINY = 1e-13, 1e-300


def normalised(x):
    return x / x.sum(-1, keepdims=True)


def tempered(q, temperature):
    z = np.log(np.maximum(q, 1e-12)) / temperature
    return normalised(np.exp(z - z.max(-1, keepdims=True)))


def sharpness(q, confidence=CONFIDENCE):
    mean = lambda b: tempered(q, 1 / b).max(1).mean() if len(q) else 1.0
    if confidence <= 0 or mean(1.0) >= confidence:
        return 1.0
    if mean(16.0) <= confidence:
        return 16.0
    low, high = 1.0, 16.0
    for _ in range(40):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if mean(middle) < confidence else (low, middle)
    return np.sqrt(low * high)


def certain(l, known):
    """l with certainty where labels are known."""
    l = np.array(l)
    for t, k in enumerate(known):
        if k is not None:
            l[t] = np.eye(l.shape[1])[k]
    return l


def where_known(known, sure, seen):
    return np.where(np.array([k is not None for k in known])[:, None], sure, seen)


def others(q, known):
    return q[np.array([k is None for k in known], bool)]


def marginal(l, prior, pseudo):
    mu = prior.copy()
    for _ in range(200):
        new = (pseudo * prior + mu * (l / (l @ mu)[:, None]).sum(0)) / (len(l) + pseudo)
        moved, mu = np.abs(new - mu).sum(), new
        if moved < 1e-6:
            break
    return mu


def confusions(l):
    K = l.shape[1]
    E = l.T @ l
    np.fill_diagonal(E, 0)
    E = E + (0.1 * E.sum(1, keepdims=True) / K + 1e-3) * (1 - np.eye(K))
    return normalised(E) if K > 1 else E


def erring(x, e, confused, E):
    K = x.shape[-1]
    if K == 1:
        return x
    if confused:
        return (1 - e) * x + e * (x @ E.T)
    c = min(e * K / (K - 1), 1.0)
    return (1 - c) * x + c


def forward_backward(first, seen, step, back):
    """step(p, t): A'p into item t; back(v, t): A v. Returns posteriors, log likelihood, alphas and what is ahead of each item."""
    T, K = seen.shape
    alpha, post, ahead, logp = np.empty((T, K)), np.empty((T, K)), np.zeros((T, K)), 0.0
    for t in range(T):
        a = (first if t == 0 else step(alpha[t - 1], t)) * seen[t]
        z = a.sum()
        logp += np.log(z) if z > 0 else np.log(TINY)
        alpha[t] = a / z if z > 0 else normalised(seen[t])
    beta = np.ones(K)
    post[-1] = alpha[-1]
    for t in range(T - 2, -1, -1):
        ahead[t] = normalised(seen[t + 1] * beta)
        beta = normalised(back(seen[t + 1] * beta, t + 1))
        z = (alpha[t] * beta).sum()
        post[t] = alpha[t] * beta / z if z > 0 else alpha[t]
        if not z > 0:
            beta = np.ones(K)
    return post, logp, alpha, ahead


def stay_chain(first, seen, stay, restart):
    return forward_backward(first, seen, lambda p, t: stay * p + (1 - stay) * restart * p.sum(),
                            lambda v, t: stay * v + (1 - stay) * (restart @ v))[0]


def matrix_chain(first, seen, matrices, block):
    return forward_backward(first, seen, lambda p, t: matrices[t // block].T @ p, lambda v, t: matrices[t // block] @ v)


def baum_welch(mu, seen, beta, block, decay):
    T, K = seen.shape
    B = (T + block - 1) // block
    A, last = np.tile(mu, (B, K, 1)), -np.inf
    for _ in range(PASSES):
        _, logp, alpha, ahead = matrix_chain(mu, seen, A, block)
        C = np.zeros((B, K, K))
        for t in range(T - 1):
            a = A[(t + 1) // block]
            z = alpha[t] @ a @ ahead[t]
            if z > 1e-290:
                C[(t + 1) // block] += alpha[t][:, None] * a * ahead[t] / z
        total, carried = C.copy(), np.zeros((K, K))
        for b in range(B):
            total[b] += carried
            carried = (carried + C[b]) * decay
        carried = np.zeros((K, K))
        for b in range(B - 1, -1, -1):
            total[b] += carried
            carried = (carried + C[b]) * decay
        A = (total + beta * mu) / (total.sum(2, keepdims=True) + beta)
        if not logp - last > ENOUGH * T:
            break
        last = logp
    return A


class Hindsight:
    def __init__(self, q, population=None, frequencies=None, prior=None, confidence=CONFIDENCE, known=None):
        self.q = np.asarray(q, float)
        T, K = self.T, self.K = self.q.shape
        self.known = [None] * T if known is None else known
        self.P = None if population is None else np.asarray(population, float)
        self.f = None if frequencies is None else np.asarray(frequencies, float)
        self.prior = np.full(K, 1 / K) if prior is None else np.asarray(prior, float)
        self.b = sharpness(others(self.q, self.known), confidence)
        self.persist()
        w = WEIGHTS if population is None else WEIGHTS_POPULATION
        self.readings = []  # (kind, temperature index, a, e, confused, log weight)
        self.at = []
        for i, T_ in enumerate(TEMPERATURES):
            self.at.append(self.read(certain(tempered(self.q, T_ / self.b), self.known)))
            self.judge(i, w)
        logs = np.array([r[5] for r in self.readings])
        self.w = normalised(np.exp(logs - logs.max()))

    def read(self, l):
        mu, mu20 = marginal(l, self.prior, 5.0), marginal(l, self.prior, 20.0)
        M = l / mu20
        d = dict(l=l, mu=mu, L=l / (l @ mu)[:, None], M=M / (M @ mu)[:, None], E=confusions(others(l, self.known)))
        if self.P is not None:
            Mf = l / self.f
            d["Mf"] = Mf / (Mf @ mu)[:, None]
        return d

    def persist(self):
        T, K = self.T, self.K
        l = certain(tempered(self.q, TEMPERATURES[-1] / self.b), self.known)
        n = (l.sum(0) + 5 * self.prior) / (T + 5)
        self.u = normalised(n ** LIFT)
        c = min(FLICKER * K / (K - 1), 1.0) if K > 1 else 0.0
        self.lf = where_known(self.known, l, (1 - c) * l + c / K) / self.u
        k = 1 / (n ** 2).sum()
        self.share = max(0.0, 1 - 1 / (k - 1)) if k > 1 else 0.0

    def erring(self, x, e, confused, E):
        return where_known(self.known, x, erring(x, e, confused, E))

    def judge(self, i, w):
        d, T = self.at[i], self.T
        mu, l, L, M, E = d["mu"], d["l"], d["L"], d["M"], d["E"]
        n = len(TEMPERATURES) * sum(w.values())
        add = lambda kind, a, e, confused, weight, log: self.readings.append((kind, i, a, e, confused, np.log(weight / n) + log))
        add("none", 0, 0, False, w["none"] / 3, 0.0)
        for delta in (0.002, 0.02):
            mass, log = np.zeros(self.K), 0.0
            for t in range(T):
                m = (mass + mu) / (mass.sum() + 1)
                log += np.log((m @ l[t]) / (mu @ l[t]))
                mass = (1 - delta) * mass + m * l[t] / (m @ l[t])
            add("none", 0, delta, False, w["none"] / 3, log)
        inert = (np.vstack([mu, l[:-1]]) * L).sum(1)
        for a in GRID:
            add("persist", a, 0, False, w["persist"] / len(GRID), np.log(a * inert + 1 - a).sum())
        for a in GRID:
            for e, confused in STICKY_ERRORS:
                OL, OM, p, log = self.erring(L, e, confused, E), self.erring(M, e, confused, E), mu, 0.0
                for t in range(T):
                    log += np.log(a * (p @ OL[t]) + 1 - a)
                    p = normalised((a * p + (1 - a) * mu) * OM[t])
                add("sticky", a, e, confused, w["sticky"] / (len(GRID) * len(STICKY_ERRORS)), log)
        for kind, gamma, beta in (("full", 0.0, BETA_FULL), ("drift", GAMMA, BETA_DRIFT)):
            for e, confused in MATRIX_ERRORS:
                OL, OM, p, log, C = self.erring(L, e, confused, E), self.erring(M, e, confused, E), mu, 0.0, np.zeros((self.K, self.K))
                for t in range(T):
                    A = (C + beta * mu) / (C.sum(1, keepdims=True) + beta)
                    ahead = A.T @ p
                    log += np.log(max(ahead @ OL[t], TINY))
                    z = ahead @ OM[t]
                    if z > 1e-290:
                        if t > 0:
                            C = (1 - gamma) * C + p[:, None] * A * OM[t] / z
                        p = ahead * OM[t] / z
                    else:
                        p = normalised(M[t])
                add(kind, 0, e, confused, w["matrix"] * MATRIX_ODDS / (2 * len(MATRIX_ERRORS)), log)
        if self.P is not None:
            for e, confused in POPULATION_ERRORS:
                OL, OM, p, log = self.erring(L, e, confused, E), self.erring(d["Mf"], e, confused, E), mu, 0.0
                for t in range(T):
                    ahead = self.P.T @ p
                    log += np.log(max(ahead @ OL[t], TINY))
                    p = normalised(ahead * OM[t])
                add("population", 0, e, confused, w["population"] / len(POPULATION_ERRORS), log)

    def chain(self, reading):
        """(first, seen, matrices, block) of any reading but none."""
        kind, i, a, e, confused, _ = reading
        d, K, T, eye = self.at[i], self.K, self.T, np.eye(self.K)
        if kind == "persist":
            s = STRENGTH * a * self.share
            return self.u, self.lf, [s * eye + (1 - s) * self.u], T
        seen = self.erring(d["Mf" if kind == "population" else "M"], e, confused, d["E"])
        if kind == "sticky":
            return d["mu"], seen, [a * eye + (1 - a) * d["mu"]], T
        if kind == "population":
            return d["mu"], seen, [self.P], T
        block = T if kind == "full" else max(BLOCK, K)
        return d["mu"], seen, baum_welch(d["mu"], seen, BETA_FULL if kind == "full" else BETA_DRIFT, block,
                                         1.0 if kind == "full" else (1 - GAMMA) ** block), block

    def posterior(self, reading):
        kind = reading[0]
        p = self.at[reading[1]]["l"] if kind == "none" else matrix_chain(*self.chain(reading))[0]
        if kind in ("none", "persist") and self.b > 1:  # sharpening is undone
            p = normalised(np.maximum(p, TINY) ** (1 / self.b))
        return p

    def smooth(self):
        out = np.zeros((self.T, self.K))
        for w, r in zip(self.w, self.readings):
            if w > WEIGHTLESS:
                out += w * self.posterior(r)
        return certain(normalised(out), self.known)

    def viterbi(self):
        groups = {}
        for w, r in zip(self.w, self.readings):
            key = "none" if r[0] == "none" else r[:1] + r[2:3] if r[0] == "persist" else r[:5]
            total, first = groups.get(key, (0.0, r))
            groups[key] = (total + w, first)
        _, r = max(groups.values(), key=lambda g: g[0])
        if r[0] == "none" or (r[0] == "persist" and self.share == 0):
            return certain(self.q, self.known).argmax(1)
        first, seen, matrices, block = self.chain(r)
        T, K = self.T, self.K
        log = lambda x: np.log(np.maximum(x, TINY))
        score, origin = log(first) + log(seen[0]), np.zeros((T, K), int)
        for t in range(1, T):
            ways = score[:, None] + log(matrices[t // block])
            origin[t] = ways.argmax(0)
            score = ways.max(0) + log(seen[t])
        path = [int(score.argmax())]
        for t in range(T - 1, 0, -1):
            path.append(int(origin[t][path[-1]]))
        return np.array(path[::-1])


class Lagged:
    """Fixed lag N: the answer for item t-N, given the items up to t, of which the last `window` count.

    refresh: b, mu, E, u and share are those of the window as it is (mu and the lift's mu20 both under 20 pseudo-observations), and all
    recursions of `Hindsight.judge` run over it from its first item. This happens at the first item and then whenever max(4, n // 8) items
    came since the last time, n the items in the window; at the end of the stream once more. In between, every item extends the recursions
    with the parameters as they are. So weights are judged under the marginal known by now, at some nine passes an item.

    look: weights = initial * exp(log evidence over the window); readings over 1e-4 are run back from item t to t-N through their own chains
    (full and drift through the online learner's matrix as it is; there is no Baum-Welch) and mixed, sharpening undone as in `smooth`.
    """

    LIVE = 1e-4

    def __init__(self, K, lag, window=256, population=None, frequencies=None, prior=None, confidence=CONFIDENCE):
        self.K, self.lag, self.window, self.confidence = K, lag, window, confidence
        self.P, self.f = (None, None) if population is None else (np.asarray(population, float), np.asarray(frequencies, float))
        self.prior = np.full(K, 1 / K) if prior is None else np.asarray(prior, float)
        self.q, self.known, self.start, self.last, self.due = [], [], 0, None, 0

    def kinds(self):
        w = WEIGHTS if self.P is None else WEIGHTS_POPULATION
        for d in (None, 0.002, 0.02):
            yield ("none", 0, d, False, 0, 0, w["none"] / 3)
        for a in GRID:
            yield ("persist", a, 0, False, 0, 0, w["persist"] / len(GRID))
        for a in GRID:
            for e, x in STICKY_ERRORS:
                yield ("sticky", a, e, x, 0, 0, w["sticky"] / (len(GRID) * len(STICKY_ERRORS)))
        for kind, gamma, beta in (("full", 0.0, BETA_FULL), ("drift", GAMMA, BETA_DRIFT)):
            for e, x in MATRIX_ERRORS:
                yield (kind, 0, e, x, gamma, beta, w["matrix"] * MATRIX_ODDS / (2 * len(MATRIX_ERRORS)))
        if self.P is not None:
            for e, x in POPULATION_ERRORS:
                yield ("population", 0, e, x, 0, 0, w["population"] / len(POPULATION_ERRORS))

    def refresh(self, t):
        K = self.K
        self.start, self.last = max(0, t + 1 - self.window), t
        q, known = np.array(self.q[self.start:t + 1]), self.known[self.start:t + 1]
        self.b = sharpness(others(q, known), self.confidence)
        l = certain(tempered(q, TEMPERATURES[-1] / self.b), known)
        n = (l.sum(0) + 5 * self.prior) / (len(l) + 5)
        self.u, k = normalised(n ** LIFT), 1 / (n ** 2).sum()
        self.share = max(0.0, 1 - 1 / (k - 1)) if k > 1 else 0.0
        self.mu, self.E = [], []
        for T_ in TEMPERATURES:
            l = certain(tempered(q, T_ / self.b), known)
            self.mu.append(marginal(l, self.prior, 20.0))
            self.E.append(confusions(others(l, known)))
        self.readings = [dict(kind=k, a=a, e=e, x=x, gamma=g, beta=be, i=i, log=np.log(w / len(TEMPERATURES)), alpha=[], seen=[],
                              C=np.zeros((K, K)), mass=np.zeros(K)) for i in range(len(TEMPERATURES)) for k, a, e, x, g, be, w in self.kinds()]
        self.like = [[] for _ in TEMPERATURES]
        for s in range(self.start, t + 1):
            self.extend(s)

    def extend(self, t):
        K, q, known = self.K, self.q[t], self.known[t]
        sure = lambda l: l if known is None else np.eye(K)[known]
        wrong = erring if known is None else lambda x, e, confused, E: x
        c = min(FLICKER * K / (K - 1), 1.0) if K > 1 and known is None else 0.0
        lf = ((1 - c) * sure(tempered(q, TEMPERATURES[-1] / self.b)) + c / K) / self.u
        for i, T_ in enumerate(TEMPERATURES):
            l, mu, E = sure(tempered(q, T_ / self.b)), self.mu[i], self.E[i]
            L, M = l / (mu @ l), l / mu
            M = M / (mu @ M)
            before = self.like[i][-1] if self.like[i] else mu
            self.like[i].append(l)
            for r in self.readings:
                if r["i"] != i:
                    continue
                kind, a, first = r["kind"], r["a"], not r["alpha"]
                if kind == "none":
                    if r["e"] is not None:
                        m = (r["mass"] + mu) / (r["mass"].sum() + 1)
                        r["log"] += np.log((m @ l) / (mu @ l))
                        r["mass"] = (1 - r["e"]) * r["mass"] + m * l / (m @ l)
                    r["alpha"].append(l)
                    continue
                if kind == "persist":
                    r["log"] += np.log(a * (before @ L) + 1 - a)
                    s = STRENGTH * a * self.share
                    p = self.u if first else s * r["alpha"][-1] + (1 - s) * self.u
                    r["alpha"].append(normalised(p * lf))
                    r["seen"].append(lf)
                    r["A"] = s * np.eye(K) + (1 - s) * self.u
                    continue
                p = mu if first else r["alpha"][-1]
                OL, OM = wrong(L, r["e"], r["x"], E), wrong(M, r["e"], r["x"], E)
                if kind == "sticky":
                    r["log"] += np.log(a * (p @ OL) + 1 - a)
                    r["A"] = a * np.eye(K) + (1 - a) * mu
                    new = normalised((a * p + (1 - a) * mu) * OM)
                else:
                    if kind == "population":
                        Mf = l / self.f
                        OM, r["A"] = wrong(Mf / (mu @ Mf), r["e"], r["x"], E), self.P
                    else:
                        r["A"] = (r["C"] + r["beta"] * mu) / (r["C"].sum(1, keepdims=True) + r["beta"])
                    ahead = r["A"].T @ p
                    r["log"] += np.log(max(ahead @ OL, TINY))
                    z = ahead @ OM
                    new = ahead * OM / z if z > 1e-290 else normalised(M)
                    if kind != "population" and z > 1e-290 and not first:
                        r["C"] = (1 - r["gamma"]) * r["C"] + p[:, None] * r["A"] * OM / z
                        r["A"] = (r["C"] + r["beta"] * mu) / (r["C"].sum(1, keepdims=True) + r["beta"])
                r["alpha"].append(new)
                r["seen"].append(OM)

    def step(self, q, known=None):
        """The answer for item t-N, or None while there is none."""
        self.q.append(np.asarray(q, float))
        self.known.append(known)
        t = len(self.q) - 1
        n = min(t + 1, self.window)
        if self.last is None or t - self.last >= max(4, n // 8):
            self.refresh(t)
        else:
            self.extend(t)
        self.due += 1
        if self.due > self.lag:
            self.due -= 1
            return self.look(t - self.lag, t)

    def flush(self):
        """The answers still due, oldest first."""
        t = len(self.q) - 1
        if t >= 0 and self.last != t:
            self.refresh(t)
        out = [self.look(s, t) for s in range(t + 1 - self.due, t + 1)]
        self.due = 0
        return out

    def look(self, s, t):
        if self.known[s] is not None:
            return np.eye(self.K)[self.known[s]]
        logs = np.array([r["log"] for r in self.readings])
        w = normalised(np.exp(logs - logs.max()))
        for k, r in enumerate(self.readings):  # persist's chain does not depend on the temperature: both count together
            if r["kind"] == "persist" and r["i"] == 0:
                others = [j for j, o in enumerate(self.readings) if o["kind"] == "persist" and o["a"] == r["a"] and o["i"] > 0]
                w[k] += w[others].sum()
                w[others] = 0
        out, i, j = np.zeros(self.K), s - self.start, t - self.start
        for weight, r in zip(w, self.readings):
            if r["kind"] != "none" and weight < self.LIVE:
                continue
            p = r["alpha"][i]
            if r["kind"] != "none":
                beta = np.ones(self.K)
                for v in range(j, i, -1):
                    beta = normalised(r["A"] @ (r["seen"][v] * beta))
                p = normalised(p * beta) if (p * beta).sum() > 0 else p
            if r["kind"] in ("none", "persist") and self.b > 1:
                p = normalised(np.maximum(p, TINY) ** (1 / self.b))
            out += weight * p
        return normalised(out)


def lagged(q, lag, known=None, **settings):
    f = Lagged(np.shape(q)[1], lag, **settings)
    out = [a for a in map(f.step, q, known or [None] * len(q)) if a is not None]
    return np.array(out + f.flush())


def smooth(q, **settings):
    h = Hindsight(q, **settings)
    return h.smooth(), h


def stream(rng, K, T, follow, seen=0.6):
    """Predictions, six digits of them, of labels that `follow` makes of the last one."""
    y = [0]
    for _ in range(T - 1):
        y.append(follow(y[-1]))
    return np.round(normalised(0.7 * rng.dirichlet(np.full(K, 0.7), T) + seen * np.eye(K)[y] * rng.random((T, 1))), 6)


def case(note, q, lag=None, recording=True, **config):
    out = dict(note=note, K=q.shape[1], config={k: np.asarray(v).tolist() for k, v in config.items()}, q=q.tolist())
    if recording:
        h = Hindsight(q, **config)
        out.update(b=h.b, weights=[float("%.12g" % w) if w > 1e-15 else 0 for w in h.w],
                   out=np.round(h.smooth(), 13).tolist(), path=h.viterbi().tolist())
    if lag is not None:
        out.update(lag=lag, lagged=np.round(lagged(q, lag, **config), 13).tolist())
    return out


def golden(seed=20261128):
    rng, cases = np.random.default_rng(seed), []
    for K in (2, 3, 5, 14):
        T = 60 if K < 14 else 40
        P, f = normalised(rng.dirichlet(np.ones(K), K) + 2 * np.eye(K)), rng.dirichlet(np.full(K, 5.0))
        for stay in (0.0, 0.9):
            q = stream(rng, K, T, lambda y: y if rng.random() < stay else int(rng.integers(K)))
            cases.append(case("stay %g" % stay, q, lag=5))
            cases.append(case("stay %g, population" % stay, q, lag=3 if K < 14 else None, population=P, frequencies=f))
            if K < 14:
                cases.append(case("stay %g, never sharpened" % stay, q, confidence=0.0))
    around = lambda K, sure=0.97: lambda y: (y + 1) % K if rng.random() < sure else int(rng.integers(K))
    cases.append(case("cycle, full", stream(rng, 3, 600, around(3, 0.7), 4.0), lag=4))
    turned = np.vstack([stream(rng, 4, 100, around(4), 3.0), stream(rng, 4, 100, around(4), 3.0)[:, ::-1]])
    cases.append(case("cycle that turns, drift", turned))
    cycle = normalised(np.roll(np.eye(3), 1, 1) + 0.05)
    cases.append(case("cycle, population", stream(rng, 3, 60, around(3), 2.0), lag=6, population=cycle, frequencies=np.full(3, 1 / 3)))
    cases.append(case("prior", stream(rng, 3, 60, lambda y: y if rng.random() < 0.8 else 0), lag=2, prior=[0.6, 0.3, 0.1]))
    zeros = np.eye(3)[rng.integers(3, size=40)]
    zeros[::4] = [0.25, 0.75, 0]
    cases.append(case("zeros", zeros, lag=4))
    cases.append(case("all alike", np.tile([0.5, 0.3, 0.2], (20, 1)), lag=4))
    cases.append(case("one item", np.array([[0.1, 0.9]]), lag=1))
    cases.append(case("one class", np.ones((5, 1)), lag=2))
    cases.append(case("window moves", stream(rng, 3, 330, lambda y: y if rng.random() < 0.9 else int(rng.integers(3))), lag=7, recording=False))
    return dict(seed=seed, cases=cases)


if __name__ == "__main__":
    with open("hindsight_golden.json", "w") as file:
        json.dump(golden(), file, separators=(",", ":"))
        file.write("\n")
