package weights

import (
	"fmt"
	"regexp"
)

// Rule rewrites names. From is a regular expression (package regexp) and To the template that replaces what it matches, with ${1} for
// its groups. Anchor with ^ and $ as needed.
type Rule struct {
	From, To string
	// Drop leaves tensors of matching names out: counters and tables that the network does not have.
	Drop bool
	// Of, if above 0, says that matching tensors are parts of one: Part (from 0) of Of, stacked along their first axis.
	Part, Of int
}

// Rules are applied in order, each to what those before it made, like the lines of a sed script. The zero value keeps all names.
type Rules []Rule

// Published names, as rules to ours, which are torchvision's for pictures and Hugging Face's for text.
var (
	// Torchvision keeps torchvision's names, and drops the counters of batch norms. The linear layers of its oldest vision transformers
	// had other names.
	Torchvision = Rules{
		{From: `(^|\.)num_batches_tracked$`, Drop: true},
		{From: `(encoder_layer_\d+\.mlp\.)linear_1\.`, To: "${1}0."},
		{From: `(encoder_layer_\d+\.mlp\.)linear_2\.`, To: "${1}3."},
	}

	// HuggingFaceBERT brings encoders that were saved alone under "bert.", reads the oldest names of layer norms, and drops what
	// pretraining had besides.
	HuggingFaceBERT = Rules{
		{From: `(^|\.)position_ids$|^cls\.`, Drop: true},
		{From: `^(embeddings|encoder|pooler)\.`, To: "bert.${1}."},
		{From: `LayerNorm\.gamma$`, To: "LayerNorm.weight"},
		{From: `LayerNorm\.beta$`, To: "LayerNorm.bias"},
	}

	// HuggingFaceDistilBERT is the same for DistilBERT.
	HuggingFaceDistilBERT = Rules{
		{From: `(^|\.)position_ids$|^vocab_`, Drop: true},
		{From: `^(embeddings|transformer)\.`, To: "distilbert.${1}."},
	}

	// TimmViT takes timm's (and DeiT's) vision transformers to torchvision's names.
	TimmViT = Rules{
		{From: `^cls_token$`, To: "class_token"},
		{From: `^pos_embed$`, To: "encoder.pos_embedding"},
		{From: `^patch_embed\.proj\.`, To: "conv_proj."},
		{From: `^blocks\.(\d+)\.`, To: "encoder.layers.encoder_layer_${1}."},
		{From: `\.norm([12])\.`, To: ".ln_${1}."},
		{From: `\.attn\.qkv\.`, To: ".self_attention.in_proj_"},
		{From: `\.attn\.proj\.`, To: ".self_attention.out_proj."},
		{From: `\.mlp\.fc1\.`, To: ".mlp.0."},
		{From: `\.mlp\.fc2\.`, To: ".mlp.3."},
		{From: `^norm\.`, To: "encoder.ln."},
		{From: `^head\.`, To: "heads.head."},
	}

	// HuggingFaceViT takes Hugging Face's vision transformers to torchvision's names; query, key and value become one. Version 5 of
	// transformers has shorter names in memory, hence in state dicts, and still writes the longer ones to its own files.
	HuggingFaceViT = Rules{
		{From: `^vit\.`},
		{From: `^pooler\.`, Drop: true},
		{From: `^embeddings\.cls_token$`, To: "class_token"},
		{From: `^embeddings\.position_embeddings$`, To: "encoder.pos_embedding"},
		{From: `^embeddings\.patch_embeddings\.projection\.`, To: "conv_proj."},
		{From: `^(encoder\.layer|layers)\.(\d+)\.`, To: "encoder.layers.encoder_layer_${2}."},
		{From: `\.layernorm_before\.`, To: ".ln_1."},
		{From: `\.layernorm_after\.`, To: ".ln_2."},
		{From: `\.attention\.(attention\.query|q_proj)\.`, To: ".self_attention.in_proj_", Part: 0, Of: 3},
		{From: `\.attention\.(attention\.key|k_proj)\.`, To: ".self_attention.in_proj_", Part: 1, Of: 3},
		{From: `\.attention\.(attention\.value|v_proj)\.`, To: ".self_attention.in_proj_", Part: 2, Of: 3},
		{From: `\.attention\.(output\.dense|o_proj)\.`, To: ".self_attention.out_proj."},
		{From: `\.(intermediate\.dense|mlp\.fc1)\.`, To: ".mlp.0."},
		{From: `(encoder_layer_\d+)\.(output\.dense|mlp\.fc2)\.`, To: "${1}.mlp.3."},
		{From: `^layernorm\.`, To: "encoder.ln."},
		{From: `^classifier\.`, To: "heads.head."},
	}
)

// Validate returns an error that names the first rule that cannot be.
func (r Rules) Validate() error {
	_, err := r.compile()
	return err
}

func (r Rules) compile() ([]*regexp.Regexp, error) {
	out := make([]*regexp.Regexp, len(r))
	for i, rule := range r {
		re, err := regexp.Compile(rule.From)
		if err != nil {
			return nil, fmt.Errorf("models/weights: rule %d: %w", i, err)
		}
		if rule.Of < 0 || rule.Part < 0 || rule.Part > 0 && rule.Part >= rule.Of {
			return nil, fmt.Errorf("models/weights: rule %d (%s): part %d of %d", i, rule.From, rule.Part, rule.Of)
		}
		out[i] = re
	}
	return out, nil
}

// renamed is what the rules make of one name.
type renamed struct {
	name     string
	drop     bool
	part, of int
}

func (r Rules) apply(compiled []*regexp.Regexp, name string) renamed {
	out := renamed{name: name}
	for i, re := range compiled {
		if !re.MatchString(out.name) {
			continue
		}
		if r[i].Drop {
			out.drop = true
			return out
		}
		out.name = re.ReplaceAllString(out.name, r[i].To)
		if r[i].Of > 0 {
			out.part, out.of = r[i].Part, r[i].Of
		}
	}
	return out
}
