// Package filtering reads, for run, eval and filter alike, how streams are filtered: the settings of the filter, what becomes of the time
// between items, how much of its stream an answer may know, what other streams taught, what is remembered from run to run and what is
// explained. It writes what manifests tell of that.
package filtering
