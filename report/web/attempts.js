// Every attempt of a small run as a point: when, by which client. Columns of points
// are clients that came together.
(function (R) {
  "use strict";

  const bins = 120;
  const palette = ["bad", "unsure", "soft", "good"]; // of what is not ok

  R.Attempts = class {
    constructor(app) {
      this.app = app;
      this.group = new R.Group();
      this.legend = R.el("p", { class: "rs-legend" });
      this.grid = R.el("div", { class: "rs-cards rs-wide" });
      this.charts = new Map(); // of a variant by name
      this.element = R.card(app, "attempts", "Every attempt of one run",
        R.el("p", { class: "rs-note" }, "A point is an attempt: across when it arrived, upwards which client made it. Upright stripes are clients that came at the same time. Above, how many came at once."),
        R.el("div", { class: "rs-tools" }, this.group.zoomButton()), this.legend, this.grid);
    }

    refresh(why) {
      const { view } = this.app;
      this.element.hidden = view.attempts.length === 0;
      if (this.element.hidden) return;
      const list = this.list();
      if (why !== "variants") this.makeLegend(list);
      for (const a of list) {
        const name = view.variants[a.variant].name;
        if (!this.charts.has(name)) {
          const panel = new Panel(this.app, this, name);
          this.charts.set(name, panel);
          this.grid.append(panel.element);
        }
      }
      for (const [name, panel] of this.charts) {
        const a = list.find((x) => view.variants[x.variant].name === name);
        panel.element.hidden = !a || !this.app.visible(a.variant);
      }
    }

    list() {
      const { view, state } = this.app;
      const place = view.attempts.some((a) => a.place === state.place) ? state.place : view.severest;
      return view.attempts.filter((a) => a.place === place);
    }

    of(name) { return this.list().find((a) => this.app.view.variants[a.variant].name === name); }

    end() { return Math.max(...this.list().map((a) => a.t.reduce((m, t) => Math.max(m, t), 0))) || 1; }
    // most is the fullest bin of all variants, so that they can be compared.
    most() { return Math.max(1, ...this.list().map((a) => Math.max(...histogram(a, this.end(), () => true)))); }

    outcomes() { return [...new Set(this.list().flatMap((a) => a.outcomes))]; }

    colorOf(outcome) {
      if (outcome === "ok") return "accent";
      return palette[this.outcomes().filter((o) => o !== "ok").indexOf(outcome) % palette.length];
    }

    makeLegend() {
      this.legend.replaceChildren(
        entry(shapeMark("first"), "first attempt"), entry(shapeMark("retry"), "retry"),
        ...this.outcomes().map((o) => entry(R.el("span", { class: "rs-chip-color rs-bg-" + this.colorOf(o) }), o)));
    }
  };

  function entry(mark, text) { return R.el("span", { class: "rs-entry" }, mark, R.el("span", { class: "rs-name" }, text)); }

  function shapeMark(kind) {
    return R.svg("svg", { width: 12, height: 12, "aria-hidden": "true" }, kind === "first"
      ? R.svg("circle", { cx: 6, cy: 6, r: 4, fill: "currentColor" })
      : R.svg("path", { d: "M6 1v10M1 6h10", stroke: "currentColor", "stroke-width": 1.6 }));
  }

  // histogram counts attempts by time.
  function histogram(a, end, take) {
    const out = new Array(bins).fill(0);
    a.t.forEach((t, i) => { if (take(i)) out[Math.min(bins - 1, Math.floor((t / end) * bins))]++; });
    return out;
  }

  // Panel is the scatter of one variant; the histogram is in its upper fifth.
  class Panel {
    constructor(app, parent, name) {
      this.app = app;
      this.parent = parent;
      this.name = name;
      this.chart = new R.Chart(app, {
        title: name, group: parent.group, height: 300, points: false, file: "attempts.csv",
        data: () => this.data(),
        x: { label: "time", ...R.timeAxis, range: () => [0, parent.end()] },
        y: { range: () => [0, this.clients() * 1.3], splits: () => this.splits(), tick: (y) => R.tick(y) },
        read: (line, i, x) => this.read(x), rest: () => R.fmt(this.attempts() ? this.attempts().t.length : 0) + " attempts",
        where: (x, exact) => "about " + R.seconds(exact),
        describe: () => this.describe(),
        rows: () => this.rows(),
        draw: (u) => this.draw(u),
      });
      this.element = this.chart.element;
    }

    attempts() { return this.parent.of(this.name); }
    clients() { const a = this.attempts(); return a ? Math.max(1, a.clients) : 1; }
    splits() { const n = this.clients(), step = 10 ** Math.floor(Math.log10(n)) / (n / 10 ** Math.floor(Math.log10(n)) < 2 ? 4 : 1) || 1; const out = []; for (let y = 0; y <= n; y += Math.max(1, step)) out.push(y); return out; }

    data() {
      const a = this.attempts();
      if (!a) return { xs: [0], lines: [] };
      const end = this.parent.end();
      const xs = Array.from({ length: bins + 1 }, (_, k) => (k * end) / bins);
      return { xs, lines: [{ variant: a.variant, label: this.name, ys: xs.map(() => null) }] };
    }

    read(x) {
      const a = this.attempts(), end = this.parent.end(), width = end / bins;
      const k = Math.min(bins - 1, Math.floor(x / width));
      const inside = (i) => Math.min(bins - 1, Math.floor((a.t[i] / end) * bins)) === k;
      const n = a.t.filter((_, i) => inside(i)).length, again = a.t.filter((_, i) => inside(i) && a.kind[i] === 1).length;
      return `${n} attempts in ${R.fmt(width)} s, ${again} of them retries`;
    }

    describe() {
      const a = this.attempts();
      const all = histogram(a, this.parent.end(), () => true), most = Math.max(...all);
      return `${a.t.length} attempts of ${a.clients} clients, ${a.kind.filter((k) => k === 1).length} of them retries; at most ${most} in ${R.fmt(this.parent.end() / bins)} s`;
    }

    rows() {
      const a = this.attempts(), every = Math.ceil(a.t.length / 200), rows = [];
      for (let i = 0; i < a.t.length; i += every) rows.push([R.fmt(a.t[i]), String(a.client[i]), a.kind[i] ? "retry" : "first", a.outcomes[a.outcome[i]]]);
      return { columns: [["time (s)"], ["client"], ["attempt", true], ["outcome", true]], rows, note: every > 1 ? `One row of ${every}; attempts.csv has all.` : "" };
    }

    draw(u) {
      const a = this.attempts();
      if (!a) return;
      const ctx = u.ctx, px = uPlot.pxRatio, { left, top, width, height } = u.bbox;
      ctx.save();
      ctx.beginPath();
      ctx.rect(left, top, width, height);
      ctx.clip();
      this.drawBars(u, a);
      const r = a.t.length > 4000 ? 1.2 * px : a.t.length > 1000 ? 1.8 * px : 2.6 * px;
      // One path for each colour and shape: thousands of strokes are slow.
      for (let o = 0; o < a.outcomes.length; o++) {
        const first = new Path2D(), again = new Path2D();
        for (let i = 0; i < a.t.length; i++) {
          if (a.outcome[i] !== o) continue;
          const x = u.valToPos(a.t[i], "x", true), y = u.valToPos(a.client[i] + 0.5, "y", true);
          if (x < left - r || x > left + width + r) continue;
          if (a.kind[i] === 0) { first.moveTo(x + r, y); first.arc(x, y, r, 0, 7); }
          else { again.moveTo(x - r, y); again.lineTo(x + r, y); again.moveTo(x, y - r); again.lineTo(x, y + r); }
        }
        ctx.fillStyle = ctx.strokeStyle = R.color(this.parent.colorOf(a.outcomes[o]));
        ctx.lineWidth = Math.max(px, r * 0.5);
        ctx.fill(first);
        ctx.stroke(again);
      }
      ctx.restore();
    }

    // drawBars stands the histogram on the line above the last client.
    drawBars(u, a) {
      const ctx = u.ctx, end = this.parent.end(), most = this.parent.most();
      const floor = u.valToPos(this.clients() * 1.06, "y", true), ceiling = u.bbox.top + 2;
      const all = histogram(a, end, () => true), again = histogram(a, end, (i) => a.kind[i] === 1);
      const bar = (counts, color) => {
        ctx.fillStyle = color;
        counts.forEach((n, k) => {
          const x = u.valToPos((k * end) / bins, "x", true), w = u.valToPos(((k + 1) * end) / bins, "x", true) - x;
          const h = (n / most) * (floor - ceiling);
          ctx.fillRect(x, floor - h, Math.max(1, w - 1), h);
        });
      };
      const ink = R.ink(this.app.view.variants[a.variant]);
      bar(all, R.fade(ink, 0.4));
      bar(again, ink);
      ctx.fillStyle = R.color("line");
      ctx.fillRect(u.bbox.left, floor, u.bbox.width, 1);
    }
  }
})(window.Retrystorm);
