package motion

// HARTHCodes returns the class, one of the six groups of activities that the paper of HARTH has, by the code in its files.
func HARTHCodes() map[string]string {
	codes := map[string]string{}
	for _, a := range harthActivities {
		codes[a.Code] = a.Group
	}
	return codes
}
