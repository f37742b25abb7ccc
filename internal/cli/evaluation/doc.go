// Package evaluation prints the scores of eval and filter, and finds labels among the classes: true ones to score against, and ones that are known for
// certain, for the filter.
package evaluation
