package main

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/datasets/edf"
)

var pictureCases = []indexed{
	{
		of:   "pictures/basename_labels.jsonl pictures/basename_labels.csv",
		args: "filter @pictures/basename_labels.jsonl --labels @pictures/basename_labels.csv --classes deer,fox,boar --output %out",
		out:  "60 items scored of 120 (0 failed, 60 without a label",
	},
	{
		of:   "pictures/basename_labels.jsonl pictures/basename_labels.csv",
		args: "calibrate @pictures/basename_labels.jsonl --labels @pictures/basename_labels.csv --classes deer,fox,boar",
		out:  "60 of 120 items fitted; temperature 1.161; accuracy 75.00 %",
	},
	{
		of:   "pictures/md_labels_of_one_camera.json pictures/md_labels_of_one_camera.csv",
		args: "filter @pictures/md_labels_of_one_camera.json --labels @pictures/md_labels_of_one_camera.csv --output %out",
		out:  "2 items scored of 6 (0 failed, 4 without a label",
	},
	{
		of:    "pictures/md_top1_two_cameras.json pictures/md_top1_two_cameras.labels.csv",
		args:  "filter @pictures/md_top1_two_cameras.json --labels @pictures/md_top1_two_cameras.labels.csv --output %out",
		out:   "7 items scored of 7; accuracy %  100.00   100.00",
		err:   "0 labels changed",
		check: equalLabels("deer", "deer", "deer", "deer", "deer", "deer", "fox"),
	},
	{
		of: "pictures/md_top1_one_class.json", args: "filter @pictures/md_top1_one_class.json --output %out",
		check: func(t *testing.T, c *caseRun) {
			if n := strings.Count(strings.Join(strings.Fields(c.file), ""), `"classifications":[["0",0.35]]`); n != 6 {
				t.Errorf("%d of 6 stay 0.35: %s", n, c.file)
			}
		},
	},
	{
		of: "pictures/md_one_camera.json pictures/md_two_cameras.json", args: "filter @pictures/md_two_cameras.json --output %out",
		check: func(t *testing.T, c *caseRun) {
			alone := filepath.Join(c.dir, "alone.json")
			mustOatta(t, 0, "filter", filepath.Join(casesFolder(t), "pictures", "md_one_camera.json"), "--output", alone)
			want, got := imagesOf(t, readFile(t, alone)), imagesOf(t, c.file)
			for name, image := range want {
				if got[name] != image {
					t.Errorf("%s: %s alone and %s beside another camera", name, image, got[name])
				}
			}
			if len(want) != 12 || len(got) != 24 {
				t.Errorf("%d and %d pictures", len(want), len(got))
			}
		},
	},
	{
		of: "pictures/md_herd.json", args: "filter @pictures/md_herd.json --output %out", err: "each list is one observation; 3 items in 2 streams", not: "0.83",
		check: func(t *testing.T, c *caseRun) {
			f, err := adapt.New(3, adapt.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			once := make([]float64, 3)
			f.Step(once, []float64{0.5, 0.3, 0.2})
			want := fmt.Sprintf(`"classifications":[["0",%.6f]`, once[0])
			if n := strings.Count(strings.Join(strings.Fields(c.file), ""), want); n < 12 {
				t.Errorf("%d boxes with one step of the filter, want those of the herd: %s", n, c.file)
			}
		},
	},
	{
		of: "pictures/speciesnet/geo.json", args: "filter @pictures/speciesnet/geo.json --output %out", err: "they stay, and the filter does not see them",
		check: func(t *testing.T, c *caseRun) {
			got := speciesLabels(t, c.file)
			for i, label := range got[:6] {
				if !strings.HasSuffix(label, ";bird") {
					t.Errorf("prediction %d became %q, and the ensemble says bird", i, label)
				}
			}
			if got[6] != "" || got[7] != "" {
				t.Errorf("what the detector decided became %q", got[6:8])
			}
		},
	},
	{of: "pictures/speciesnet/predonly.json", args: "filter @pictures/speciesnet/predonly.json --output %out", code: 2, err: "nothing was filtered: 3 items, and none has a prediction"},
	{
		of: "pictures/speciesnet/v4.json pictures/speciesnet/v5.json", args: "filter @pictures/speciesnet/v5.json --output %out", err: "0 without a prediction",
		check: func(t *testing.T, c *caseRun) {
			old := filepath.Join(c.dir, "v4.json")
			mustOatta(t, 0, "filter", filepath.Join(casesFolder(t), "pictures", "speciesnet", "v4.json"), "--output", old)
			if a, b := speciesLabels(t, readFile(t, old)), speciesLabels(t, c.file); len(a) != 40 || !slices.Equal(a, b) {
				t.Errorf("%v in format 4, %v in 5", a, b)
			}
		},
	},
	{
		of: "pictures/cct_frames/", args: "run images --dry-run @pictures/cct_frames/pics --metadata @pictures/cct_frames/seq_frame_num.json",
		check: inOrder("8b31d3be", "8cf202be", "8a87ce62", "9b2e9d4e", "8792549a"),
	},
	{
		of: "pictures/cct_frames/", args: "run images --dry-run @pictures/cct_frames/pics --metadata @pictures/cct_frames/frame_num.json",
		check: inOrder("8b31d3be", "8cf202be", "8a87ce62", "9b2e9d4e", "8792549a"),
	},
	{
		of: "pictures/json_nan/cct_nan.json", args: "run images --dry-run @pictures/cct_frames/pics --metadata @pictures/json_nan/cct_nan.json",
		err: "NaN or infinite", check: inOrder("8b31d3be", "8cf202be"),
	},
	{of: "pictures/json_nan/md_nan.json", args: "filter @pictures/json_nan/md_nan.json --output %out", code: 1, err: "2 values are NaN or infinite; (c1/b.JPG): classification 0: null: want a number; 3 items in 1 stream: 1 failed"},
	{of: "pictures/exif_iso_offset.jpg", args: "run images --dry-run @pictures/exif_iso_offset.jpg", out: "2024-05-01 10:00:02.669  exif"},
	{of: "pictures/exif_24h.jpg", args: "run images --dry-run @pictures/exif_24h.jpg", out: "2024-05-02 00:00:05      exif"},
	{
		of: "pictures/clock_reset/", args: "run images --dry-run @pictures/clock_reset",
		err: "the camera's clock falls from 2024-05-01 to 2000-01-01 at RCNX0006.JPG: 5 pictures before it by name and 5 pictures from it on are so far apart",
	},
	{
		of: "pictures/jpeg/", args: "run images @pictures/jpeg", code: 1,
		err: "10 pictures in 1 stream: 7 failed; 5 pictures are damaged and failed; --damaged use takes what is left",
		out: `"arith.jpg","stream":"jpeg","label":"rock beauty"; "nodht.jpg","stream":"jpeg","label":"rock beauty"; "samp_2x2_1x1_1x2.jpg","stream":"jpeg","label"; unsupported WebP: it is animated; unsupported TIFF: its colours lie in separate planes`,
	},
	{
		of: "pictures/jpeg/", args: "run images --damaged use @pictures/jpeg", code: 1,
		err: "2 failed; h2.jpg: coded data end too early, before byte 8108; half_then_eoi.jpg: coded data end too early, before byte 4359; lostrst.jpg: restart marker 3; short_by_10.jpg: coded data end; wrongrst.jpg: restart marker 3",
		out: `"short_by_10.jpg","stream":"jpeg","label":"rock beauty","prob":0.0317655`, // as the whole file
	},
	{of: "pictures/onnx/k1.onnx", args: "run images @pictures/exif_24h.jpg --model @pictures/onnx/k1.onnx", out: `"label":"class_0","prob":0.9359`, err: "taken for the probability of the second of two classes"},
	{of: "pictures/onnx/k1logit.onnx", args: "run images @pictures/exif_24h.jpg --model @pictures/onnx/k1logit.onnx", out: `"label":"class_0","prob":0.9359`, err: "the logit of the second of two classes"},
	{of: "pictures/onnx/k1_manifest/", args: "run images @pictures/exif_24h.jpg --model @pictures/onnx/k1_manifest/m.onnx", out: `"label":"empty","prob":0.9087`},
	{of: "pictures/onnx/nhwc255.onnx", args: "run images @pictures/exif_24h.jpg --model @pictures/onnx/nhwc255.onnx", out: `"label":"class_1","prob":0.437`, err: "plain values of 0 to 255 (the graph scales them itself"},
	{of: "pictures/onnx/norm01.onnx", args: "run images @pictures/exif_24h.jpg --model @pictures/onnx/norm01.onnx", out: `"label":"class_1","prob":0.638`, err: "plain values of 0 to 1 (the graph scales them itself"},
	{of: "pictures/onnx/foreign_config/", args: "run images @pictures/exif_24h.jpg --model @pictures/onnx/foreign_config/m.onnx", out: `"label":"class_1","prob":0.638`, err: "config.json beside the model was passed over"},
	{of: "pictures/onnx/foreign_config_list/", args: "run images @pictures/exif_24h.jpg --model @pictures/onnx/foreign_config_list/m.onnx", out: `"label":"class_1","prob":0.638`, err: "config.json beside the model was passed over"},
}

// Größe and Süd as macOS writes them, letters and accents apart.
const nfdSize, nfdSouth = "Gro\u0308ße", "Su\u0308d"

var nameCases = []indexed{
	{of: "pictures/names/nfd/ pictures/names/nfc.csv", args: "run images --dry-run @pictures/names/nfd --metadata @pictures/names/nfc.csv", check: inOrder(nfdSize+"/IMG_1", nfdSouth+"/IMG_1", nfdSize+"/IMG_2", nfdSouth+"/IMG_2")},
	{of: "pictures/names/nfd/ pictures/names/nfc_boxes.json", args: "run images --dry-run @pictures/names/nfd --boxes @pictures/names/nfc_boxes.json", not: "none of its pictures", out: nfdSize + "/IMG_1.JPG; " + nfdSouth + "/IMG_2.JPG; 4 crops to classify"},
	{of: "pictures/names/pics/ pictures/names/winmix_boxes.json", args: "run images --dry-run @pictures/names/pics --boxes @pictures/names/winmix_boxes.json", not: "none of its pictures", out: "cam1/IMG_0001.JPG; cam2/IMG_0004.JPG"},
	{of: "pictures/tables/pics/ pictures/names/mixsep.csv", args: "run images --dry-run @pictures/tables/pics --metadata @pictures/names/mixsep.csv", out: "CAM01/100RECNX/IMG_0001.JPG; metadata"},
	{
		of: "pictures/tables/timelapse.csv", args: "run images --dry-run @pictures/tables/pics --metadata @pictures/tables/timelapse.csv",
		out: `stream "CAM01/100RECNX": 3 pictures, 2024-05-01 00:00:00 to 2024-05-01 02:00:00`,
	},
	{of: "pictures/tables/excel.csv", args: "run images --dry-run @pictures/tables/pics --metadata @pictures/tables/excel.csv", err: `12 times could not be read: "01.05.2024 00:00"`},
	{
		of: "pictures/tables/excel.csv", args: "run images --dry-run @pictures/tables/pics --metadata @pictures/tables/excel.csv --time-layout 02.01.2006~15:04",
		out: `stream "CAM01": 6 pictures, 2024-05-01 00:00:00 to 2024-05-01 05:00:00`,
	},
	{
		of: "pictures/tables/us.csv", args: "run images --dry-run @pictures/tables/pics --metadata @pictures/tables/us.csv --time-layout 1/2/2006~15:04",
		out: `stream "CAM01": 6 pictures, 2024-05-01 00:00:00 to 2024-05-01 05:00:00`,
	},
}

// gap is what a filter tells of the two hours in the middle of its cases.
const gap = "times: 1 gap of 240 missed steps"

var filterCases = []indexed{
	{of: "recordings/panic-two-decimals.csv", args: "filter @recordings/panic-two-decimals.csv --output %out", err: "1 item in 1 stream: 0 failed; are rounded: they sum to 0.95 to 1.05", out: "a,0.05,0.56,0.00,0.00,0.38,N1"},
	{
		of: "recordings/panic-two-decimals.csv",
		made: func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, "p.jsonl"), `{"stream": "a", "probs": [0.05, 0.56, 0.00, 0.00, 0.38]}`+"\n")
		},
		args: "filter %p.jsonl --classes W,N1,N2,N3,R --output %out", err: "1 item in 1 stream: 0 failed; are rounded", out: `"N1"`,
	},
	{of: "recordings/filter-q22_round.csv", args: "filter @recordings/filter-q22_round.csv --output %out", err: "300 items in 1 stream: 0 failed; the probabilities of 300 items are rounded"},
	{of: "recordings/filter-t_us.csv", args: "filter @recordings/filter-t_us.csv --output %out", err: `the times of 800 items cannot be read, the first "02/24/2015 22:00:00"`},
	{of: "recordings/filter-t_us.csv", args: "filter @recordings/filter-t_us.csv --time-layout 01/02/2006~15:04:05 --output %out", err: gap},
	{of: "recordings/filter-t_de.csv", args: "filter @recordings/filter-t_de.csv --output %out", err: `the times of 800 items cannot be read, the first "24.02.2015 22:00:00"`},
	{of: "recordings/filter-t_de.csv", args: "filter @recordings/filter-t_de.csv --time-layout 02.01.2006~15:04:05 --output %out", err: gap},
	{of: "recordings/filter-t_space.csv", args: "filter @recordings/filter-t_space.csv --output %out", err: gap},
	{of: "recordings/filter-t_iso.csv", args: "filter @recordings/filter-t_iso.csv --output %out", err: gap},
	{
		of: "recordings/filter-t_iso.csv", made: rewritten("recordings/filter-t_iso.csv", "oxf.csv", func(row []string) { row[2] += "+0000 [Europe/London]" }),
		args: "filter %oxf.csv --output %out", err: gap,
	},
	{of: "recordings/filter-t_clock.csv", args: "filter @recordings/filter-t_clock.csv --output %out", err: `the times of 800 items cannot be read, the first "22:00:00"`},
	{of: "recordings/filter-t_compact.csv", args: "filter @recordings/filter-t_compact.csv --output %out", err: "800 items in 1 stream: 0 failed", not: "cannot be read"},
	{of: "recordings/filter-t_compact.csv", made: daily, args: "filter %daily.csv --output %out", err: "times: 1 gap of 9 missed steps"},
	{of: "recordings/filter-q21_comma.csv", args: "filter @recordings/filter-q21_comma.csv --output %out", err: "300 items in 1 stream: 0 failed", out: "a;0;0,8000;0,1000;0,1000;W"},
	{
		of:   "recordings/labels-as-indices-yasa.csv",
		args: "filter @recordings/labels-as-indices-yasa.csv --columns N1,N2,N3,R,W --stream n --truth-field stage --output %out",
		err:  "read as YASA's codes of sleep: 0 W, 1 N1, 2 N2, 3 N3",
		out:  "200 items scored of 200; accuracy %   85.00",
	},
}

