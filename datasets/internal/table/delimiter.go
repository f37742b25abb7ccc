package table

// Delimiter returns the one of comma, semicolon and tab that the first line has most of outside quotes; of equals, the first of these.
func Delimiter(head []byte) byte {
	counts := map[byte]int{}
	quoted := false
	for _, b := range head {
		if b == '"' {
			quoted = !quoted
		}
		if b == '\n' && !quoted {
			break
		}
		if !quoted {
			counts[b]++
		}
	}
	best := byte(',')
	for _, b := range []byte(";\t") {
		if counts[b] > counts[best] {
			best = b
		}
	}
	return best
}
