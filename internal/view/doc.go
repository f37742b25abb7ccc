// Package view shows results one item at a time in a browser on the same machine, and takes corrections.
//
// # Contract
//
// A [Collection] holds what the results say, in memory: some 200 bytes an item. Items have numbers, from 0 in the order of the file, and
// requests name items by these alone. What an item shows is found by the results' own names below one folder ([Inputs]), whose root refuses
// what leads out of it; nothing is ever written there. Corrections go to a table of package corrections and nowhere else.
//
// # Who may ask
//
// The gate ([Gate]) is for a listener of the loopback address. Whoever has the one-time address gets a cookie; every other request needs it. The
// Host header must be the server's own, so that no name of somebody else's that leads to this machine is served; what changes something must
// come from a page of the server itself. Pages hold no script of their own: a strict policy allows one file of script and one of style, both
// the server's, and nothing of any other host.
//
// Pages work without the script: it only gives keys to links and buttons.
//
// Behind the gate stands a [Server], which shows a collection, or, where there are no results yet, a first page ([Starter]), on which a folder
// is named that the program is run on.
package view
