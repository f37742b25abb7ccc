package onnx

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// step changes a node whose operator set is older than since.
type step struct {
	since int64
	f     func(u *upgrader, n *onnxpb.NodeProto) error
}

// steps lists what changed between operator sets 6 and 21 in a way that matters, from ONNX's Changelog.md. An operator that is absent
// kept its meaning: newer versions only allow more types, or have new attributes whose defaults are the old behaviour.
var steps = map[string][]step{
	// Attributes that became inputs.
	"Squeeze":         {{13, axesToInput}},
	"Unsqueeze":       {{13, axesToInput}},
	"ReduceSum":       {{13, axesToInput}},
	"ReduceL1":        {{18, axesToInput}},
	"ReduceL2":        {{18, axesToInput}},
	"ReduceLogSum":    {{18, axesToInput}},
	"ReduceLogSumExp": {{18, axesToInput}},
	"ReduceMax":       {{18, axesToInput}},
	"ReduceMean":      {{18, axesToInput}},
	"ReduceMin":       {{18, axesToInput}},
	"ReduceProd":      {{18, axesToInput}},
	"ReduceSumSquare": {{18, axesToInput}},
	"Clip":            {{11, clipBounds}},
	"Dropout":         {{7, testMode}, {12, dropoutRatio}},
	"Pad":             {{11, padSizes}},
	"Slice":           {{10, sliceSpans}},
	"Split":           {{13, splitSizes}, {18, splitCount}},
	"TopK":            {{10, topKCount}},
	"DFT":             {{20, dftAxis}},
	// Broadcasting that an attribute asked for.
	"Add": {{7, oldBroadcast}}, "Sub": {{7, oldBroadcast}}, "Mul": {{7, oldBroadcast}}, "Div": {{7, oldBroadcast}}, "Pow": {{7, oldBroadcast}},
	"And": {{7, oldBroadcast}}, "Or": {{7, oldBroadcast}}, "Xor": {{7, oldBroadcast}}, "Equal": {{7, oldBroadcast}}, "Less": {{7, oldBroadcast}},
	"Greater": {{7, oldBroadcast}}, "Gemm": {{7, gemmBroadcast}}, "PRelu": {{7, channelSlopes}},
	// Names, and defaults that changed.
	"Upsample":           {{10, upsample}, {11, resizeInputs}},
	"Resize":             {{11, resizeInputs}},
	"Scatter":            {{11, rename("ScatterElements")}},
	"Softmax":            {{13, flatSoftmax}},
	"LogSoftmax":         {{13, flatSoftmax}},
	"Hardmax":            {{13, flatSoftmax}},
	"BatchNormalization": {{7, testMode}, {9, spatialNorm}, {14, inferenceNorm}},
	"GroupNormalization": {{21, groupScales}},
	"RoiAlign":           {{16, spellOut("coordinate_transformation_mode", "output_half_pixel")}},
	"GridSample":         {{20, gridModes}},
	"Scan":               {{9, refuse}},
}

func refuse(*upgrader, *onnxpb.NodeProto) error { return errNoEqual }

func rename(op string) func(*upgrader, *onnxpb.NodeProto) error {
	return func(_ *upgrader, n *onnxpb.NodeProto) error {
		n.OpType = proto.String(op)
		return nil
	}
}

// spellOut adds an attribute whose default is another by now.
func spellOut(name, value string) func(*upgrader, *onnxpb.NodeProto) error {
	return func(_ *upgrader, n *onnxpb.NodeProto) error {
		if find(n, name) == nil {
			n.Attribute = append(n.Attribute, stringAttr(name, value))
		}
		return nil
	}
}

// axesToInput: Unsqueeze, Squeeze and reductions. Without axes they mean all of them, then as now.
func axesToInput(u *upgrader, n *onnxpb.NodeProto) error {
	a := take(n, "axes")
	if a == nil || len(a.GetInts()) == 0 && a.GetRefAttrName() == "" {
		return nil
	}
	put(n, 1, u.constant(n, "value_ints", a))
	return nil
}

func clipBounds(u *upgrader, n *onnxpb.NodeProto) error {
	if len(n.GetInput()) != 1 {
		return fmt.Errorf("%d inputs, want 1", len(n.GetInput()))
	}
	for i, name := range []string{"min", "max"} {
		if a := take(n, name); a != nil {
			put(n, 1+i, u.scalar(n, a))
		}
	}
	return nil
}

// dropoutRatio: these sets run networks, they do not train them. The mask was of the type of the data before set 10.
func dropoutRatio(u *upgrader, n *onnxpb.NodeProto) error {
	if u.from < 10 && len(n.GetOutput()) > 1 {
		if mask := n.GetOutput()[1]; mask != "" && (u.wanted == nil || u.wanted[mask]) {
			return fmt.Errorf("the mask is used: %w", errNoEqual)
		}
		n.Output = n.Output[:1]
	}
	if a := take(n, "ratio"); a != nil {
		put(n, 1, u.constant(n, "value_float", a))
	}
	return nil
}

