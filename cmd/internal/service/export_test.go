package service

// Codes returns the codes of all problems.
func Codes() (codes []string) {
	for _, k := range problems {
		codes = append(codes, k.code)
	}
	return codes
}
