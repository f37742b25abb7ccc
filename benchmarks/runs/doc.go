// Package runs lets a network predict the items of an input in any order, for studies: what comes out are probabilities, and no filter has
// seen them. Orders without meaning, the negative control, are drawn here, too.
package runs
