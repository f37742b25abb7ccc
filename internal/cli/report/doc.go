// Package report is `oatta report`: a page to send, and figures, of the results of run, eval and filter.
package report