func padSizes(u *upgrader, n *onnxpb.NodeProto) error {
	a := take(n, "pads")
	if a == nil || len(n.GetInput()) != 1 {
		return fmt.Errorf("%d inputs and no attribute pads", len(n.GetInput()))
	}
	put(n, 1, u.constant(n, "value_ints", a))
	if v := take(n, "value"); v != nil {
		put(n, 2, u.scalar(n, v))
	}
	return nil
}

func sliceSpans(u *upgrader, n *onnxpb.NodeProto) error {
	for i, name := range []string{"starts", "ends", "axes"} {
		a := take(n, name)
		if a == nil {
			if name == "axes" {
				return nil
			}
			return fmt.Errorf("no attribute %s", name)
		}
		put(n, 1+i, u.constant(n, "value_ints", a))
	}
	return nil
}

func splitSizes(u *upgrader, n *onnxpb.NodeProto) error {
	if a := take(n, "split"); a != nil {
		put(n, 1, u.constant(n, "value_ints", a))
	}
	return nil
}

// splitCount: a split without sizes must say into how many parts since set 18.
func splitCount(_ *upgrader, n *onnxpb.NodeProto) error {
	if len(n.GetInput()) < 2 || n.GetInput()[1] == "" {
		n.Attribute = append(n.Attribute, intAttr("num_outputs", int64(len(n.GetOutput()))))
	}
	return nil
}

func topKCount(u *upgrader, n *onnxpb.NodeProto) error {
	a := take(n, "k")
	if a == nil {
		return fmt.Errorf("no attribute k")
	}
	k := intsAttr("k", a.GetI())
	put(n, 1, u.constant(n, "value_ints", k))
	return nil
}

func dftAxis(u *upgrader, n *onnxpb.NodeProto) error {
	a := take(n, "axis")
	if a == nil {
		a = intAttr("axis", 1)
	}
	put(n, 2, u.constant(n, "value_int", a))
	return nil
}

// testMode: before set 7, operators that differ between training and use had to be told that they are used.
func testMode(_ *upgrader, n *onnxpb.NodeProto) error {
	if a := take(n, "is_test"); a == nil || a.GetI() == 0 {
		return fmt.Errorf("the training form: %w", errNoEqual)
	}
	return nil
}

// gemmBroadcast: C broadcasts always, since set 7.
func gemmBroadcast(_ *upgrader, n *onnxpb.NodeProto) error {
	take(n, "broadcast")
	return nil
}

// oldBroadcast: B was fitted to A from a given axis on, or to A's last axes.
func oldBroadcast(u *upgrader, n *onnxpb.NodeProto) error {
	broadcast, from := take(n, "broadcast"), take(n, "axis")
	if broadcast == nil || broadcast.GetI() == 0 || from == nil {
		return nil
	}
	return u.trailing(n, from.GetI())
}

// trailing gives input 1 as many axes of size 1 at its end as it takes to begin at an axis of input 0.
func (u *upgrader) trailing(n *onnxpb.NodeProto, from int64) error {
	if len(n.GetInput()) != 2 || len(n.GetOutput()) != 1 {
		return fmt.Errorf("%d inputs and %d outputs", len(n.GetInput()), len(n.GetOutput()))
	}
	a, knownA := u.ranks[n.GetInput()[0]]
	b, knownB := u.ranks[n.GetInput()[1]]
	if !knownA || !knownB {
		return fmt.Errorf("broadcasting from axis %d needs ranks that the file does not tell: %w", from, errNoEqual)
	}
	if from < 0 {
		from += int64(a)
	}
	missing := int64(a) - from - int64(b)
	if from < 0 || missing < 0 {
		return fmt.Errorf("axis %d of a tensor of rank %d", from, a)
	}
	var axes []int64
	for i := range missing {
		axes = append(axes, int64(b)+i)
	}
	if len(axes) > 0 {
		list := u.constant(n, "value_ints", intsAttr("axes", axes...))
		n.Input[1] = u.op("Unsqueeze", n.GetOutput()[0]+"_wide", []string{n.GetInput()[1], list})
	}
	return nil
}

// channelSlopes: a vector of slopes was one per channel, which is axis 1.
func channelSlopes(u *upgrader, n *onnxpb.NodeProto) error { return u.trailing(n, 1) }

// upsample: scales were an attribute before set 9 and are an input in it. Either way it is a Resize of set 10.
func upsample(u *upgrader, n *onnxpb.NodeProto) error {
	n.OpType = proto.String("Resize")
	if a := take(n, "scales"); a != nil {
		put(n, 1, u.constant(n, "value_floats", a))
	}
	if len(n.GetInput()) != 2 {
		return fmt.Errorf("%d inputs, want 2", len(n.GetInput()))
	}
	return nil
}