var motionCases = []indexed{
	{of: "recordings/motion-m01_harth.csv recordings/manifest-harth.json", args: "eval motion @recordings/motion-m01_harth.csv --model =harth --sample-rate 50 --format json --quiet", scored: "Walking 3, Static 4, Lying 3"},
	{of: "recordings/motion-m01_harth.csv", args: "eval motion @recordings/motion-m01_harth.csv --model =harth --unit g --format json --quiet", scored: "Walking 3, Static 4, Lying 3"},
	{of: "recordings/motion-m01_harth.csv", args: "eval motion @recordings/motion-m01_harth.csv --model =harth --label-column label --format json --quiet", scored: "Walking 3, Static 4, Lying 3"},
	{of: "recordings/motion-m02_extra.csv", args: "eval motion @recordings/motion-m02_extra.csv --model =harth --format json --quiet", scored: "Walking 3, Static 4, Lying 3"},
	{of: "recordings/motion-m02c_floatlabel.csv", args: "eval motion @recordings/motion-m02c_floatlabel.csv --model =harth --format json --quiet", scored: "Walking 3, Static 4, Lying 3"},
	{of: "recordings/motion-m26_actilife.csv", args: "run motion @recordings/motion-m26_actilife.csv --model =tcn", out: `"motion-m26_actilife.csv#0","stream":"motion-m26_actilife.csv","time":"2019-01-12T10:00:00"`, err: "10 windows in 1 stream: 0 failed"},
	{of: "recordings/motion-m25_noheader.csv", args: "run motion @recordings/motion-m25_noheader.csv --model =tcn", out: `"time":"2019-01-12T10:00:00"`, err: "10 windows in 1 stream: 0 failed; there is no header, and the columns are taken for time, x, y, z"},
	{of: "recordings/motion-m10_ampm.csv", args: "run motion @recordings/motion-m10_ampm.csv --model =tcn", code: 2, out: "is no time; --time-layout tells the form"},
	{of: "recordings/motion-m10_ampm.csv", args: "run motion @recordings/motion-m10_ampm.csv --model =tcn --time-layout 1/2/2006~3:04:05.000~PM", out: `"time":"2019-01-12T10:00:00"`, err: "10 windows in 1 stream: 0 failed"},
	{
		of: "recordings/motion-m10_ampm.csv", made: rewritten("recordings/motion-m10_ampm.csv", "us24.csv", func(row []string) { row[0] = strings.TrimSuffix(row[0], " AM") }),
		args: "run motion %us24.csv --model =tcn --time-layout 1/2/2006~15:04:05.000", out: `"time":"2019-01-12T10:00:00"`, err: "10 windows in 1 stream: 0 failed",
	},
	{of: "recordings/motion-m11_de.csv", args: "run motion @recordings/motion-m11_de.csv --model =tcn --time-layout 02.01.2006~15:04:05.000", out: `"time":"2019-01-12T10:00:00"`, err: "10 windows in 1 stream: 0 failed"},
	{of: "recordings/motion-m29_tz.csv", args: "run motion @recordings/motion-m29_tz.csv --model =tcn", out: `"time":"2019-01-12T10:00:00Z"`, err: "10 windows in 1 stream: 0 failed"},
	{of: "recordings/motion-m09_bbaa.csv", args: "run motion @recordings/motion-m09_bbaa.csv --model =tcn", out: `"time":"2019-10-27T00:59:30Z"`, err: "10 windows in 1 stream: 0 failed"},
	{of: "recordings/motion-m06_semidecrel.csv", args: "run motion @recordings/motion-m06_semidecrel.csv --model =tcn", out: `"offset":27,`, err: "10 windows in 1 stream: 0 failed"},
	{of: "recordings/motion-m15_ms2.csv", args: "run motion @recordings/motion-m15_ms2.csv --model =tcn", err: "the length of x, y, z is 9.739 g in the middle, where rest is 1 g: the unit may be m/s2: --unit m/s2"},
	{of: "recordings/motion-m15_ms2.csv", args: "run motion @recordings/motion-m15_ms2.csv --model =tcn --unit m/s2", not: "where rest is 1 g", err: "10 windows"},
	{of: "recordings/motion-m16_lsb.csv", args: "run motion @recordings/motion-m16_lsb.csv --model =tcn", err: "253.3 g in the middle, where rest is 1 g: --unit names the unit"},
	{of: "recordings/motion-m07_fold.csv", args: "run motion @recordings/motion-m07_fold.csv --model =tcn", err: "clock set back an hour, as at the end of summer time; 10 windows in 1 stream: 0 failed", out: `"time":"2019-10-27T01:59:45"`},
	{of: "recordings/motion-m04_subjects.csv", args: "run motion @recordings/motion-m04_subjects.csv --model =tcn", err: "--stream-column subject makes a stream of each"},
	{of: "recordings/motion-m04_subjects.csv", args: "run motion @recordings/motion-m04_subjects.csv --model =tcn --stream-column subject", err: "10 windows in 2 streams: 0 failed", not: "left out"},
	{of: "recordings/motion-m17_cr.csv", args: "run motion @recordings/motion-m17_cr.csv --model =tcn", err: "10 windows in 1 stream: 0 failed"},
}

