package image

// normalisation tabulates the tensor's value of each byte, by colour, with the float32 operations of torchvision's ToTensor
// and Normalize in their order: divide by 255, subtract the mean, divide by the deviation.
func normalisation(s Settings) (tables [3][256]float32) {
	for c := range tables {
		mean, std := float32(s.Mean[c]), float32(s.Std[c])
		if s.Std[c] == 0 {
			std = 1
		}
		for v := range tables[c] {
			x := float32(v)
			if !s.Unscaled {
				x /= 255
			}
			tables[c][v] = (x - mean) / std
		}
	}
	return tables
}

// planes returns where the three colours begin in a tensor, and how far apart neighbouring pixels are.
func (t *Transform) planes(dst []float32) (r, g, b []float32, step int) {
	red, green, blue := 0, 1, 2
	if t.settings.BGR {
		red, blue = 2, 0
	}
	step, plane := 1, t.settings.Height*t.settings.Width
	if t.settings.Layout == NHWC {
		step, plane = 3, 1
	}
	return dst[red*plane:], dst[green*plane:], dst[blue*plane:], step
}

// normalise writes the tensor of a crop of [height, width, 3] bytes.
func (t *Transform) normalise(dst []float32, crop []uint8) { t.tabulate(dst, crop, &t.tables) }

// tabulate writes the values that tables, by colour, have for the bytes of a crop.
func (t *Transform) tabulate(dst []float32, crop []uint8, tables *[3][256]float32) {
	rt, gt, bt := &tables[0], &tables[1], &tables[2]
	r, g, b, step := t.planes(dst)
	if step == 1 {
		n := len(crop) / 3
		r, g, b = r[:n], g[:n], b[:n]
		for i := range r {
			p := crop[3*i : 3*i+3 : 3*i+3]
			r[i], g[i], b[i] = rt[p[0]], gt[p[1]], bt[p[2]]
		}
		return
	}
	for at := 0; len(crop) >= 3; at += step {
		r[at], g[at], b[at] = rt[crop[0]], gt[crop[1]], bt[crop[2]]
		crop = crop[3:]
	}
}
