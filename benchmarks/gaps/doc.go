// Package gaps measures what it is worth to know when items come: the filters without times, with missed steps, with breaks and with
// both, on a camera's real times and on recordings from which items were taken away.
//
//	oatta bench gaps --shared ../shared --seeds 3
//
// The folder holds data/predictions, data/cifar10, data/cameratrap, data/motion and data/sleep. All numbers are changes in points
// against the base predictor on the items that are left. The camera is the real order and the real times of 6145 pictures, with
// predictions of our ResNet-18 for CIFAR-10-C pictures of a class that stands for the label: mean over fifteen corruptions and the
// seeds, in brackets the worst corruption. The recordings are real predictions on HAPT (plain and with noisy features) and on sleep, and
// the same replayed: mean over the five collections, in brackets the worst stream. The same settings give the same bytes.
package gaps