// staged scores a recording of the cases, whatever its wakefulness.
func staged(name string) string {
	return "eval sleep --trim -1 --format json --model =sleep @recordings/sleep-" + name
}

// usualNight is what is scored of most: W W N1 N2 N3 N3 R W N2 N2.
const usualNight = "W 3, N1 1, N2 3, N3 2, R 1"

var sleepCases = []indexed{
	{of: "recordings/sleep-f01_flat.edf", args: "run sleep @recordings/sleep-f01_flat.edf --model =sleep", err: `channel "EEG Fpz-Cz": no signal (it does not move) in 10 of 10 epochs`},
	{of: "recordings/sleep-f02_sat.edf", args: "run sleep @recordings/sleep-f02_sat.edf --model =sleep", err: `channel "EEG Fpz-Cz": saturated in 10 of 10 epochs`},
	{of: "recordings/sleep-f02_sat.edf", made: offLater, args: "run sleep %f03.edf --model =sleep", err: "no signal (it does not move) in 4 of 10 epochs; at second 180"},
	{of: "recordings/sleep-f04_Volts.edf recordings/manifest-nostd.json", args: "run sleep @recordings/sleep-f04_Volts.edf --model =nostd", not: "microvolts", err: "10 epochs in 1 stream: 0 failed", check: asMicrovolts("nostd")},
	{of: "recordings/sleep-f04_Volts.edf recordings/manifest-num.json", args: "run sleep @recordings/sleep-f04_Volts.edf --model =num", not: "microvolts", err: "10 epochs in 1 stream: 0 failed", check: asMicrovolts("num")},
	{of: "recordings/sleep-e16_sjis.edf", args: "run sleep @recordings/sleep-e16_sjis.edf --model =num", not: "no voltage", err: "10 epochs in 1 stream: 0 failed; not ASCII"},
	{of: "recordings/sleep-f04_Volts.edf", made: copied("recordings/sleep-f04_Volts.edf", "dotV.edf", "Volts", ".V   "), args: "run sleep %dotV.edf --model =num", err: `unit ".V" is no voltage: values are as they are`},
	{of: "recordings/sleep-f04_Volts.edf", made: copied("recordings/sleep-f04_Volts.edf", "dotV.edf", "Volts", ".V   "), args: "run sleep %dotV.edf --model =num --unit V", not: "channel", err: "10 epochs in 1 stream: 0 failed", check: asMicrovolts("num")},
	{of: "recordings/sleep-f04_Volts.edf", made: copied("recordings/sleep-f04_Volts.edf", "wrong.edf", "Volts", "uV   "), args: "run sleep %wrong.edf --model =num", err: "if it is V, --unit uV=V says so"},
	{of: "recordings/sleep-g01_C4.edf", args: "run sleep @recordings/sleep-g01_C4.edf --model =c4", err: `channel "C4-M1": "C4" is taken, of which the reference is not known to be the same`},
	{of: "recordings/sleep-g02_C4M1diff.edf", args: "run sleep @recordings/sleep-g02_C4M1diff.edf --model =c4", err: `"C4-Ref" - "M1-Ref" is taken`},
	{of: "recordings/sleep-pairs2/", args: "eval sleep --format json --model =sleep @recordings/sleep-pairs2", code: 2, err: "nobody scored it"},
	{of: "recordings/sleep-e08_rem.edf", args: staged("e08_rem.edf"), scored: usualNight, not: "not known"},
	{of: "recordings/sleep-e08_nrem.edf", args: staged("e08_nrem.edf"), scored: usualNight, not: "not known"},
	{of: "recordings/sleep-e08_n4.edf", args: staged("e08_n4.edf"), scored: usualNight, not: "not known"},
	{of: "recordings/sleep-e08_rem.edf", made: scoredFrom(0, "Wake"), args: "eval sleep --trim -1 --format json --model =sleep %", scored: usualNight},
	{of: "recordings/sleep-e06_20s.edf", args: staged("e06_20s.edf"), scored: "W 2, N2 2, N3 1, R 1", err: "4 of 10 epochs of 30 seconds lie across two stages"},
	{of: "recordings/sleep-e09_off12.edf", args: staged("e09_off12.edf") + " --predictions %predictions.jsonl", scored: "W 3, N1 1, N2 2, N3 2, R 1", check: beginsAt(12)},
	{of: "recordings/sleep-e09_off12.edf", made: scoredFrom(17, "W"), args: "eval sleep --trim -1 --format json --model =sleep % --predictions %/predictions.jsonl --overwrite", scored: "W 3, N1 1, N2 2, N3 2, R 1", check: beginsAt(17)},
	{of: "recordings/sleep-e09_off12.edf", args: "run sleep @recordings/sleep-e09_off12.edf --model =sleep", err: "begins within an epoch of the recording: not used"},
	{of: "recordings/sleep-e07_dur0.edf", args: staged("e07_dur0.edf"), scored: usualNight},
	{of: "recordings/sleep-e21_negstage.edf", args: staged("e21_negstage.edf"), scored: usualNight, err: "begin before the start"},
	{of: "recordings/sleep-e01_plain_ann.edf", args: staged("e01_plain_ann.edf"), scored: usualNight, err: "not marked as EDF+"},
	{of: "recordings/sleep-blank-reserved-pair/", args: staged("blank-reserved-pair"), scored: usualNight, err: "not marked as EDF+"},
	{of: "recordings/sleep-blank-reserved-pair/", args: "run sleep --model =sleep @recordings/sleep-blank-reserved-pair", err: "10 epochs in 1 stream: 0 failed"},
	{of: "recordings/sleep-e02_lying_C_gap.edf", args: staged("e02_lying_C_gap.edf"), code: 1, err: "gaps of 60 seconds in all", scored: usualNight},
	{of: "recordings/sleep-e19_ver0nul.edf", args: "run sleep --model =sleep @recordings/sleep-e19_ver0nul.edf", err: "10 epochs in 1 stream: 0 failed"},
	{of: "recordings/sleep-e22_comma.edf", args: staged("e22_comma.edf"), scored: usualNight, err: "a comma for the point"},
}

