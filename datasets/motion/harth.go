package motion

import (
	"slices"
	"strings"
)

// harthChannels are the columns of HARTH's files, in g at 50 Hz: two Axivity AX3, on the lower back and the right thigh.
var harthChannels = []string{"back_x", "back_y", "back_z", "thigh_x", "thigh_y", "thigh_z"}

// harthGroups are the six classes to which the paper merges HARTH's activities, in its order.
var harthGroups = []string{"Walking", "Running", "Static", "Lying", "Stairs", "Cycling"}

// harthActivity is one of the activities that HARTH's annotators told apart.
type harthActivity struct {
	Code  string // in the column label
	Name  string
	Group string // one of harthGroups
}

// harthActivities are the codes of HARTH's files. The paper names the six groups and not which code goes where ("we map the original HARTH
// activity labels into six broader groups"); three of the codes leave a choice:
//
//   - 3, shuffling, is defined as standing with movement of the legs, without going anywhere: Static.
//   - 130 and 140, cycling without pedalling, are parts of a ride, which their codes say (13 and 14 with a 0 behind): Cycling.
var harthActivities = []harthActivity{
	{"1", "walking", "Walking"},
	{"2", "running", "Running"},
	{"3", "shuffling", "Static"},
	{"4", "stairs (ascending)", "Stairs"},
	{"5", "stairs (descending)", "Stairs"},
	{"6", "standing", "Static"},
	{"7", "sitting", "Static"},
	{"8", "lying", "Lying"},
	{"13", "cycling (sit)", "Cycling"},
	{"14", "cycling (stand)", "Cycling"},
	{"130", "cycling (sit, inactive)", "Cycling"},
	{"140", "cycling (stand, inactive)", "Cycling"},
}

// harthGroup returns the group of a code of HARTH, "" for codes that it does not have.
func harthGroup(code string) string {
	for _, a := range harthActivities {
		if a.Code == code {
			return a.Group
		}
	}
	return ""
}

// asHARTH makes a recording one of HARTH: person S006, labels merged to harthGroups.
func asHARTH(r *Recording) {
	r.head.Person = r.head.Name
	r.Relabel(harthGroups, harthGroup)
}

// isHARTH tells whether a table is one of HARTH: it has the columns of its channels, whatever else it has, those that are read are among them unless
// the user chose none, and its labels, in the column label, are codes. A table that was opened without options has them whatever its labels are.
func isHARTH(r *Recording, o Options) bool {
	d, ok := r.dec.(*csvDecoder)
	if !ok || r.labels == nil || !strings.EqualFold(strings.TrimSpace(d.header[d.label]), "label") {
		return false
	}
	if o.isZero() && slices.Equal(r.head.Names(), harthChannels) {
		return true
	}
	for _, name := range harthChannels {
		if !slices.Contains(d.header, name) {
			return false
		}
	}
	codes, others := 0, 0
	for _, row := range d.head {
		switch name := wholeLabel(strings.TrimSpace(row.Get(d.label))); {
		case name == "":
		case harthGroup(name) != "":
			codes++
		default:
			others++
		}
	}
	return codes > others
}
