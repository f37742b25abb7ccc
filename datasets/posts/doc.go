// Package posts reads what people wrote, post by post, and brings it into streams by user: Sentiment140, CSV, JSON lines and LEAF JSON.
//
// # The contract
//
// A reader tells one [Post] after another in the order of the file, in memory that does not grow with the file (LEAF apart, which is one JSON
// value). A row that cannot be understood is a [RowError] with its line, and the reader goes on behind it; any other error ends the file. Where a
// quote is not closed, a row ends where CSV says that it does, which may be many lines on: rows have at most 16 MiB.
//
// [Open] holds all posts in memory but for their texts, some 45 bytes and the id each, up to a limit, and orders each stream by time. The texts, once they
// are over 4 MiB, wait in a temporary file (TMPDIR says in which folder, TMP on Windows), so that what was read is what is classified, even if the
// file of posts changes meanwhile, and gzip is read once. The order is stable: posts of one time, and posts without a time, which take that of their
// predecessor in the file, stay in the order of the file. Streams come in order of their first post.
//
// # Text
//
// Line ends are LF, CRLF or CR alone, as old Macs had them; a byte order mark is passed over. A cell of a table, or a line of JSON, that is
// UTF-8 is taken as that; any other is taken for Windows-1252, which has Latin-1 in it, as Sentiment140 is published, and counted. UTF-16 is known by its
// byte order mark. What was damaged before (mojibake) is not repaired.
// NUL and other control characters stay.
//
// # Times
//
// As [datasets.TimeReader] has them, with numbers of less than three years for seconds since a beginning; words for a missing time are none. The names of
// zones and what they are taken for: UTC and GMT +0, EST -5, EDT -4, CST -6, CDT -5, MST -7, MDT -6, PST -8, PDT -7, the ones of the
// United States (CST is not China's). Any other name is an error of its row that tells the name. A time without a zone is taken for UTC.
// Streams are ordered by instants where all of their times have a zone, else by what the clock on the wall showed.
//
// # Formats
//
// Sentiment140 (http://help.sentiment140.com/for-students): six columns without header, polarity (0 negative, 2 neutral, 4 positive), id, date,
// query, user, text. LEAF (https://leaf.cmu.edu): {"users": [...], "num_samples": [...], "user_data": {user: {"x": [...], "y": [...]}}} with an element of x a text, or
// the list [id, date, query, user, text, ...] of its Sentiment140 data.
//
// # Example
//
//	list, err := posts.Open("training.1600000.csv", posts.Options{})
//	...
//	texts := list.Texts()
//	defer texts.Close()
//	for i := range list.Len() {
//		text, err := texts.Text(i)
//		...
//		fmt.Println(list.Post(i).Stream, text)
//	}
package posts