// resizeInputs: set 10's Resize has scales as its second input, and samples at floor(x/scale).
func resizeInputs(_ *upgrader, n *onnxpb.NodeProto) error {
	if n.GetOpType() != "Resize" || len(n.GetInput()) != 2 {
		return fmt.Errorf("%s with %d inputs, want 2", n.GetOpType(), len(n.GetInput()))
	}
	n.Input = []string{n.GetInput()[0], "", n.GetInput()[1]}
	n.Attribute = append(n.Attribute, stringAttr("coordinate_transformation_mode", "asymmetric"))
	if mode := find(n, "mode"); mode == nil || string(mode.GetS()) == "nearest" {
		n.Attribute = append(n.Attribute, stringAttr("nearest_mode", "floor"))
	}
	return nil
}

// flatSoftmax: before set 13 the sizes from axis on (default 1) were taken as one. On the last axis that is the same; elsewhere the
// tensor is flattened for the operator and given its shape back.
func flatSoftmax(u *upgrader, n *onnxpb.NodeProto) error {
	if len(n.GetInput()) != 1 || len(n.GetOutput()) != 1 {
		return fmt.Errorf("%d inputs and %d outputs", len(n.GetInput()), len(n.GetOutput()))
	}
	at := number(n, "axis", 1)
	x, y := n.GetInput()[0], n.GetOutput()[0]
	rank, known := u.ranks[x]
	if !known {
		rank, known = u.ranks[y]
	}
	take(n, "axis")
	n.Attribute = append(n.Attribute, intAttr("axis", -1))
	if at == -1 || known && at == int64(rank)-1 {
		return nil
	}
	shape := u.op("Shape", y+"_shape", []string{x})
	n.Input[0] = u.op("Flatten", y+"_rows", []string{x}, intAttr("axis", at))
	flat := u.fresh(y + "_flat")
	n.Output[0] = flat
	u.after = append(u.after, &onnxpb.NodeProto{OpType: proto.String("Reshape"), Input: []string{flat, shape}, Output: []string{y}})
	return nil
}

// spatialNorm: with spatial=0, statistics of every place of a picture were allowed.
func spatialNorm(_ *upgrader, n *onnxpb.NodeProto) error {
	if a := take(n, "spatial"); a != nil && a.GetI() != 1 {
		return fmt.Errorf("spatial=0: %w", errNoEqual)
	}
	return nil
}

// inferenceNorm: further outputs meant training, with other outputs than now.
func inferenceNorm(u *upgrader, n *onnxpb.NodeProto) error {
	if slices.ContainsFunc(n.GetOutput()[min(1, len(n.GetOutput())):], func(name string) bool { return name != "" && (u.wanted == nil || u.wanted[name]) }) {
		return fmt.Errorf("the training form: %w", errNoEqual)
	}
	n.Output = n.Output[:min(1, len(n.Output))]
	return nil
}

// groupScales: scale and bias had one element per group before set 21 and have one per channel since.
func groupScales(u *upgrader, n *onnxpb.NodeProto) error {
	groups := number(n, "num_groups", 0)
	if len(n.GetInput()) != 3 || len(n.GetOutput()) != 1 || groups < 1 {
		return fmt.Errorf("%d inputs, %d groups", len(n.GetInput()), groups)
	}
	y := n.GetOutput()[0]
	count := u.constant(n, "value_ints", intsAttr("groups", groups))
	channels := u.op("Shape", y+"_channels", n.GetInput()[:1], intAttr("start", 1), intAttr("end", 2))
	each := u.op("Div", y+"_each", []string{channels, count})
	table := u.op("Concat", y+"_table", []string{count, each}, intAttr("axis", 0))
	column := u.constant(n, "value_ints", intsAttr("column", groups, 1))
	all := u.constant(n, "value_ints", intsAttr("all", -1))
	for i, hint := range []string{"_scale", "_bias"} {
		tall := u.op("Reshape", y+hint+"_column", []string{n.GetInput()[1+i], column})
		wide := u.op("Expand", y+hint+"_table", []string{tall, table})
		n.Input[1+i] = u.op("Reshape", y+hint, []string{wide, all})
	}
	return nil
}

// gridModes: the names of two modes changed in set 20.
func gridModes(_ *upgrader, n *onnxpb.NodeProto) error {
	names := map[string]string{"bilinear": "linear", "bicubic": "cubic"}
	if a := find(n, "mode"); a != nil {
		if now, ok := names[string(a.GetS())]; ok {
			take(n, "mode")
			n.Attribute = append(n.Attribute, stringAttr("mode", now))
		}
	}
	return nil
}
