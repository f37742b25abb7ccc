// Package predictors is the study of the five predictors on real networks and pictures, each with and without the filter: accuracy on clean
// and corrupted CIFAR-10, in an order without meaning and in a sticky one.
//
//	oatta bench predictors --shared ../shared --cifar DIR --cache DIR
//
// The networks are the embedded ResNet-20 and the project's ResNet-18. Pictures are the first ones of the lossless test set (the folder
// --cifar, of fetch_assets.sh cifar10) and of one corruption of each family of CIFAR-10-C at severity 5 (data/cifar10c of --shared). Predictors
// and filter have the settings that `oatta eval` gives them where nobody asks for others. A stream's labels follow S1 (shuffled: each drawn anew) or
// S2 (sticky: repeated with probability 0.9) of package datasets, and its pictures are drawn for them, with replacement. What predictors
// other than Tent say of a picture does not depend on the order, so it is computed once; Tent runs along every stream.
//
// With --settings it compares settings of Tent, TTAug and MEMO in place of that, on other pictures: from number 1000 of the test set on, and
// another corruption of each family. So no setting is chosen on what the study measures.
//
// MEMO takes a fifth of a second a picture with ResNet-20 on a core, and a second with ResNet-18. --cache keeps predictions as they come: a
// run that was cut goes on, and more pictures cost only what is new; package networks says what it keeps. The same settings give the same
// tables on the same kind of machine.
package predictors