var textCases = []indexed{
	{of: "recordings/text-p06_cp1252.csv recordings/text-p06b_utf8.csv", args: "run text @recordings/text-p06_cp1252.csv --model =s3", err: "1 post not UTF-8, taken for Windows-1252", check: sameText("text-p06b_utf8.csv", "text-p06_cp1252.csv")},
	{of: "recordings/text-p01_twitter_v1.jsonl", args: "run text @recordings/text-p01_twitter_v1.jsonl --model =s3", out: `"file":"900000000000000002","stream":"ann","time":"2008-08-27T13:08:45Z"`, err: "3 posts in 1 stream: 0 failed"},
	{of: "recordings/text-p02_twitter_v2.jsonl", args: "run text @recordings/text-p02_twitter_v2.jsonl --model =s3", out: `"file":"1600000000000000002","stream":"12","time":"2022-12-06T10:02:00Z"`, err: "3 posts in 1 stream: 0 failed"},
	{
		of: "recordings/text-p02_twitter_v2.jsonl", made: posts("reddit.jsonl", `{"id": "t1_a", "author": "ann", "body": "good", "created_utc": 1262304000}`),
		args: "run text %reddit.jsonl --model =s3", out: `"stream":"ann","time":"2010-01-01T00:00:00Z"`, err: "1 post in 1 stream: 0 failed",
	},
	{of: "recordings/text-p10_usdate.csv", args: "run text @recordings/text-p10_usdate.csv --model =s3", code: 2, err: `2 times cannot be read, the first "2/24/2015 11:35": --time-layout tells the form of times`},
	{of: "recordings/text-p10_usdate.csv", args: "run text @recordings/text-p10_usdate.csv --model =s3 --time-layout 1/2/2006~15:04", out: `"time":"2015-02-24T11:35:00"`, err: "2 posts in 1 stream: 0 failed"},
	{
		of: "recordings/text-p10_usdate.csv", made: posts("zones.csv", "user,time,text", "a,2020-01-01 10:00:00 UTC,x", "a,2020-01-01 10:01:00 +0000,x", `a,"Wed, 01 Jan 2020 10:02:00 GMT",x`),
		args: "run text %zones.csv --model =s3", out: `"time":"2020-01-01T10:00:00Z"; "time":"2020-01-01T10:01:00Z"; "time":"2020-01-01T10:02:00Z"`, err: "3 posts in 1 stream: 0 failed",
	},
	{of: "recordings/text-p11_missing.csv", args: "run text @recordings/text-p11_missing.csv --model =s3", code: 1, err: "6 posts in 2 streams: 1 failed; times: 4 items without a time"},
	{of: "recordings/text-p17_backslash.csv", args: "run text @recordings/text-p17_backslash.csv --model =s3", code: 1, err: "2 posts in 1 stream: 1 failed"},
	{of: "recordings/text-p17_backslash.csv", args: "run text @recordings/text-p17_backslash.csv --model =s3 --quote backslash", err: "2 posts in 1 stream: 0 failed"},
	{of: "recordings/text-p22_tsvquote.tsv", args: "run text @recordings/text-p22_tsvquote.tsv --model =s3 --quote none", err: "3 posts in 1 stream: 0 failed"},
	{of: "recordings/text-long.csv recordings/manifest-s3.json", args: "run text @recordings/text-long.csv --model =s3", err: "1 post in 1 stream: 0 failed; 1 of 1 posts have more than the 128 tokens that the model takes"},
	{of: "recordings/text-labels-minus1-0-1.csv", args: "eval text @recordings/text-labels-minus1-0-1.csv --model =s3 --format json", scored: "negative 1, neutral 1, positive 1", err: "read as signs: -1 negative, 0 neutral, 1 positive"},
}

