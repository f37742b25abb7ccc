// Package significance has the tests by which the studies call a change significant: the Wilcoxon signed-rank test of paired differences,
// and Holm's correction where several of them are looked at together. They are SciPy's scipy.stats.wilcoxon with its defaults and
// statsmodels' multipletests(method="holm"), which a golden holds them to.
package significance
