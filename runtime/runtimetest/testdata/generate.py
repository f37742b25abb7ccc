"""Writes the tiny ONNX models of the engine tests beside this file.

    python3 generate.py        needs onnx (the committed files: 1.23.2) and numpy

Everything is fixed, so a second run writes the same bytes. Opset 17, IR 8: any runtime of the last years reads them.
"""

import pathlib

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper

HERE = pathlib.Path(__file__).parent
DTYPES = {"float32": T.FLOAT, "float16": T.FLOAT16, "int64": T.INT64, "int32": T.INT32, "uint8": T.UINT8, "bool": T.BOOL}


def value(name, dtype, shape):
    return h.make_tensor_value_info(name, dtype, shape)


def model(name, nodes, inputs, outputs, initializers=(), metadata=None):
    graph = h.make_graph(nodes, name, inputs, outputs, list(initializers))
    m = h.make_model(graph, producer_name="oatta-test", opset_imports=[h.make_opsetid("", 17)])
    m.ir_version = 8
    m.model_version = 3
    m.domain = "org.oatta.test"
    m.doc_string = f"engine test: {name}"
    if metadata:
        h.set_model_props(m, metadata)
    return m


def save(name, m, check=True):
    if check:
        onnx.checker.check_model(m)
    (HERE / f"{name}.onnx").write_bytes(m.SerializeToString(deterministic=True))


def identities():
    """y = x: one model an element type, any batch of 3."""
    for name, dtype in DTYPES.items():
        save(f"identity_{name}", model(f"identity_{name}", [h.make_node("Identity", ["x"], ["y"])],
                                       [value("x", dtype, ["N", 3])], [value("y", dtype, ["N", 3])]))


def scalars():
    """y = x without dimensions, float32 and float16."""
    for name in ("float32", "float16"):
        save(f"scalar_{name}", model(f"scalar_{name}", [h.make_node("Identity", ["x"], ["y"])],
                                     [value("x", DTYPES[name], [])], [value("y", DTYPES[name], [])]))


def add():
    """sum = a + b, twice = 2 a: two inputs, two outputs, a fixed size and metadata."""
    two = numpy_helper.from_array(np.float32(2), "two")
    save("add", model("add", [h.make_node("Add", ["a", "b"], ["sum"]), h.make_node("Mul", ["a", "two"], ["twice"])],
                      [value("a", T.FLOAT, ["N", 4]), value("b", T.FLOAT, ["N", 4])],
                      [value("sum", T.FLOAT, ["N", 4]), value("twice", T.FLOAT, ["N", 4])],
                      [two], {"labels": "empty,heron", "colour": "RGB"}))


def nonzero():
    """The indices of what is not 0: how many there are depends on the data."""
    save("nonzero", model("nonzero", [h.make_node("NonZero", ["x"], ["indices"])],
                          [value("x", T.FLOAT, ["N"])], [value("indices", T.INT64, [1, "found"])]))


def unknown_rank():
    """y = x, of a rank that the file does not tell."""
    save("unknown_rank", model("unknown_rank", [h.make_node("Identity", ["x"], ["y"])],
                               [value("x", T.FLOAT, None)], [value("y", T.FLOAT, None)]),
         check=False)  # the checker wants shapes of inputs; the format and the runtimes do not


def loop():
    """Multiplies a 64x64 matrix by a constant one, steps times: slow enough to be cancelled, small on disk."""
    body = h.make_graph(
        [h.make_node("MatMul", ["m_in", "rotate"], ["m_out"]), h.make_node("Identity", ["go_in"], ["go_out"])],
        "body",
        [value("i", T.INT64, []), value("go_in", T.BOOL, []), value("m_in", T.FLOAT, [64, 64])],
        [value("go_out", T.BOOL, []), value("m_out", T.FLOAT, [64, 64])])
    nodes = [
        h.make_node("EyeLike", ["m"], ["rotate"], dtype=T.FLOAT),
        h.make_node("Loop", ["steps", "", "m"], ["product"], body=body),
    ]
    save("loop", model("loop", nodes, [value("steps", T.INT64, []), value("m", T.FLOAT, [64, 64])],
                       [value("product", T.FLOAT, [64, 64])]))


def mismatch():
    """a + b where only the file's reader could tell that 3 and 4 do not fit: the error comes from the running node."""
    save("mismatch", model("mismatch", [h.make_node("Add", ["a", "b"], ["y"], name="the_add")],
                           [value("a", T.FLOAT, ["N"]), value("b", T.FLOAT, ["M"])], [value("y", T.FLOAT, ["K"])]))


def external():
    """A 1x1 convolution whose weights lie in external.bin, beside the model."""
    weights = np.arange(6, dtype=np.float32).reshape(2, 3, 1, 1) / 4
    (HERE / "external.bin").write_bytes(weights.tobytes())
    w = T(name="w", data_type=T.FLOAT, dims=weights.shape, data_location=T.EXTERNAL)
    for k, v in {"location": "external.bin", "offset": "0", "length": str(weights.nbytes)}.items():
        w.external_data.add(key=k, value=v)
    m = model("external", [h.make_node("Conv", ["x", "w"], ["y"], name="conv")],
              [value("x", T.FLOAT, ["N", 3, 2, 2])], [value("y", T.FLOAT, ["N", 2, 2, 2])], [w])
    save("external", m, check=False)  # the checker would want a path


def refused():
    """Models that an engine refuses: an output of strings, and one that is a sequence."""
    save("strings", model("strings", [h.make_node("Identity", ["x"], ["y"])],
                          [value("x", T.STRING, ["N"])], [value("y", T.STRING, ["N"])]))
    sequence = h.make_tensor_sequence_value_info("y", T.FLOAT, ["N"])
    save("sequence", model("sequence", [h.make_node("SequenceConstruct", ["x"], ["y"])], [value("x", T.FLOAT, ["N"])], [sequence]))


for make in (identities, scalars, add, nonzero, unknown_rank, loop, mismatch, external, refused):
    make()
