"""Writes names.json: what the libraries that publish weights call the tensors of small networks, and their shapes. torchvision 0.29.2,
timm 1.0.31, transformers 5.24.0. The networks of a family are the same in every size that names show, so that the rules must take each
to torchvision's (pictures) or to the classifier's (text)."""
import json, pathlib, tempfile
import timm, torchvision, transformers
from safetensors import safe_open

small = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 12, "num_labels": 3}
vit = transformers.ViTConfig(image_size=32, patch_size=16, **small)
bert = transformers.BertConfig(vocab_size=11, max_position_embeddings=5, **small)
distil = transformers.DistilBertConfig(vocab_size=11, max_position_embeddings=5, dim=8, n_layers=1, n_heads=2, hidden_dim=12, num_labels=3)


def held(m):
    return {k: list(v.shape) for k, v in m.state_dict().items()}


def saved(kind, config):
    """As the file has them, which for some networks is not as the module has them."""
    with tempfile.TemporaryDirectory() as d:
        getattr(transformers, kind)(config).save_pretrained(d)
        with safe_open(f"{d}/model.safetensors", "np") as f:
            return {k: f.get_slice(k).get_shape() for k in f.keys()}


out = {
    "torchvision resnet18": held(torchvision.models.resnet18(num_classes=3)),
    "torchvision vit": held(torchvision.models.VisionTransformer(image_size=32, patch_size=16, num_layers=1, num_heads=2, hidden_dim=8, mlp_dim=12, num_classes=3)),
    "timm vit": held(timm.models.vision_transformer.VisionTransformer(img_size=32, patch_size=16, embed_dim=8, depth=1, num_heads=2, mlp_ratio=1.5, num_classes=3)),
    "transformers 5 vit in memory": held(transformers.ViTForImageClassification(vit)),
    **{kind: saved(kind, vit) for kind in ["ViTForImageClassification", "ViTModel"]},
    **{kind: saved(kind, bert) for kind in ["BertForSequenceClassification", "BertModel", "BertForPreTraining", "BertForMaskedLM"]},
    **{kind: saved(kind, distil) for kind in ["DistilBertForSequenceClassification", "DistilBertModel", "DistilBertForMaskedLM"]},
}
path = pathlib.Path(__file__).with_name("names.json")
path.write_text(json.dumps(out, sort_keys=True).replace("}, ", "},\n") + "\n")
