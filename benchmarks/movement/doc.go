// Package movement is the study of the five predictors, and of the filter behind each, with the embedded network for movement on people whom it
// has not seen: users 21 to 30 of HAPT.
//
//	oatta bench movement --shared ../shared
//
// Windows, predictors and filter are those of `oatta eval motion` where no flag asks for others: the filter has temperature, prior and
// transitions of the network's manifest, and answers causally and by the whole recording. The negative control has the windows of each recording
// in an order without meaning, in which a filter has nothing to gain: what predictors other than Tent say of a window does not depend on the
// order; Tent runs again. The same settings give the same tables on the same kind of machine.
package movement
