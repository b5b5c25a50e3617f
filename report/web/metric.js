// A metric of all variants: against what is swept, or as dots with whiskers.
(function (R) {
  "use strict";

  const wanted = ["total_calls", "completion_p99"]; // shown first where they exist

  R.Metrics = class {
    constructor(app) {
      this.app = app;
      this.axis = 0;
      this.panels = [0, 1].map((k) => new Panel(app, this, k));
      this.choice = R.el("div", { class: "rs-tools" });
      this.element = R.card(app, "metrics", "Metrics", this.choice, R.el("div", { class: "rs-pair" }, this.panels.map((p) => p.element)));
      this.heading = this.element.firstChild.firstChild;
    }

    refresh(why) {
      if (why !== "variants") {
        const { view } = this.app;
        if (this.axis >= view.axes.length) this.axis = 0;
        this.heading.textContent = this.swept() ? "Against " + view.axes[this.axis].path : "Side by side";
        this.choice.replaceChildren(...(view.axes.length > 1 ? [R.choice("Across", view.axes.map((a, i) => [i, a.path]), this.axis, (v) => { this.axis = Number(v); this.app.changed("axis"); })] : []),
          ...(view.axes.length > 1 || !this.swept() ? this.app.placeChoice() : []));
      }
      for (const p of this.panels) p.refresh(why);
    }

    swept() { return this.app.view.axes.length > 0 && this.places().length > 1; }

    // places are those along the axis, with the other axes as they are at the place.
    places() {
      const { view, state } = this.app, here = view.places[state.place] || view.places[0];
      return view.places.map((p, i) => ({ p, i })).filter(({ p }) => p.values.every((v, a) => a === this.axis || v === here.values[a]));
    }
  };

  class Panel {
    constructor(app, parent, which) {
      this.app = app;
      this.parent = parent;
      this.which = which;
      this.group = new R.Group();
      this.choice = R.el("span");
      this.chart = new R.Chart(app, {
        title: () => this.title(), group: this.group, height: 260, zoom: false, points: false, file: "summary.csv",
        tools: [this.choice],
        data: () => this.data(),
        x: { label: "", log: () => this.logX(), range: () => this.rangeX(), splits: (u) => this.thinned(u.width), tick: (x) => this.nameX(x), name: (x) => this.nameX(x) },
        y: { log: () => this.logY(), range: () => this.rangeY(), tick: (y) => (y > this.highest() ? "" : this.metric().share ? R.share(y) : R.tick(y)) },
        read: (line, i) => line.texts[i], rest: () => "",
        where: (x) => "at " + this.nameX(x),
        describe: () => this.describe(),
        draw: (u, chart) => this.nevers(u, chart),
      });
      this.dots = R.el("div", { class: "rs-dots" });
      this.element = R.el("div", {}, this.chart.element, this.dots);
    }

    refresh(why) {
      const { view } = this.app;
      if (why !== "variants") {
        this.fix();
        this.choice.replaceChildren(R.choice("Metric", view.metrics.map((m, i) => [i, m.title || m.name]), this.chosen, (v) => { this.name = view.metrics[v].name; this.refresh("metric"); }));
        this.element.hidden = view.metrics.length === 0 || (this.which > 0 && view.metrics.length < 2);
        if (why === "metric") this.chart.refresh(why);
      }
      const swept = this.parent.swept();
      this.dots.hidden = swept;
      this.chart.element.hidden = !swept;
      if (swept) this.chart.tools.append(this.choice);
      else this.drawDots();
    }

    // fix finds the chosen metric in a new view by its name.
    fix() {
      const { metrics } = this.app.view;
      let i = metrics.findIndex((m) => m.name === (this.name || wanted[this.which]));
      // Where nobody ever is done, or everybody at once, another metric says more.
      if (!this.name && i >= 0 && !this.tells(i)) i = metrics.findIndex((m, k) => m.key && m.better && k > i && this.tells(k));
      if (i < 0) i = metrics.findIndex((m, k) => m.key && k >= this.which);
      this.chosen = Math.max(0, i);
    }

    // tells reports whether a metric has more than one value, or only one point to have it.
    tells(i) {
      const all = this.app.view.points.map((p) => p.cells[i]?.c ?? null);
      return all.length < 2 || new Set(all).size > 1;
    }

    metric() { return this.app.view.metrics[this.chosen]; }
    title() { const m = this.metric(); return !m ? "" : (m.title || m.name) + (m.unit && m.unit !== "x" ? ` (${m.unit === "/s" ? "per second" : m.unit})` : ""); }

    // data has a column for each place of the axis, in the order of the numbers.
    data() {
      const { view } = this.app, axis = this.parent.axis;
      if (!this.parent.swept()) return { xs: [0], lines: [] };
      let places = this.parent.places().map(({ p, i }) => ({ i, name: p.values[axis], x: R.number((p.numbers || [])[axis]) }));
      this.numeric = places.every((p) => p.x !== null && p.x !== Infinity);
      if (this.numeric) places.sort((a, b) => a.x - b.x);
      else places = places.map((p, k) => ({ ...p, x: k }));
      this.xs = places.map((p) => p.x);
      this.names = new Map(places.map((p) => [p.x, p.name]));
      const lines = view.variants.map((v, k) => {
        const cells = places.map((p) => this.app.cell(k, p.i, this.chosen));
        const at = (field) => cells.map((c) => (c ? R.number(c[field]) : null));
        return { variant: k, label: v.name, dash: v.dashes, marker: v.marker, points: true, centre: at("c"), lows: at("lo"), highs: at("hi"), texts: cells.map((c) => (c ? c.text : "–")) };
      }).filter((l) => l.centre.some((y) => y !== null));
      this.extent(lines);
      const top = this.range[1] * 100; // infinity, far above the chart
      const finite = (y) => (y === Infinity ? top : y);
      for (const l of lines) {
        l.ys = l.centre.map((y) => (y === Infinity ? null : y));
        if (l.lows.some((y, i) => y !== null && y !== l.highs[i])) {
          l.lo = l.lows.map((y, i) => (y === Infinity ? null : y === null ? l.ys[i] : y));
          l.hi = l.highs.map((y, i) => (y === null ? l.ys[i] : finite(y)));
        }
      }
      return { xs: this.xs, lines };
    }

    // extent is the range of what is finite, and whether it needs a logarithm.
    extent(lines) {
      const shown = lines.filter((l) => this.app.visible(l.variant));
      const all = (shown.length ? shown : lines).flatMap((l) => [...l.centre, ...l.lows, ...l.highs]).filter((y) => y !== null && y !== Infinity);
      const positive = all.filter((y) => y > 0);
      const lo = Math.min(...positive), hi = Math.max(0, ...all);
      this.log = positive.length === all.length && positive.length > 0 && hi / lo > 30;
      this.range = this.log ? R.logRange(lo, hi) : [Math.min(0, ...all), (hi || 1) * 1.1];
      // Room for those that never come, above all numbers.
      if (lines.some((l) => l.centre.includes(Infinity))) this.range[1] *= this.log ? 2 : 1.1;
    }

    logX() { const a = this.app.view.axes[this.parent.axis]; return !!(a && a.log && this.numeric && this.xs[0] > 0); }
    logY() { return this.log; }

    rangeX() {
      const lo = this.xs[0], hi = this.xs[this.xs.length - 1];
      if (this.logX()) { const pad = Math.pow(hi / lo, 0.04); return [lo / pad, hi * pad]; }
      const pad = (hi - lo) * 0.04 || 0.5;
      return [lo - pad, hi + pad];
    }

    // thinned leaves out the names of places that would overlap.
    thinned(width) {
      const at = (x) => (this.logX() ? Math.log(x) : x), [lo, hi] = this.rangeX().map(at);
      let end = -Infinity;
      return this.xs.filter((x) => {
        const pos = ((at(x) - lo) / (hi - lo)) * width, half = this.nameX(x).length * 3.5 + 4;
        if (pos - half < end) return false;
        end = pos + half;
        return true;
      });
    }

    rangeY() { return this.range; }
    // highest is where the ticks end, below the name of never.
    highest() { return this.log ? this.range[1] / 1.6 : this.range[1] * 0.93; }
    nameX(x) { return (this.names && this.names.get(x)) || ""; }

    describe() {
      return this.data().lines.filter((l) => this.app.visible(l.variant))
        .map((l) => l.label + ": " + l.texts.map((t, i) => `${t} at ${this.nameX(this.xs[i])}`).join(", ")).join("; ");
    }

    // nevers are marked at the top edge, beside each other.
    nevers(u, chart) {
      const { view } = this.app, px = uPlot.pxRatio, y = u.bbox.top + 6 * px;
      const lines = chart.data.lines.filter((l) => this.app.visible(l.variant));
      this.xs.forEach((x, i) => {
        const never = lines.filter((l) => l.centre[i] === Infinity), left = u.valToPos(x, "x", true) - (never.length - 1) * 5.5 * px;
        never.forEach((l, k) => R.markAt(u, view.variants[l.variant], left + k * 11 * px, y, 4.5));
      });
      if (!lines.some((l) => l.centre.includes(Infinity))) return;
      u.ctx.save();
      u.ctx.fillStyle = R.color("soft");
      u.ctx.textAlign = "right";
      u.ctx.textBaseline = "middle";
      u.ctx.fillText("never", u.bbox.left - 8 * px, y);
      u.ctx.restore();
    }

    // drawDots is a row for each variant: dot, whisker and the value in words.
    drawDots() {
      const { view, state } = this.app, m = this.metric();
      if (!m) return;
      const rows = view.variants.map((v, k) => ({ v, k, c: this.app.cell(k, state.place, this.chosen) })).filter(({ k, c }) => c && this.app.visible(k));
      const all = rows.flatMap(({ c }) => [c.c, c.lo, c.hi].map(R.number)).filter((y) => y !== null && y !== Infinity);
      const positive = all.filter((y) => y > 0);
      const log = positive.length === all.length && all.length > 0 && Math.max(...all) / Math.min(...all) > 30;
      const range = log ? [Math.min(...all) / 1.5, Math.max(...all) * 1.3] : [Math.min(0, ...all), Math.max(0, ...all) * 1.05 || 1];
      const pos = (y) => (y === Infinity ? 1 : log ? Math.log(y / range[0]) / Math.log(range[1] / range[0]) : (y - range[0]) / (range[1] - range[0]));
      const pct = (y) => (100 * Math.min(1, Math.max(0, pos(y)))).toFixed(2) + "%";
      const tick = (y) => (m.share ? R.share(y) : R.tick(y));
      this.dots.replaceChildren(
        R.el("div", { class: "rs-chart-head" }, R.el("h" + (this.app.level + 2), {}, this.title() + (log ? ", logarithmic" : "")), this.choice),
        R.el("div", { class: "rs-dot-rows", role: "list" }, rows.map(({ v, c }) => R.el("div", { class: "rs-dot-row", role: "listitem" },
          R.el("span", { class: "rs-dot-name" }, v.name),
          R.el("span", { class: "rs-track", "aria-hidden": "true" }, whisker(v, c, pct)),
          R.el("span", { class: "rs-dot-text" }, c.text || "–"))),
        R.el("div", { class: "rs-dot-row rs-dot-axis", "aria-hidden": "true" }, R.el("span", { class: "rs-dot-name" }),
          R.el("span", { class: "rs-track" }, (all.length ? ticks(range, log) : []).map((y) => R.el("span", { class: "rs-tick", style: { left: pct(y) } }, tick(y)))),
          R.el("span", { class: "rs-dot-text" }))));
    }
  }

  function whisker(v, c, pct) {
    const [y, lo, hi] = [c.c, c.lo, c.hi].map(R.number);
    if (y === null) return [];
    return [
      R.paint(R.el("span", { class: "rs-stem", style: { width: pct(y) } }), v),
      lo !== null && hi !== null ? R.paint(R.el("span", { class: "rs-whisker", style: { left: pct(lo), right: `calc(100% - ${pct(hi)})` } }), v) : null,
      R.el("span", { class: "rs-dot-at", style: { left: pct(y) } }, R.dot(v)),
    ];
  }

  // ticks are a few round values of a range.
  function ticks([lo, hi], log) {
    const out = [];
    if (log) {
      // Powers of ten, as many as have room beside each other in a narrow pane.
      const step = Math.ceil(Math.log10(hi / lo) / 3);
      for (let e = Math.ceil(Math.log10(lo)); e <= Math.log10(hi); e += step) out.push(10 ** e);
      return out;
    }
    const raw = (hi - lo) / 4, base = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((m) => m * base).find((s) => s >= raw);
    for (let y = Math.ceil(lo / step) * step; y <= hi; y += step) out.push(Number(y.toPrecision(10)));
    return out;
  }
})(window.Retrystorm);
