// How long requests take: the share of them that is done by a time.
(function (R) {
  "use strict";

  const wide = 1000; // latest over earliest, from which a linear axis shows a step

  R.Completion = class {
    constructor(app) {
      this.app = app;
      this.place = R.el("span");
      this.toggle = R.check("log", false, (on) => { this.log = on; this.chart.refresh("log"); });
      this.group = new R.Group();
      this.chart = new R.Chart(app, {
        title: "Share of requests that are done", group: this.group, height: 280, points: false, file: "completion.csv",
        tools: [this.toggle],
        data: () => this.data(),
        x: { label: "time since the request began", ...R.timeAxis, log: () => this.logged(), name: R.seconds, range: () => this.range() },
        y: { range: () => [0, 1.04], tick: (y) => (y > 1 ? "" : R.share(y)), splits: () => [0, 0.25, 0.5, 0.75, 1] },
        read: (line, i, x) => R.share(done(line, x)),
        rest: (line) => (line.never > 0 ? R.share(line.never) + " never" : "99 % in " + R.seconds(within(line, 0.99))),
        where: (x, exact) => "within " + R.seconds(exact),
        describe: () => this.describe(),
        rows: () => this.rows(),
        draw: (u, chart) => this.nevers(u, chart),
      });
      this.element = R.card(app, "completion", "Completion", R.el("div", { class: "rs-tools" }, this.place, this.group.zoomButton()), this.chart.element);
    }

    refresh(why) {
      if (why === "variants") return;
      this.element.hidden = this.curves().length === 0;
      this.place.replaceChildren(...this.app.placeChoice((p) => this.app.view.completion.some((c) => c.place === p)));
    }

    curves() {
      const { view, state } = this.app;
      const place = view.completion.some((c) => c.place === state.place) ? state.place : view.severest;
      return view.completion.filter((c) => c.place === place).sort((a, b) => a.variant - b.variant);
    }

    data() {
      const curves = this.curves().map((c) => this.curve(c));
      const xs = [...new Set(curves.flatMap((c) => c.seconds))].sort((a, b) => a - b);
      this.end = xs[xs.length - 1];
      this.start = xs.find((x) => x > 0) || 0.001;
      this.toggle.set(this.logged());
      const lines = curves.map((c) => ({ ...c, ys: xs.map((x) => done(c, x)) }));
      return { xs: xs.length ? xs : [0, 1], lines };
    }

    // curve leaves out infinity: those never complete.
    curve(c) {
      const v = this.app.view.variants[c.variant];
      const q = c.q.map(R.number), s = c.s.map(R.number);
      const n = s.findIndex((x) => x === null || x === Infinity), finite = n < 0 ? s.length : n;
      // The share that never completes is known as well as the quantiles are dense.
      const never = n < 0 ? 0 : 1 - (n > 0 ? q[n - 1] : 0);
      return { variant: c.variant, label: v.name, dash: v.dashes, straight: true, span: true, q: q.slice(0, finite), seconds: s.slice(0, finite), never };
    }

    // logged is what people chose, or what a long tail needs.
    logged() { return this.log ?? this.end / this.start > wide; }

    range() {
      if (this.logged()) return [Math.max(this.start, this.end / 1e5) / 1.1, this.end * 1.1];
      return [0, this.end * 1.05 || 1];
    }

    describe() {
      return this.data().lines.filter((l) => this.app.visible(l.variant)).map((l) => `${l.label}: half within ${R.seconds(within(l, 0.5))}, 99 % within ${R.seconds(within(l, 0.99))}`
        + (l.never > 0 ? `, ${R.share(l.never)} never` : "")).join("; ");
    }

    rows() {
      const curves = this.curves().filter((c) => this.app.visible(c.variant));
      const q = curves.length ? curves[0].q.map(R.number) : [];
      const text = (s) => (s === null ? "–" : R.seconds(s));
      return {
        columns: [["share of requests", true], ...curves.map((c) => [this.app.view.variants[c.variant].name])],
        rows: q.map((x, i) => [R.share(x), ...curves.map((c) => text(R.number(c.s[i])))]),
      };
    }

    // nevers holds each curve that ends below all of them until the edge.
    nevers(u, chart) {
      const px = uPlot.pxRatio, { left, width } = u.bbox, named = [];
      for (const l of chart.data.lines) {
        if (!(l.never > 0) || !this.app.visible(l.variant)) continue;
        const y = u.valToPos(1 - l.never, "y", true), x = Math.max(left, u.valToPos(l.seconds.length ? l.seconds[l.seconds.length - 1] : u.scales.x.min, "x", true));
        if (x > left + width) continue;
        u.ctx.save();
        u.ctx.strokeStyle = u.ctx.fillStyle = chart.ink(l);
        u.ctx.lineWidth = px;
        u.ctx.setLineDash([2 * px, 3 * px]);
        u.ctx.beginPath();
        u.ctx.moveTo(x, y);
        u.ctx.lineTo(left + width, y);
        u.ctx.stroke();
        // Names of curves that end near each other stand in a row.
        const text = R.share(l.never) + " never", beside = named.filter((n) => Math.abs(n.y - y) < 14 * px).reduce((sum, n) => sum + n.long, 0);
        named.push({ y, long: u.ctx.measureText(text).width + 10 * px });
        u.ctx.textAlign = "right";
        u.ctx.textBaseline = "bottom";
        u.ctx.fillText(text, left + width - 4 * px - beside, y - 2 * px);
        u.ctx.restore();
      }
    }
  };

  // done is the share that is done by x.
  function done(c, x) {
    const s = c.seconds, n = s.length;
    if (!n || x < s[0]) return 0;
    if (x >= s[n - 1]) return c.q[n - 1] + (c.never > 0 ? 0 : 1 - c.q[n - 1]);
    let k = 0;
    while (k + 1 < n && s[k + 1] <= x) k++;
    const gap = s[k + 1] - s[k];
    return gap > 0 ? c.q[k] + ((c.q[k + 1] - c.q[k]) * (x - s[k])) / gap : c.q[k];
  }

  // within is the time by which a share is done.
  function within(c, share) {
    const k = c.q.findIndex((q) => q >= share - 1e-9);
    return k < 0 ? (c.never > 1 - share ? Infinity : c.seconds[c.seconds.length - 1]) : c.seconds[k];
  }
})(window.Retrystorm);
