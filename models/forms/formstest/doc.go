// Package formstest has a network whose forms depend on how many rows its runs mostly have, for tests of whoever tells that.
package formstest
