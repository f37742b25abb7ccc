package motion

import "slices"

// HARTHChannels are the columns of HARTH's files, in g at 50 Hz: two Axivity AX3, on the lower back and the right thigh.
var HARTHChannels = []string{"back_x", "back_y", "back_z", "thigh_x", "thigh_y", "thigh_z"}

// HARTHGroups are the six classes to which the paper merges HARTH's activities, in its order.
var HARTHGroups = []string{"Walking", "Running", "Static", "Lying", "Stairs", "Cycling"}

// HARTHActivity is one of the activities that HARTH's annotators told apart.
type HARTHActivity struct {
	Code  string // in the column label
	Name  string
	Group string // one of HARTHGroups
}

// HARTHActivities are the codes of HARTH's files. The paper names the six groups and not which code goes where ("we map the original HARTH
// activity labels into six broader groups"); three of the codes leave a choice:
//
//   - 3, shuffling, is defined as standing with movement of the legs, without going anywhere: Static.
//   - 130 and 140, cycling without pedalling, are parts of a ride, which their codes say (13 and 14 with a 0 behind): Cycling.
var HARTHActivities = []HARTHActivity{
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

// HARTHGroup returns the group of a code of HARTH, "" for codes that it does not have.
func HARTHGroup(code string) string {
	for _, a := range HARTHActivities {
		if a.Code == code {
			return a.Group
		}
	}
	return ""
}

// HARTHName returns the name of the activity of a code, "" for codes that HARTH does not have.
func HARTHName(code string) string {
	for _, a := range HARTHActivities {
		if a.Code == code {
			return a.Name
		}
	}
	return ""
}

// OpenHARTH opens a file of HARTH, S006.csv and so on: its six channels, person S006, labels merged to [HARTHGroups]. For the twelve
// activities call Relabel with [HARTHName].
//
// Columns count by name: some files have the numbers of rows in one more column, without a name or named index.
func OpenHARTH(path string) (*Recording, error) {
	r, err := OpenCSV(path, Options{Time: "timestamp", Channels: HARTHChannels, Label: "label", Unit: "g"})
	if err != nil {
		return nil, err
	}
	asHARTH(r)
	return r, nil
}

func asHARTH(r *Recording) {
	r.head.Person = r.head.Name
	r.Relabel(HARTHGroups, HARTHGroup)
}

// isHARTH tells whether a table that was opened without options is one of HARTH.
func isHARTH(r *Recording) bool {
	return r.labels != nil && slices.Equal(r.head.Names(), HARTHChannels)
}
