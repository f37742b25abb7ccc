package camera

func setWide(on bool) { wide = on }
