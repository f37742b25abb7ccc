// Package live holds the filters of streams that are in memory, whatever keeps the others: those that wait for a commit must stay, the rest leave in
// the order of their last use. It is not safe for concurrent use.
package live
