// Package evaluation prints the scores of eval and filter, and finds true labels among the classes.
package evaluation
