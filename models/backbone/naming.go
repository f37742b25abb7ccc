package backbone

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/oatta/oatta/models/weights"
)

// naming is a way in which weights of a network were published: rules to our names, and a pattern of names that only such files have.
type naming struct {
	sign  string // a regular expression; "": any file
	rules weights.Rules
}

var (
	ownNames         = []naming{{"", wrapped(nil)}}
	torchvisionNames = []naming{{"", wrapped(weights.Torchvision)}}
	convnextNames    = []naming{
		{`^(module\.)?downsample_layers\.`, convnextRules("downsample_layers.0.", "downsample_layers.%d.", `stages\.%d\.`,
			"dwconv", "pwconv1", "pwconv2", `^norm\.`, `^head\.`)},
		{`^(module\.)?stem\.`, convnextRules("stem.", "stages.%d.downsample.", `stages\.%d\.blocks\.`,
			"conv_dw", `mlp\.fc1`, `mlp\.fc2`, `^head\.norm\.`, `^head\.fc\.`)},
		{"", wrapped(weights.Torchvision)},
	}
	vitNames = []naming{
		{`^(module\.)?(cls_token|blocks\.0\.)`, wrapped(weights.TimmViT)},
		{`^(module\.)?(vit\.)?embeddings\.cls_token$`, wrapped(weights.HuggingFaceViT)},
		{"", wrapped(weights.Torchvision)},
	}
	bertNaming       = []naming{{"", append(wrapped(weights.HuggingFaceBERT), pretraining)}}
	distilbertNaming = []naming{{"", append(wrapped(weights.HuggingFaceDistilBERT), pretraining)}}

	// pretraining leaves out what TinyBERT's distillation and question answering put beside the encoder.
	pretraining = weights.Rule{From: `^(fit_denses?|qa_outputs)\.`, Drop: true}
)

// wrapped takes off what wrappers of modules put before names; readers of PyTorch's files do that already.
func wrapped(rules weights.Rules) weights.Rules {
	return append(weights.Rules{{From: `^(module\.|_orig_mod\.)+`}, {From: `(^|\.)num_batches_tracked$`, Drop: true}}, rules...)
}

// convnextRules lead the names of the paper's own code and of timm to torchvision's, which counts stages and what is between them in
// one row. The formats take the number of a stage.
func convnextRules(stem, between, stage, depthwise, inner, outer, norm, head string) weights.Rules {
	rules := weights.Rules{{From: "^" + regexp.QuoteMeta(stem), To: "features.0."}, {From: norm, To: "classifier.0."}, {From: head, To: "classifier.2."}}
	for i := range 4 {
		rules = append(rules,
			weights.Rule{From: "^" + regexp.QuoteMeta(fmt.Sprintf(between, i)), To: fmt.Sprintf("features.%d.", 2*i)},
			weights.Rule{From: "^" + fmt.Sprintf(stage, i), To: fmt.Sprintf("features.%d.", 2*i+1)})
	}
	for _, part := range [][2]string{{depthwise, "block.0"}, {"norm", "block.2"}, {inner, "block.3"}, {outer, "block.5"}} {
		rules = append(rules, weights.Rule{From: `^(features\.\d\.\d+\.)` + part[0] + `\.`, To: "${1}" + part[1] + "."})
	}
	return wrapped(append(rules, weights.Rule{From: `\.gamma$`, To: ".layer_scale"}))
}

// rulesFor chooses the way of naming whose sign is among the names.
func (s *spec) rulesFor(names []string) weights.Rules {
	for _, n := range s.rules {
		if n.sign == "" || slices.ContainsFunc(names, regexp.MustCompile(n.sign).MatchString) {
			return n.rules
		}
	}
	return nil
}
