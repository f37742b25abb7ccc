package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oatta/oatta/datasets/edf/hypnogram"
)

// Where the real data are not here, tests that need their form, and not what they say, take these instead.

// standInHAPT writes recordings as long as the first ones of HAPT, with labels of the same form and stretches without any.
func standInHAPT(t *testing.T, recordings int) string {
	t.Helper()
	dir, labels := t.TempDir(), ""
	r := rand.New(rand.NewPCG(1, 2))
	for e, samples := range []int{20598, 19286}[:recordings] {
		activities := make([]int, samples)
		const stretch, pause = 970, 60
		for i, from := 0, 250; from+stretch < samples; i, from = i+1, from+stretch+pause {
			activity := []int{5, 4, 6, 1, 3, 2, 3, 2, 1, 4}[i%10]
			labels += fmt.Sprintf("%d 1 %d %d %d\n", e+1, activity, from, from+stretch)
			for at := from; at < from+stretch; at++ {
				activities[at] = activity
			}
		}
		var text strings.Builder
		for i, a := range activities {
			turn, swing := float64(a)/2, 0.3*math.Sin(float64(i)*float64(a)/9)
			fmt.Fprintf(&text, "%g %g %g\n", math.Cos(turn)+swing, math.Sin(turn)+0.02*r.NormFloat64(), swing/2+0.02*r.NormFloat64())
		}
		writeFile(t, filepath.Join(dir, fmt.Sprintf("acc_exp%02d_user01.txt", e+1)), text.String())
	}
	writeFile(t, filepath.Join(dir, "labels.txt"), labels)
	return dir
}

// standInNight writes a recording with the header of SC4001E0, cut as night cuts it, and a hypnogram of the whole night.
func standInNight(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	head := fmt.Sprintf("%-8s%-80s%-80s%-16s%-8d%-44s%-8d%-8d%-4d", "0", "X F X Female_33yr", "Startdate 25-APR-1989 X X X", "25.04.8900.38.00", nightHeader, "", nightEpochs, 30, 7)
	samples := []int{3000, 3000, 3000, 30, 30, 30, 30}
	for _, field := range []struct {
		width  int
		values []any
	}{
		{16, []any{"EEG Fpz-Cz", "EEG Pz-Oz", "EOG horizontal", "Resp oro-nasal", "EMG submental", "Temp rectal", "Event marker"}},
		{80, []any{"", "", "", "", "", "", ""}},
		{8, []any{"uV", "uV", "uV", "", "uV", "DegC", ""}},
		{8, []any{-192, -197, -1009, -2048, -5, 34, -2047}},
		{8, []any{192, 196, 1009, 2047, 5, 40, 2048}},
		{8, []any{-2048, -2048, -2048, -2048, -2500, -2849, -2047}},
		{8, []any{2047, 2047, 2047, 2047, 2500, 2731, 2048}},
		{80, []any{"", "", "", "", "", "", ""}},
		{8, []any{samples[0], samples[1], samples[2], samples[3], samples[4], samples[5], samples[6]}},
		{32, []any{"", "", "", "", "", "", ""}},
	} {
		for _, v := range field.values {
			head += fmt.Sprintf("%-*v", field.width, v)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	data := []byte(head)
	for epoch := range nightEpochs {
		for _, n := range samples {
			for i := range n {
				v := int16(60 * (math.Sin(float64(i)*float64(1+epoch%5)/20) + r.NormFloat64()))
				data = append(data, byte(v), byte(v>>8))
			}
		}
	}
	if len(head) != nightHeader || len(data) != nightHeader+nightEpochs*nightRecord {
		t.Fatalf("%d bytes with a header of %d", len(data), len(head))
	}
	writeFile(t, filepath.Join(dir, "SC4001E0-PSG.edf"), string(data))
	stages := make([]hypnogram.Stage, 2650)
	for i := range stages {
		stages[i] = hypnogram.W
		if asleep := i - nightFrom - 12; asleep >= 0 && i < 2000 {
			stages[i] = []hypnogram.Stage{hypnogram.N1, hypnogram.N2, hypnogram.N2, hypnogram.N3, hypnogram.R}[asleep/8%5]
		}
	}
	f, err := os.Create(filepath.Join(dir, "SC4001EC-Hypnogram.edf"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := hypnogram.WriteEDF(f, "X F X Female_33yr", time.Date(1989, 4, 24, 16, 13, 0, 0, time.UTC), 0, stages); err != nil {
		t.Fatal(err)
	}
	return dir
}

// standInTexts is posts in the columns of Sentiment140, or of the airlines' tweets: the second of a user in the former is the last line.
func standInTexts(name string, lines int) string {
	words := strings.Fields("what a long flight to the coast today and nobody says why my bag is late @friend thanks anyway http://t.co/x :)")
	r := rand.New(rand.NewPCG(5, 6))
	post := func() string {
		text := ""
		for range 3 + r.IntN(12) {
			text += " " + words[r.IntN(len(words))]
		}
		return text[1:]
	}
	var out strings.Builder
	airline := strings.HasPrefix(name, "twitter_us_airline")
	if airline {
		out.WriteString("tweet_id,airline_sentiment,airline_sentiment_confidence,negativereason,negativereason_confidence,airline,airline_sentiment_gold,name,negativereason_gold,retweet_count,text,tweet_coord,tweet_created,tweet_location,user_timezone\n")
		lines -= 2 // the header, and a text of two lines
	}
	for i := range lines {
		user := fmt.Sprintf("user%d", i%(lines-1))
		if airline {
			text := post()
			if i == 7 {
				text += "\n" + post()
			}
			fmt.Fprintf(&out, "5.703E+17,%s,1,,,Air,,%s,,0,\"%s\",,2/24/2015 %d:%02d,,\n", []string{"neutral", "positive", "negative"}[i%3], user, text, 11-i/60, 59-i%60)
			continue
		}
		fmt.Fprintf(&out, "\"%d\",\"%d\",\"Mon Apr 06 22:%02d:%02d PDT 2009\",\"NO_QUERY\",\"%s\",\"%s\"\n", i%2*4, 1467810369+i, 19+i/60, i%60, user, post())
	}
	return out.String()
}
