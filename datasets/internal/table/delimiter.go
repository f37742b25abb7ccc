package table

// Delimiter returns the one of comma, semicolon and tab that the first line has most of outside quotes; of equals, the first of these. Commas
// that all stand in numbers, one in each cell at the most, are decimal ones, as in a line of values without a header.
func Delimiter(head []byte) byte {
	counts := map[byte]int{}
	quoted := false
	end := len(head)
	for i, b := range head {
		if b == '"' {
			quoted = !quoted
		}
		if b == '\n' && !quoted {
			end = i
			break
		}
		if !quoted {
			counts[b]++
		}
	}
	best := byte(',')
	for _, b := range []byte(";\t") {
		if counts[b] > counts[best] || counts[b] > 0 && best == ',' && decimalCommas(head[:end], b) {
			best = b
		}
	}
	return best
}

// decimalCommas tells whether all commas of a line stand between digits, one in each cell at the most.
func decimalCommas(line []byte, delimiter byte) bool {
	digit := func(i int) bool { return i >= 0 && i < len(line) && line[i] >= '0' && line[i] <= '9' }
	inCell := 0
	for i, b := range line {
		switch b {
		case delimiter:
			inCell = 0
		case ',':
			if inCell++; inCell > 1 || !digit(i-1) || !digit(i+1) {
				return false
			}
		}
	}
	return true
}