var damageCases = []indexed{
	{of: "torture/grow_csv_cut_number.sh", args: "@torture/grow_csv_cut_number.sh", out: "2,0.6,0.4,cam123,a; 4,0.5,0.5,cam1,a; cam123  1"},
	{of: "torture/csv_header_cut.sh", args: "@torture/csv_header_cut.sh", out: "the header has no line end; rc=2\nrc=0\nstream,p:a,p:b,p:c,adapted_label,gate,adapted_mode,a:a,a:b,a:c\ncam,0.2,0.3,0.5,c,"},
	{of: "torture/pipe_answers_before_state.py", args: "@torture/pipe_answers_before_state.py", out: "; state:", check: stateIsAhead},
	{of: "torture/filter_two_runs_one_output.sh", args: "@torture/filter_two_runs_one_output.sh", check: oneRunWrote},
	{of: "torture/edf_record_duration_99999999.edf.gz", made: copied("torture/edf_record_duration_99999999.edf.gz", "a.edf"), args: "run sleep %a.edf --model =sleep", code: 2, out: "3e-05 Hz, and the network takes 100"},
	{of: "torture/edf_5000_channels_one_label.edf.gz", made: copied("torture/edf_5000_channels_one_label.edf.gz", "a.edf"), args: "run sleep %a.edf --model =sleep", code: 2, out: `channel \"EEG Fpz-Cz\": not among`},
	{of: "torture/stride0.onnx torture/stride0.json", args: "run images @pictures/exif_24h.jpg --model @torture/stride0.onnx", code: 2, err: "node 0 (Conv): strides [0 0]: want 1 or more"},
	{of: "torture/func_recursive.onnx torture/func_recursive.json", args: "run images @pictures/exif_24h.jpg --model @torture/func_recursive.onnx", code: 2, err: "function F calls itself"},
	{of: "torture/func_bomb.onnx torture/func_bomb.json", args: "run images @pictures/exif_24h.jpg --model @torture/func_bomb.onnx", code: 2, err: "functions unfold to more than 1048576 nodes"},
	{of: "torture/state_bitflip_overflow_hang.state.gz torture/state_items.jsonl", made: copied("torture/state_bitflip_overflow_hang.state.gz", "s"), args: "filter @torture/state_items.jsonl --state %s", code: 2, err: "damaged: page 6"},
	{of: "torture/state_bitflip_streams_lost.state.gz torture/state_items.jsonl", made: copied("torture/state_bitflip_streams_lost.state.gz", "s"), args: "filter @torture/state_items.jsonl --state %s", code: 2, err: "damaged: page 6"},
	// The script measures what `time` tells; TestStateMemoryIsBounded measures it with bounds.
	{of: "torture/state_memory_grows.sh", args: "version"},
}

