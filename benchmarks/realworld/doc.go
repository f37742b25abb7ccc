// Package realworld is the study of identities as streams on real data: people who wear a sensor, sleepers, accounts, speakers, a camera, each
// filtered by itself, as the paper's real-world benchmarks have it. It has for every one of them, and as the mean over them, what a network
// makes of their items and what each filter makes of that, with the negative control: the items of each stream in an order without meaning.
//
//	oatta bench realworld --shared DIR
//
// What lies at hand stands in for the paper's collections: HAPT for HARTH, ten sleepers' features and one night for Sleep-EDF, the most
// active accounts of a part of Sentiment140 and the speakers of MELD for SENT, the labels of a camera for camera traps. The networks are those in
// the binary, which none of the people tested was in the training of. The paper's own collections take the place beside them for who
// has them, each with a model that was trained as the paper says, see [Own].
//
// The paper's filters ("off", without a gate, and "ewma", with one) have a uniform prior, as the paper does. "auto" is the filter of `oatta
// run`: with the temperature, prior and transitions of the model's manifest, causally or by the whole recording (smoothed).
package realworld
