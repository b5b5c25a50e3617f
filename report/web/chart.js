// A chart: uPlot with a legend that reads the values at the cursor, zoom shared by
// a group of charts, a text for those who cannot see it, and its data as a table.
(function (R) {
  "use strict";

  const font = '12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
  const mostRows = 100; // of a table below a chart

  // Group is charts with the same x axis: they share the cursor and the zoom.
  R.Group = class {
    constructor() { this.charts = new Set(); this.zoom = null; this.key = R.id("group"); this.listeners = []; }
    // setZoom shows a range of x, everything when null.
    setZoom(zoom) {
      this.zoom = zoom;
      for (const c of this.charts) c.applyZoom();
      for (const f of this.listeners) f();
    }
    // setCursor puts the crosshair at x in all of them.
    setCursor(x) { for (const c of this.charts) if (c.near) c.setCursor(x); }
    zoomButton() {
      const button = R.button("Reset zoom", () => this.setZoom(null), { class: "rs-button rs-zoom" });
      const show = () => { button.hidden = !this.zoom; };
      this.listeners.push(show);
      show();
      return button;
    }
  };

  // Chart draws what spec says:
  //   title, height, group
  //   data()      {xs, lines, spans}; a line is {variant, label, ys, lo, hi, color, dash, width, fill, points}
  //   x, y        {label, log, tick, range, splits}; log may be a function
  //   read(line, index, x)   the value in the legend; rest(line) the one without a cursor
  //   describe()  the text alternative
  //   rows()      {columns, rows, note} of the table
  //   draw(u)     what else to draw
  R.Chart = class {
    constructor(app, spec) {
      this.app = app;
      this.spec = spec;
      this.group = spec.group || new R.Group();
      this.group.charts.add(this);
      this.todo = "build"; // or toggle, or nothing
      this.holder = R.el("div", { class: "rs-plot", style: { height: (spec.height || 240) + "px" } });
      this.image = R.el("div", { role: "img" }, this.holder);
      this.legend = R.el("div", { class: "rs-legend" });
      this.table = R.fold("Data", () => this.rows(), "rs-data");
      this.where = R.el("span", { class: "rs-where" });
      this.title = R.el("h" + (app.level + 2), { class: "rs-chart-title" });
      this.stage = R.el("div", {
        class: "rs-stage", tabindex: "0", role: "group", on: { keydown: (e) => this.key(e), blur: () => this.setCursor(null) },
        "aria-roledescription": "chart", "aria-describedby": app.keysID,
      }, this.image);
      this.element = R.el("figure", { class: "rs-chart" },
        R.el("div", { class: "rs-chart-head" }, this.title, this.where, this.tools = R.el("div", { class: "rs-tools" }, spec.tools || [])),
        this.legend, this.stage, this.table);
      app.watch(this);
    }

    // refresh is told why: variants were toggled, or anything else changed.
    refresh(why) {
      if (why !== "variants" || !this.plot) this.todo = "build";
      else if (!this.todo) this.todo = "toggle";
      this.label("");
      if (this.near) this.show();
    }

    // label says what the chart is, and when it is drawn, what can be seen in it.
    label(more) {
      const title = typeof this.spec.title === "function" ? this.spec.title() : this.spec.title;
      this.title.textContent = title;
      this.stage.setAttribute("aria-label", title);
      this.image.setAttribute("aria-label", title + more);
    }

    // show draws what is not drawn yet; the page calls it when the chart comes near
    // the window, and before it is printed.
    show() {
      const todo = this.todo;
      this.todo = "";
      if (todo === "toggle") this.toggle();
      if (todo !== "build") return;
      this.data = this.spec.data();
      this.label(". " + this.spec.describe());
      this.element.hidden = this.data.lines.length === 0;
      if (!this.element.hidden) this.build();
      if (this.table.open) this.table.fill();
    }

    build() {
      const signature = JSON.stringify([this.data.lines.map((l) => [l.variant, l.label, !!l.lo]), this.logY(), this.app.styleCount]);
      const aligned = this.aligned();
      if (this.plot && signature === this.signature) {
        this.plot.setData(aligned, true);
        this.applyZoom();
      } else {
        this.signature = signature;
        if (this.plot) this.plot.destroy();
        this.plot = new uPlot(this.options(), aligned, this.holder);
        if (this.group.zoom) this.applyZoom();
      }
      this.makeLegend();
    }

    logY() { const l = this.spec.y.log; return typeof l === "function" ? l() : !!l; }
    logX() { const l = this.spec.x.log; return typeof l === "function" ? l() : !!l; }

    // aligned is the data the way uPlot wants it: a line with an interval is three.
    aligned() {
      const out = [this.data.xs];
      for (const l of this.data.lines) {
        if (l.lo) out.push(l.hi, l.lo);
        out.push(l.ys);
      }
      return out;
    }

    options() {
      const { spec, app } = this;
      const series = [{}], bands = [];
      this.index = []; // of the line of each series
      this.data.lines.forEach((l, k) => {
        const show = this.shown(l);
        const ink = () => this.ink(l);
        if (l.lo) {
          bands.push({ series: [series.length, series.length + 1], fill: () => R.fade(this.ink(l), 0.16) });
          for (let i = 0; i < 2; i++) series.push({ show, stroke: "transparent", width: 0, points: { show: false } });
          this.index.push(k, k);
        }
        series.push({
          show, stroke: l.bare ? undefined : ink, width: l.width ?? 2, dash: l.dash && l.dash.length ? l.dash : undefined, spanGaps: !!l.span,
          fill: l.fill ? () => R.fade(this.ink(l), l.fill) : undefined,
          paths: l.straight || !spec.stepped ? uPlot.paths.linear() : uPlot.paths.stepped({ align: 1 }),
          points: l.points ? { show: true, size: 9, paths: this.markers(l), fill: ink, width: 0 } : { show: false },
        });
        this.index.push(k);
      });
      const soft = () => R.color("soft"), line = () => R.color("line");
      const axis = (a) => ({
        stroke: soft, font, labelFont: font, label: a.label, labelSize: a.label ? 18 : 0, labelGap: 2, gap: 4,
        grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 4 }, splits: a.splits,
        filter: (u, splits) => splits,
        values: a.values || ((u, splits) => splits.map((v) => (v === null ? "" : (a.tick || R.tick)(v)))), ...(a.incrs ? { incrs: a.incrs } : {}),
      });
      return {
        width: this.width(), height: spec.height || 240, padding: [10, 14, 0, 0], pxAlign: 1,
        legend: { show: false },
        series, bands,
        scales: {
          x: { time: false, distr: this.logX() ? 3 : 1, range: (u, lo, hi) => this.rangeX(lo, hi) },
          y: { distr: this.logY() ? 3 : 1, range: (u, lo, hi) => this.rangeY(lo, hi) },
        },
        axes: [{ ...axis({ splits: this.logX() ? (u, a, min, max) => decades(u, a, min, max, 8) : undefined, ...spec.x }), size: 28, space: 60 }, { ...axis({ splits: this.logY() ? decades : undefined, ...spec.y }), size: (u, values) => sizeOf(u, values), space: 32 }],
        cursor: {
          y: false, drag: { x: spec.zoom !== false, y: false, dist: 4, setScale: false },
          sync: { key: this.group.key, scales: ["x", null], setSeries: false, filters: { pub: (type) => type === "mousemove" || type === "mouseleave", sub: () => this.near } },
          bind: { dblclick: () => () => { this.group.setZoom(null); return null; } },
          points: { size: 7, show: spec.points === false ? false : undefined },
          dataIdx: spec.stepped ? (u, s, i, x) => (i > 0 && u.data[0][i] > x ? i - 1 : i) : undefined,
        },
        hooks: {
          drawAxes: [(u) => this.drawSpans(u)],
          draw: [(u) => this.nameSpans(u), ...(spec.draw ? [(u) => spec.draw(u, this)] : [])],
          setCursor: [() => this.readCursor()],
          setSelect: [(u) => this.select(u)],
        },
      };

      function sizeOf(u, values) {
        if (!values) return 40;
        u.ctx.font = font.replace("12px", 12 * uPlot.pxRatio + "px");
        return Math.max(46, Math.ceil(Math.max(...values.map((v) => u.ctx.measureText(v).width)) / uPlot.pxRatio) + 14);
      }
    }

    markers(line) {
      const marker = line.marker;
      return (u, s) => {
        const path = new Path2D(); // nothing: the markers are drawn by hand, filled
        const ctx = u.ctx;
        ctx.save();
        ctx.fillStyle = ctx.strokeStyle = this.ink(line);
        u.data[0].forEach((x, i) => {
          const y = u.data[s][i];
          if (y !== null && y !== undefined && x >= u.scales.x.min && x <= u.scales.x.max) {
            R.mark(ctx, marker, u.valToPos(x, "x", true), u.valToPos(y, "y", true), 4.5 * uPlot.pxRatio);
          }
        });
        ctx.restore();
        return { stroke: path, fill: path };
      };
    }

    ink(line) { return line.variant === null ? R.color(line.color || "soft") : R.ink(this.app.view.variants[line.variant]); }
    shown(line) { return line.variant === null || this.app.visible(line.variant); }

    rangeX(lo, hi) {
      if (this.group.zoom) return this.group.zoom;
      if (this.spec.x.range) return this.spec.x.range(lo, hi);
      return lo === hi ? [lo - 0.5, hi + 0.5] : [lo, hi];
    }

    rangeY(lo, hi) {
      if (this.spec.y.range) return this.spec.y.range(lo, hi);
      if (hi === null || hi === undefined) return this.logY() ? [1, 10] : [0, 1];
      if (!this.logY()) return [Math.min(0, lo), hi > 0 ? hi * 1.06 : 1];
      return R.logRange(lo, hi);
    }

    width() { return this.app.chartWidth(this.holder); }

    resize() {
      if (this.plot && this.plot.width !== this.width()) this.plot.setSize({ width: this.width(), height: this.spec.height || 240 });
    }

    toggle() {
      const u = this.plot, changed = [];
      this.label(". " + this.spec.describe());
      this.index.forEach((k, i) => {
        const show = this.shown(this.data.lines[k]);
        if (u.series[i + 1].show !== show) changed.push([i + 1, { show }]);
      });
      if (!changed.length) return;
      u.batch(() => { for (const [i, show] of changed) u.setSeries(i, show); });
      this.makeLegend();
    }

    applyZoom() {
      if (!this.plot) return;
      const xs = this.data.xs;
      const [min, max] = this.group.zoom || this.rangeX(xs[0], xs[xs.length - 1]);
      this.plot.setScale("x", { min, max });
    }

    select(u) {
      if (u.select.width < 4) return;
      const zoom = [u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")];
      u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      this.group.setZoom(zoom);
    }

    setCursor(x) {
      const u = this.plot;
      if (!u) return;
      const left = x === null ? -10 : u.valToPos(x, "x");
      u.setCursor({ left, top: x === null ? -10 : 10 }, false);
      this.readCursor(x);
    }

    // key moves the cursor and zooms without a mouse.
    key(e) {
      const u = this.plot, xs = this.data && this.data.xs;
      if (!u || e.target !== this.stage) return;
      const i = this.at === undefined || this.at === null ? -1 : this.at;
      const step = e.shiftKey ? Math.max(1, Math.round(xs.length / 20)) : 1;
      const move = { ArrowLeft: i - step, ArrowRight: i + step, Home: 0, End: xs.length - 1 }[e.key];
      if (move !== undefined) {
        const x = xs[Math.min(xs.length - 1, Math.max(0, move))];
        this.group.setCursor(x);
        if (this.spec.moved) this.spec.moved(x);
      } else if (e.key === "+" || e.key === "-") this.zoomKey(e.key === "+" ? 0.5 : 2);
      else if (e.key === "0" || e.key === "Escape") this.group.setZoom(null);
      else return;
      e.preventDefault();
    }

    zoomKey(factor) {
      if (this.spec.zoom === false) return;
      const { min, max } = this.plot.scales.x, xs = this.data.xs;
      const at = this.at === undefined || this.at === null ? (min + max) / 2 : xs[this.at];
      const lo = Math.max(xs[0], at - (at - min) * factor), hi = Math.min(xs[xs.length - 1], at + (max - at) * factor);
      this.group.setZoom(hi > lo ? [lo, hi] : null);
    }

    // readCursor writes the values at the cursor into the legend.
    readCursor(exact) {
      const u = this.plot;
      if (!u || !this.entries) return;
      const inside = u.cursor.left >= 0;
      const x = inside ? (typeof exact === "number" ? exact : u.posToVal(u.cursor.left, "x")) : null;
      this.at = inside ? this.indexAt(x) : null;
      this.where.textContent = inside ? this.spec.where(this.data.xs[this.at], x) : "";
      for (const { line, value } of this.entries) {
        value.textContent = inside ? this.spec.read(line, this.at, x) : this.spec.rest(line);
      }
      if (inside && this.spec.moved && u.cursor.event) this.spec.moved(x);
    }

    indexAt(x) {
      const i = this.plot.valToIdx(x), xs = this.data.xs;
      return this.spec.stepped && i > 0 && xs[i] > x ? i - 1 : i;
    }

    makeLegend() {
      this.entries = [];
      const items = this.data.lines.filter((l) => l.label && this.shown(l)).map((line) => {
        const value = R.el("span", { class: "rs-value", data: { label: line.label } });
        this.entries.push({ line, value });
        const swatch = line.variant === null ? R.plainSwatch(line) : R.swatch(this.app.view.variants[line.variant], line.bare);
        return R.el("span", { class: "rs-entry" }, swatch, R.el("span", { class: "rs-name" }, line.label), value);
      });
      this.legend.replaceChildren(...items);
      this.readCursor();
    }

    // drawSpans shades what happened and marks what an operator did.
    drawSpans(u) {
      const { top, height } = u.bbox, px = uPlot.pxRatio;
      clipped(u, (ctx) => this.eachSpan(u, (s, from, to) => {
        ctx.fillStyle = ctx.strokeStyle = R.color(s.action ? "accent" : "shade");
        if (!s.action && to > from) return ctx.fillRect(from, top, Math.max(to - from, px), height);
        ctx.setLineDash([3 * px, 3 * px]);
        ctx.lineWidth = px;
        ctx.beginPath();
        ctx.moveTo(from, top);
        ctx.lineTo(from, top + height);
        ctx.stroke();
      }));
    }

    // nameSpans writes their names above everything, each in the first free row.
    nameSpans(u) {
      const { top, left, width } = u.bbox, px = uPlot.pxRatio, ends = [];
      clipped(u, (ctx) => {
        ctx.font = font.replace("12px", 11 * px + "px");
        ctx.textBaseline = "top";
        ctx.textAlign = "left";
        ctx.lineWidth = 3 * px;
        ctx.lineJoin = "round";
        this.eachSpan(u, (s, from) => {
          const long = ctx.measureText(s.name).width;
          const x = Math.max(left + 4 * px, Math.min(from + 4 * px, left + width - long - 2 * px));
          let row = ends.findIndex((end) => end < x);
          if (row < 0) row = ends.length;
          ends[row] = x + long + 8 * px;
          if (row > 3) return;
          ctx.strokeStyle = R.color("card");
          ctx.fillStyle = R.color(s.action ? "accent" : "soft");
          ctx.strokeText(s.name, x, top + (3 + row * 13) * px);
          ctx.fillText(s.name, x, top + (3 + row * 13) * px);
        });
      });
    }

    eachSpan(u, f) {
      const { left, width } = u.bbox;
      for (const s of this.data.spans || []) {
        const from = u.valToPos(s.from, "x", true), to = u.valToPos(s.to, "x", true);
        if (to >= left && from <= left + width) f(s, from, to);
      }
    }

    rows() {
      const { columns, rows, note } = this.spec.rows ? this.spec.rows() : this.plainRows();
      return R.el("div", {}, R.table(this.title.textContent, columns, rows), note ? R.el("p", { class: "rs-note" }, note) : null);
    }

    // plainRows is a row for each x, or for some of them when there are many.
    plainRows() {
      const { xs, lines } = this.data, shown = lines.filter((l) => l.label && this.shown(l));
      const every = Math.ceil(xs.length / mostRows);
      const rows = [];
      for (let i = 0; i < xs.length; i += every) {
        rows.push([(this.spec.x.name || String)(xs[i]), ...shown.map((l) => this.spec.read(l, i, xs[i]))]);
      }
      return {
        columns: [[this.spec.x.label || "", true], ...shown.map((l) => [l.label])], rows,
        note: every > 1 ? `One row of ${every}; ${this.spec.file || "the CSV files"} has all.` : "",
      };
    }

    destroy() { if (this.plot) this.plot.destroy(); this.group.charts.delete(this); }
  };

  // clipped draws inside the plot only.
  function clipped(u, draw) {
    u.ctx.save();
    u.ctx.beginPath();
    u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    u.ctx.clip();
    draw(u.ctx);
    u.ctx.restore();
  }

  // decades are the powers of ten of an axis: the lines between them say little.
  function decades(u, axis, min, max, most = 4) {
    const out = [], lowest = Math.ceil(Math.log10(min) - 1e-9), every = Math.ceil((Math.log10(max) - lowest) / most);
    if (max / min < 30) return [1, 2, 5].flatMap((m) => [-1, 0, 1].map((e) => m * 10 ** (lowest + e))).filter((x) => x >= min && x <= max).sort((a, b) => a - b);
    for (let e = lowest; e <= Math.log10(max); e += Math.max(1, every)) out.push(10 ** e);
    return out;
  }

  // logRange is from a decade to a bit more than the highest, six decades at most.
  R.logRange = function (lo, hi) {
    if (!(hi > 0)) return [0.1, 1];
    const top = hi * 1.6;
    const low = lo > 0 ? Math.pow(10, Math.floor(Math.log10(lo))) : top / 1e5;
    return [Math.max(low, top / 1e6), top];
  };

  // fade is a colour #rrggbb with less of it.
  R.fade = function (hex, alpha) {
    return hex + Math.round(alpha * 255).toString(16).padStart(2, "0");
  };

  // markAt draws the marker of a variant where a chart wants one.
  R.markAt = function (u, variant, x, y, r) {
    u.ctx.fillStyle = u.ctx.strokeStyle = R.ink(variant);
    R.mark(u.ctx, variant.marker, x, y, r * uPlot.pxRatio);
  };
})(window.Retrystorm);
