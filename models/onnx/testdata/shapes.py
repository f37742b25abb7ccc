"""Writes shapes.tsv: what onnx.shape_inference finds for the values of the real networks at hand, from their inputs alone.

usage: python shapes.py FOLDER_OF_ONNX_FILES > shapes.tsv      (onnx 1.23.2)
A line is: file, value, element type, sizes (? for one that it does not find).
"""
import pathlib
import sys

import onnx

NAMES = {1: "float32", 6: "int32", 7: "int64", 9: "bool", 10: "float16", 11: "float64"}

for path in sorted(pathlib.Path(sys.argv[1]).glob("*.onnx")):
    model = onnx.load(path)
    del model.graph.value_info[:]
    model = onnx.shape_inference.infer_shapes(model, data_prop=True)
    for v in model.graph.value_info:
        t = v.type.tensor_type
        sizes = [d.dim_param if d.dim_param and "unk__" not in d.dim_param else str(d.dim_value) if d.HasField("dim_value") else "?" for d in t.shape.dim]
        print(path.name, v.name, NAMES[t.elem_type], "[" + ",".join(sizes) + "]", sep="\t")
