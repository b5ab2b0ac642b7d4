package compile

import "github.com/aside-go/aside/compile/fact"

// fuse makes one closure of two comparisons of order that stand in an "and" or an "or", the commonest shape by far; nil if
// they are of another. Each closure decides with the two comparisons that hand-written code would make, and only asks
// for the opposite where they fail, to tell False from Unknown.
func fuse(x, y leaf, and bool) func(*fact.Frame) fact.Truth {
	a, okA := boundOf(x)
	b, okB := boundOf(y)
	if !okA || !okB {
		return nil
	}
	if !and {
		return fuseOr(a, b)
	}
	i, j, c, d := a.id, b.id, a.c, b.c
	switch {
	case a.above && b.above:
		return func(f *fact.Frame) fact.Truth {
			v, w := f.Num(i), f.Num(j)
			if v > c && w > d {
				return fact.True
			}
			if v <= c || w <= d {
				return fact.False
			}
			return fact.Unknown
		}
	case a.above:
		return func(f *fact.Frame) fact.Truth {
			v, w := f.Num(i), f.Num(j)
			if v > c && w < d {
				return fact.True
			}
			if v <= c || w >= d {
				return fact.False
			}
			return fact.Unknown
		}
	case b.above:
		return func(f *fact.Frame) fact.Truth {
			v, w := f.Num(i), f.Num(j)
			if v < c && w > d {
				return fact.True
			}
			if v >= c || w <= d {
				return fact.False
			}
			return fact.Unknown
		}
	default:
		return func(f *fact.Frame) fact.Truth {
			v, w := f.Num(i), f.Num(j)
			if v < c && w < d {
				return fact.True
			}
			if v >= c || w >= d {
				return fact.False
			}
			return fact.Unknown
		}
	}
}

func fuseOr(a, b bound) func(*fact.Frame) fact.Truth {
	i, j, c, d := a.id, b.id, a.c, b.c
	switch {
	case a.above && b.above:
		return func(f *fact.Frame) fact.Truth {
			v, w := f.Num(i), f.Num(j)
			if v > c || w > d {
				return fact.True
			}
			if v <= c && w <= d {
				return fact.False
			}
			return fact.Unknown
		}
	case a.above:
		return func(f *fact.Frame) fact.Truth {
			v, w := f.Num(i), f.Num(j)
			if v > c || w < d {
				return fact.True
			}
			if v <= c && w >= d {
				return fact.False
			}
			return fact.Unknown
		}
	case b.above:
		return func(f *fact.Frame) fact.Truth {
			v, w := f.Num(i), f.Num(j)
			if v < c || w > d {
				return fact.True
			}
			if v >= c && w <= d {
				return fact.False
			}
			return fact.Unknown
		}
	default:
		return func(f *fact.Frame) fact.Truth {
			v, w := f.Num(i), f.Num(j)
			if v < c || w < d {
				return fact.True
			}
			if v >= c && w >= d {
				return fact.False
			}
			return fact.Unknown
		}
	}
}