// imagesOf returns each picture of a MegaDetector document as its text.
func imagesOf(t *testing.T, text string) map[string]string {
	t.Helper()
	var d struct{ Images []json.RawMessage }
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, image := range d.Images {
		var of struct{ File string }
		if err := json.Unmarshal(image, &of); err != nil {
			t.Fatal(err)
		}
		out[of.File] = strings.Join(strings.Fields(string(image)), "")
	}
	return out
}

// speciesLabels returns the adapted labels of SpeciesNet's predictions, "" where there is none.
func speciesLabels(t *testing.T, text string) (out []string) {
	t.Helper()
	var d struct {
		Predictions []struct {
			Adapted string `json:"adapted_label"`
		}
	}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	for _, p := range d.Predictions {
		out = append(out, p.Adapted)
	}
	return out
}

// rewritten writes a table of the cases with its rows changed.
func rewritten(name, as string, edit func(row []string)) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		var out strings.Builder
		for i, line := range strings.Split(strings.TrimSpace(readFile(t, filepath.Join(casesFolder(t), filepath.FromSlash(name)))), "\n") {
			row := strings.Split(line, ",")
			if i > 0 {
				edit(row)
			}
			out.WriteString(strings.Join(row, ",") + "\n")
		}
		writeFile(t, filepath.Join(dir, as), out.String())
	}
}

