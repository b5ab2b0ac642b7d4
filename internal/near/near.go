// Package near owns the answer to a name that does not exist: which names are near it, and how to ask whether
// one of them was meant. It is pure, and its functions may be called concurrently.
package near

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Names returns up to three candidates that name was probably meant to be, the most similar first, and
// equally similar ones in byte order. Candidates equal to name are left out.
//
// Two names are similar if one letter, or at most a third of the letters of name, was added, left out,
// replaced, or swapped with its neighbour. Differences of case, and of - and _, do not count. To a name of
// one or two letters nothing else is similar.
func Names(name string, candidates []string) []string {
	const (
		most    = 3
		longest = 64 // letters; nobody mistypes longer names, and the work grows with the square of the length
	)
	type similar struct {
		name     string
		distance int
	}
	var found []*similar // pointers: sorting them is code that the program has anyway
	folded := foldName(name)
	for _, c := range candidates {
		other := foldName(c)
		limit := max(1, len(folded)/3)
		if c == "" || c == name {
			continue
		}
		if folded == other {
			found = append(found, &similar{c, 0})
			continue
		}
		shorter, longer := min(len(folded), len(other)), max(len(folded), len(other))
		if shorter < 3 || longer > longest || longer-shorter > limit {
			continue
		}
		if d := distance(folded, other); d <= limit {
			found = append(found, &similar{c, d})
		}
	}
	slices.SortFunc(found, func(a, b *similar) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.name, b.name))
	})
	var names []string
	for _, f := range slices.CompactFunc(found, func(a, b *similar) bool { return a.name == b.name }) {
		if len(names) < most {
			names = append(names, f.name)
		}
	}
	return names
}

// Slip returns the one candidate that name is but for a single letter, added, left out, replaced or swapped
// with its neighbour; "" where there is none, or several, or where one of the two is shorter than 4 letters.
func Slip(name string, candidates []string) (slip string) {
	for _, c := range candidates {
		if min(len(name), len(c)) < 4 || distance(name, c) != 1 {
			continue
		}
		if slip != "" {
			return ""
		}
		slip = c
	}
	return slip
}

func foldName(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }

// distance returns how many bytes have to be added, left out, replaced or swapped with their neighbour to
// turn a into b: the Damerau-Levenshtein distance in its restricted form, which swaps each pair at most once.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := last[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(replace, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// Parts returns up to three candidates of which name is a part, where underscores separate the parts: for
// "usage" it returns "context_usage". Those that begin with name come first. It is for names that were cut
// short.
func Parts(name string, candidates []string) []string {
	const most = 3
	folded := foldName(name)
	var first, others []string
	for _, c := range candidates {
		parts := strings.Split(foldName(c), "_")
		switch i := slices.Index(parts, folded); {
		case folded == "" || i < 0 || len(parts) == 1:
		case i == 0:
			first = append(first, c)
		default:
			others = append(others, c)
		}
	}
	all := append(first, others...)
	return all[:min(len(all), most)]
}

// IDs returns the names near an id that a person typed: similar ones or, where there is none, up to three
// that contain it.
func IDs(id string, ids []string) []string {
	const most = 3
	found := Names(id, ids)
	if len(found) > 0 || len(id) < 3 {
		return found
	}
	for _, other := range ids {
		if strings.Contains(other, id) && len(found) < most {
			found = append(found, other)
		}
	}
	return found
}

// Reply answers a person who asked for a reminder by a name that none of ids is.
func Reply(name string, ids []string) string {
	text := fmt.Sprintf("There is no reminder named %+q.", name)
	if found := IDs(name, ids); len(found) > 0 {
		text += " The nearest names are: " + strings.Join(found, ", ") + "."
	}
	return text
}

// Question asks whether one of the names was meant: "did you mean a, b or c?". It is "" for no names.
func Question(names []string) string {
	last := len(names) - 1
	if last < 0 {
		return ""
	}
	if last > 0 {
		return "did you mean " + strings.Join(names[:last], ", ") + " or " + names[last] + "?"
	}
	return "did you mean " + names[0] + "?"
}

// Hint is the Question about the Names near a name, behind prefix; "" where no name is near.
func Hint(prefix, name string, candidates []string) string {
	if q := Question(Names(name, candidates)); q != "" {
		return prefix + q
	}
	return ""
}
