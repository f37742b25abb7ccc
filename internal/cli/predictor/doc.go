// Package predictor reads the flags that choose what predicts: the plain network, MC dropout, augmentation, Tent or MEMO.
package predictor