func posts(as string, lines ...string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		writeFile(t, filepath.Join(dir, as), strings.Join(lines, "\n")+"\n")
	}
}

// daily is a prediction a day over the end of a month, of which nine are missing: read as seconds, the month's end were the gap.
func daily(t *testing.T, dir string) {
	t.Helper()
	var out strings.Builder
	out.WriteString("stream,time,p:a,p:b\n")
	day := time.Date(2015, 1, 10, 0, 0, 0, 0, time.UTC)
	for i := range 60 {
		if i == 40 {
			day = day.AddDate(0, 0, 9)
		}
		fmt.Fprintf(&out, "a,%s,0.7,0.3\n", day.AddDate(0, 0, i).Format("20060102"))
	}
	writeFile(t, filepath.Join(dir, "daily.csv"), out.String())
}

// offLater is five minutes of a recording whose electrode falls off after three.
func offLater(t *testing.T, dir string) {
	t.Helper()
	samples := make([]int, 300*100)
	for i := range 180 * 100 {
		samples[i] = i * i % 97
	}
	writeFile(t, filepath.Join(dir, "f03.edf"), recordingOf("EEG Fpz-Cz", "uV", samples))
}

// scoredFrom is a recording of five minutes with a hypnogram that begins at a second, with a word for wakefulness.
func scoredFrom(second float64, wake string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		copied("recordings/sleep-f04_Volts.edf", "night.edf")(t, dir)
		f, err := edf.OpenFile(filepath.Join(dir, "night.edf"))
		if err != nil {
			t.Fatal(err)
		}
		start := f.Header().Start
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		var all []edf.Annotation
		for i, stage := range strings.Fields("W W 1 2 3 4 R W 2 2") {
			if stage == "W" {
				stage = wake
			}
			all = append(all, edf.Annotation{Onset: second + 30*float64(i), Duration: 30, HasDuration: true, Text: "Sleep stage " + stage})
		}
		var b strings.Builder
		if err := edf.WriteAnnotations(&b, edf.AnnotationFile{Start: start.Truncate(time.Second), Annotations: all}); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, "night-hypnogram.edf"), b.String())
	}
}

