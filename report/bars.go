package report

import "gonum.org/v1/plot/vg"

// Bar is a number beside a panel.
type Bar struct {
	Name  string
	Value float64
	Text  string
}

const (
	barLine   vg.Length = 17
	barLength vg.Length = 74 // of the longest
	barColor            = indigo
)

// bars is the room that the bars beside the panels take.
type bars struct {
	name, text vg.Length // widths
	most       float64
	count      int // in the panel with the most
}

// barsOf measures the bars; count is 0 when there are none.
func (d *drawing) barsOf() bars {
	var b bars
	var names, texts []string
	for _, p := range d.Panels {
		b.count = max(b.count, len(p.Bars))
		for _, bar := range p.Bars {
			names, texts = append(names, bar.Name), append(texts, bar.Text)
			b.most = max(b.most, Rounded(bar.Value))
		}
	}
	b.name = d.page.widest(names, letters{size: tickSize})
	b.text = d.page.widest(texts, letters{size: tickSize})
	return b
}

// barsWidth is how much of the page the bars take; their heading must fit too.
func (d *drawing) barsWidth() vg.Length {
	b := d.bars
	if b.count == 0 {
		return 0
	}
	return 20 + max(b.name+8+barLength+6+b.text, d.page.widthOf(d.BarsTitle, letters{size: labelSize}))
}

// barsBeside draws the bars of a panel, to its right.
func (d *drawing) barsBeside(f frame, list []Bar) {
	x := f.x1 + 20
	for i, bar := range list {
		y := f.top - vg.Length(barLine*(vg.Length(i)+0.5))
		d.page.write(bar.Name, x, y, letters{size: tickSize, color: textColor, y: 0.45})
		from := x + d.bars.name + 8
		to := between(from, from+barLength, scale{hi: d.bars.most}.at(bar.Value))
		d.page.box(from, y-5, max(to, from+1), y+5, barColor)
		d.page.write(bar.Text, max(to, from+1)+6, y, letters{size: tickSize, color: textColor, y: 0.45})
	}
}
