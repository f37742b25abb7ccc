// Package controlled is the paper's main table with real networks: controlled streams, five predictors, each plain and behind the filter,
// over seeds, with the tests of significance that the paper used and its numbers beside.
//
//	oatta bench controlled --shared DIR --cache DIR
//	oatta bench controlled --network resnet18 --memo-pictures 300 --cache DIR
//	oatta bench controlled --pictures cifar10.1_v6_data.npy --labels cifar10.1_v6_labels.npy
//
// A seed draws the labels of a stream after its law ([datasets.Controlled]) and then a picture for each, with replacement; all predictors but
// MEMO see the same items. MEMO, a hundred times as dear as the network, has a part of the pictures, and streams of its own with the same
// labels, whose items are drawn from that part; the plain network is measured on these as well.
//
// A pair is a predictor without and with the filter on the same streams. Its test is the signed-rank test over the differences of seeds;
// of the five pairs of a stream and filter, Holm's correction makes one family. All of it is counted in hits, which are whole numbers, so
// that ties are ties.
package controlled