// asMicrovolts compares the predictions with those of the same signal whose unit is microvolts, to a step of its converter.
func asMicrovolts(model string) func(t *testing.T, c *caseRun) {
	return func(t *testing.T, c *caseRun) {
		t.Helper()
		out, _ := mustOatta(t, 0, "run", "sleep", filepath.Join(casesFolder(t), "recordings", "sleep-e16_sjis.edf"), "--model", c.nets.path(t, model, casesFolder(t)))
		got, want := parseLines(t, c.out), parseLines(t, out)
		for i := range want {
			if got[i].Label != want[i].Label || math.Abs(got[i].Prob-want[i].Prob) > 1e-4 {
				t.Errorf("epoch %d: %s %g, and in microvolts %s %g", i, got[i].Label, got[i].Prob, want[i].Label, want[i].Prob)
			}
		}
	}
}

// beginsAt looks at the first epoch of predictions.
func beginsAt(second int) func(t *testing.T, c *caseRun) {
	return func(t *testing.T, c *caseRun) {
		t.Helper()
		var first struct{ Offset int }
		line, _, _ := strings.Cut(readFile(t, filepath.Join(c.dir, "predictions.jsonl")), "\n")
		if err := json.Unmarshal([]byte(line), &first); err != nil || first.Offset != second {
			t.Errorf("%v: the first epoch is %s, want it at second %d", err, line, second)
		}
	}
}

// sameText compares predictions with those of another file, but for its name.
func sameText(other, own string) func(t *testing.T, c *caseRun) {
	return func(t *testing.T, c *caseRun) {
		t.Helper()
		out, _ := mustOatta(t, 0, "run", "text", filepath.Join(casesFolder(t), "recordings", other), "--model", c.nets.path(t, "s3", casesFolder(t)))
		if strings.ReplaceAll(out, other, own) != c.out {
			t.Errorf("%s, and as UTF-8 %s", c.out, out)
		}
	}
}

// stateIsAhead reads what the script counted.
func stateIsAhead(t *testing.T, c *caseRun) {
	t.Helper()
	fields := strings.Fields(c.out)
	answers, at := jsonNumber(t, fields[2]), slices.Index(fields, "cam1")
	if at < 0 || jsonNumber(t, fields[at+1]) < answers {
		t.Errorf("the state has fewer steps than answers are out: %s", c.out)
	}
}

// oneRunWrote reads what the script counted: one run was refused, or came after the other, which it could not overwrite.
func oneRunWrote(t *testing.T, c *caseRun) {
	t.Helper()
	a, b := strings.Contains(c.out, "lines of a: 40000, of b: 0"), strings.Contains(c.out, "lines of a: 0, of b: 90000")
	if a == b || strings.Contains(c.out, "A rc=0") != a || strings.Contains(c.out, "B rc=0") != b {
		t.Errorf("%s", c.out)
	}
}

func gunzipped(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
