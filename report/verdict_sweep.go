package report

import (
	"fmt"
	"slices"
	"strings"
)

// elsewhere says whether what is best at the severest place is so at the others
// that are shown.
func (m *viewMaker) elsewhere(a *advice) []string {
	if len(m.places) < 2 || a.undecided() {
		return nil
	}
	mine := a.points[a.Best].Variant
	var names []string
	at := map[string][]int{}
	unknown, best := 0, 0
	for k := range m.places {
		switch other := m.bestAt(k); {
		case other == "":
			unknown++
		case other == mine || m.tiedAt(k, mine):
			best++
		default:
			names = addNew(names, other)
			at[other] = append(at[other], k)
		}
	}
	if len(names) == 0 {
		s := fmt.Sprintf("“%s” is best, or cannot be told from the best, at ", mine)
		switch all := counted(int64(len(m.places)), "place") + " of the sweep"; {
		case unknown > 0:
			s += fmt.Sprintf("%d of %s; elsewhere nobody can tell", best, all)
		case len(m.places) == 2:
			s += "both places of the sweep"
		default:
			s += "all " + all
		}
		return []string{s + "."}
	}
	var parts []string
	for _, name := range names[:min(len(names), mostNamed)] {
		parts = append(parts, fmt.Sprintf("“%s” %s", name, m.placesNamed(at[name])))
	}
	if n := len(names) - mostNamed; n > 0 {
		parts = append(parts, counted(int64(n), "more variant")+" elsewhere")
	}
	return []string{"Another is certainly better at other places: " + strings.Join(parts, "; ") + "."}
}

// bestAt is the variant to use at a place; empty where nobody can tell.
func (m *viewMaker) bestAt(place int) string {
	b := &m.best[place]
	if b.Best < 0 || len(b.Tied) == len(b.Reasons)-1 {
		return ""
	}
	return m.r.Points[m.places[place][b.Best]].Variant
}

// tiedAt reports whether a variant cannot be told from the best at a place.
func (m *viewMaker) tiedAt(place int, variant string) bool {
	return slices.ContainsFunc(m.best[place].Tied, func(i int) bool { return m.r.Points[m.places[place][i]].Variant == variant })
}

// placesNamed are places in a sentence: of one axis the values, from and to where
// several follow each other.
func (m *viewMaker) placesNamed(list []int) string {
	if len(m.r.Axes) != 1 {
		if len(list) == 1 {
			return where(m.r, m.Places[list[0]].Values)
		}
		return fmt.Sprintf("at %d of %s", len(list), counted(int64(len(m.places)), "place"))
	}
	var parts []string
	for i := 0; i < len(list); {
		k := i
		for k+1 < len(list) && list[k+1] == list[k]+1 {
			k++
		}
		part := m.Places[list[i]].Values[0]
		if k > i {
			part += " to " + m.Places[list[k]].Values[0]
		}
		parts = append(parts, part)
		i = k + 1
	}
	return "at " + m.r.Axes[0] + " = " + listed(some(parts))
}

// overall counts at how many places of a design each variant is best: none of them
// is more severe than the others.
func (m *viewMaker) overall() string {
	count := map[string]int{}
	var names []string
	unknown := 0
	for k := range m.places {
		name := m.bestAt(k)
		if name == "" {
			unknown++
			continue
		}
		names = addNew(names, name)
		count[name]++
	}
	slices.SortStableFunc(names, func(a, b string) int { return count[b] - count[a] })
	var parts []string
	for i, name := range names[:min(len(names), mostNamed)] {
		s := fmt.Sprintf("“%s” at %d", name, count[name])
		if i == 0 {
			s = fmt.Sprintf("“%s” is best at %d of %s", name, count[name], counted(int64(len(m.places)), "place"))
		}
		parts = append(parts, s)
	}
	if len(parts) == 0 {
		return "Nobody can tell which variant is best at any place"
	}
	if unknown > 0 {
		parts = append(parts, fmt.Sprintf("nobody can tell at %d", unknown))
	}
	return strings.Join(parts, ", ")
}
