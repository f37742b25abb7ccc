package backbone

import (
	"fmt"
	"strings"
)

// spec is one line of the table of networks.
type spec struct {
	name, about string
	net         family
	style       style
	defaults    Options
	rules       []naming
	recipes     []Recipe
}

// The defaults of each kind of input.
var (
	imagenet = Options{Classes: 1000, Channels: 3, Size: 224}
	cifar    = Options{Classes: 10, Channels: 3, Size: 32}
	signals  = Options{Classes: 6, Channels: 3, Samples: 150, Dropout: 0.2}
	epochs   = Options{Classes: 5, Channels: 1, Samples: 3000, Dropout: 0.2}
	texts    = Options{Classes: 2, Vocabulary: 30522, Positions: 512, Dropout: 0.1}
)

func (o Options) with(dropout float64) Options {
	o.Dropout = dropout
	return o
}

// specs is the table of networks, in the order in which they are listed.
var specs = []spec{
	{
		"resnet18", "ResNet-18 for pictures",
		resnet{stem: 7, reduce: true, width: 64, blocks: []int{2, 2, 2, 2}, head: "fc"},
		torchvisionStyle, imagenet, torchvisionNames,
		[]Recipe{{"IMAGENET1K_V1", "", 256, Bilinear, imagenetMean, imagenetStd}},
	},
	{
		"resnet50", "ResNet-50 for pictures (v1.5)",
		resnet{stem: 7, reduce: true, width: 64, blocks: []int{3, 4, 6, 3}, bottleneck: true, head: "fc"},
		torchvisionStyle, imagenet, torchvisionNames,
		[]Recipe{
			{"IMAGENET1K_V2", "11ad3fa6", 232, Bilinear, imagenetMean, imagenetStd}, {"IMAGENET1K_V1", "0676ba61", 256, Bilinear, imagenetMean, imagenetStd},
		},
	},
	{
		"convnext_tiny", "ConvNeXt-Tiny for pictures",
		convnext{[]int64{96, 192, 384, 768}, []int{3, 3, 9, 3}},
		narrowStyle, imagenet, convnextNames,
		[]Recipe{{"IMAGENET1K_V1", "", 236, Bilinear, imagenetMean, imagenetStd}},
	},
	{
		"vit_b_16", "vision transformer ViT-B/16 for pictures",
		vit{patch: 16, width: 768, inner: 3072, heads: 12, layers: 12},
		vitStyle, imagenet, vitNames,
		[]Recipe{{"IMAGENET1K_V1", "", 256, Bilinear, imagenetMean, imagenetStd}},
	},
	{
		"vit_s_16", "vision transformer ViT-S/16 for pictures, also DeiT-S",
		vit{patch: 16, width: 384, inner: 1536, heads: 6, layers: 12},
		vitStyle, imagenet, vitNames,
		[]Recipe{{"DEIT", "", 256, Bicubic, imagenetMean, imagenetStd}},
	},
	{
		"efficientnet_lite0", "EfficientNet-Lite0 for pictures", efficientnet{[]liteStage{
			{1, 3, 1, 1, 16}, {2, 3, 2, 6, 24}, {2, 5, 2, 6, 40}, {3, 3, 2, 6, 80}, {3, 5, 1, 6, 112}, {4, 5, 2, 6, 192}, {1, 3, 1, 6, 320},
		}}, pytorchStyle, imagenet.with(0.2), ownNames, []Recipe{{"IMAGENET1K", "", 256, Bicubic, liteMean, liteStd}},
	},
	{
		"cifar_resnet18", "ResNet-18 for pictures of 32 pixels: a stem of 3x3, no pool, dropout before the head",
		resnet{stem: 3, width: 64, blocks: []int{2, 2, 2, 2}, head: "fc"},
		torchvisionStyle, cifar.with(0.2), torchvisionNames,
		[]Recipe{{"CIFAR10", "", 32, Bilinear, cifarMean, cifarStd}},
	},
	{
		"cifar_resnet20", "ResNet-20 for CIFAR-10 (akamaster)",
		resnet{stem: 3, width: 16, blocks: []int{3, 3, 3}, padded: true, head: "linear"},
		akamasterStyle, cifar, torchvisionNames,
		[]Recipe{{"CIFAR10", "", 32, Bilinear, imagenetMean, imagenetStd}},
	},
	{
		"cifar_resnet56", "ResNet-56 for CIFAR-10 (akamaster)",
		resnet{stem: 3, width: 16, blocks: []int{9, 9, 9}, padded: true, head: "linear"},
		akamasterStyle, cifar, torchvisionNames,
		[]Recipe{{"CIFAR10", "", 32, Bilinear, imagenetMean, imagenetStd}},
	},
	{
		"cnn1d", "three convolutions over time, for signals",
		cnn1d{[]conv{same(64, 7, 1), same(128, 5, 1), same(128, 3, 1)}},
		pytorchStyle, signals, ownNames, nil,
	},
	{"tcn", "a temporal convolutional network, for signals", tcn{width: 64, kernel: 3}, pytorchStyle, signals, ownNames, nil},
	{
		"resnet18_1d", "ResNet-18 along one axis, for signals",
		resnet{stem: 7, reduce: true, width: 64, blocks: []int{2, 2, 2, 2}, signal: true, head: "fc"},
		pytorchStyle, epochs, torchvisionNames, nil,
	},
	{"bert_base", "BERT-base for texts", bert{768, 3072, 12, 12, &bertModules}, narrowStyle, texts, bertNaming, nil},
	{"distilbert_base", "DistilBERT for texts", bert{768, 3072, 12, 6, &distilbertModules}, narrowStyle, texts.with(0.2), distilbertNaming, nil},
	{"minilm", "MiniLM of 6 layers for texts", bert{384, 1536, 12, 6, &bertModules}, narrowStyle, texts, bertNaming, nil},
	{"tinybert", "TinyBERT of 4 layers for texts", bert{312, 1200, 12, 4, &bertModules}, narrowStyle, texts, bertNaming, nil},
	{"bert_mini", "BERT of 2 layers for texts, small enough for trials", bert{64, 256, 4, 2, &bertModules}, narrowStyle, texts, bertNaming, nil},
	{
		"text_cnn", "one convolution over word pieces and their mean, small enough to be embedded, for texts",
		textCNN{width: 48, filters: 128, kernel: 3, hidden: 64},
		pytorchStyle,
		Options{Classes: 2, Vocabulary: 30522, Dropout: 0.5},
		ownNames, nil,
	},
}

// specOf returns the line of a name.
func specOf(name string) (*spec, error) {
	for i := range specs {
		if specs[i].name == name {
			return &specs[i], nil
		}
	}
	return nil, fmt.Errorf("models/backbone: no network %q; there are %s", name, strings.Join(Names(), ", "))
}

// Names returns the names of all networks.
func Names() []string {
	var out []string
	for _, s := range specs {
		out = append(out, s.name)
	}
	return out
}
