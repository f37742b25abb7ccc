package models

import (
	"reflect"
	"testing"
)

func TestShape(t *testing.T) {
	picture := Manifest{Input: Input{Height: 8, Width: 8}}
	nhwc := picture
	nhwc.Input.Layout = NHWC
	for _, c := range []struct {
		m    Manifest
		want []int64
	}{
		{picture, []int64{3, 8, 8}},
		{nhwc, []int64{8, 8, 3}},
		{Manifest{Signal: &Signal{Channels: []string{"x"}, Samples: 5}}, []int64{1, 5}},
		{Manifest{Text: &Text{}}, nil},
	} {
		if got := c.m.Shape(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
}
