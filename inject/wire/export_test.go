package wire

// Remembered returns how many bytes a Reader counts as what it remembers.
func Remembered(r *Reader) int { return r.young.bytes + r.old.bytes }
