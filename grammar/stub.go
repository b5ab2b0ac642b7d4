package grammar

func Parse(src string) (*Trigger, Diagnostics)          { panic("stub") }
func Format(t *Trigger) string                          { panic("stub") }
func Suggest(name string, candidates []string) []string { panic("stub") }
func (d Diagnostic) Render(src []byte) string           { panic("stub") }
