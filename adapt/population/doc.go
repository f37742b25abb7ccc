// Package population learns, from labelled streams of other people, cameras or accounts, how classes follow each other: what the filter
// takes for one more hypothesis ([adapt.Population]), and the file that carries it.
//
// # What is learned
//
// With C_ij the number of times that class j follows class i one item later, C_i. its sum over j, and f the class frequencies,
//
//	A_ij = (C_ij + Beta f_j) / (C_i. + Beta)
//
// A pair counts where nothing is known to lie between its items: no item without a label, no missed step of the stream's rhythm, no long
// gap, no time that goes back (package timeline judges, by the median of the stream's own steps). A run is items of one class with a
// counted pair between any two neighbours; one that a gap or an end cuts counts as long as it was seen. The rhythm is the median time from
// one item to the next, if items have times.
//
// # What is not told
//
// A count under [Least] may be one person's. In each row of C the cells under Least, zeros included, are pooled: they share their total in
// proportion to the frequencies of their classes. Where that would leave it to one class that occurs, the total becomes 0 or Least,
// whichever is nearer. Classes that occur less often share their items evenly; lengths of runs are pooled in the same way, in proportion to a
// geometric distribution, and a class with fewer than Least runs has the lengths of all. A count of Least or more can still be of one
// stream: [Order.Streams] says how many there were, and of one stream the order is that person's.
//
// # The file
//
// JSON of type [Order], of at most [MaxBytes]; [Read] is strict. Classes are known by name: [Order.For] brings them into the order of
// a predictor.
//
// A short example:
//
//	counts := population.NewCounts(len(classes))
//	for _, stream := range streams {
//		counts.Add(stream) // []population.Item, in order
//	}
//	order, err := counts.Order(classes)
//	p, err := order.For(model.Labels)
//	filter, err := adapt.New(len(model.Labels), adapt.Settings{Population: p})
package population
