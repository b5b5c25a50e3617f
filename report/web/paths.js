// How one request becomes many calls: boxes for who calls and who is called, an
// arrow for each hop with its calls.
(function (R) {
  "use strict";

  const box = { w: 116, h: 58 }, gap = { x: 176, y: 52 };

  const half = 560; // of the page: wider diagrams stand below each other

  // On a phone the steps go down the page.
  const narrow = matchMedia("(max-width: 600px)");

  // place lays the names out: a column for each step away from who begins, or a row.
  function place(hops, down) {
    const names = [...new Set(hops.flatMap((h) => [h.from, h.to]))];
    const column = new Map(names.map((n) => [n, 0]));
    // As often as there are names: a cycle does not go on for ever.
    for (let k = 0; k < names.length; k++) {
      for (const h of hops) if (h.from !== h.to) column.set(h.to, Math.min(names.length, Math.max(column.get(h.to), column.get(h.from) + 1)));
    }
    const used = [...new Set(column.values())].sort((a, b) => a - b), boxes = new Map(), rows = [];
    const tallest = Math.max(...used.map((c) => names.filter((n) => column.get(n) === c).length));
    for (const n of names) {
      const c = used.indexOf(column.get(n));
      const r = (rows[c] = (rows[c] ?? -1) + 1);
      const many = names.filter((m) => column.get(m) === column.get(n)).length;
      const across = r + (tallest - many) / 2;
      boxes.set(n, down ? { name: n, x: 8 + across * (box.w + 16), y: 8 + c * (box.h + 68) }
        : { name: n, x: 8 + c * (box.w + gap.x), y: 26 + across * (box.h + gap.y) });
    }
    if (down) return { boxes, width: Math.max(240, 16 + tallest * box.w + (tallest - 1) * 16), height: 16 + used.length * box.h + (used.length - 1) * 68 };
    return { boxes, width: 16 + used.length * box.w + (used.length - 1) * gap.x, height: 40 + tallest * box.h + (tallest - 1) * gap.y };
  }

  // thickness of an arrow: ten times the calls, a step thicker.
  const thickness = (perRequest) => Math.min(8, 1.5 + 2 * Math.log10(Math.max(1, perRequest)));

  function cut(text, most) { return text.length > most ? text.slice(0, most - 1) + "…" : text; }

  // diagram draws the hops of a path. parts are what can be written into the boxes,
  // where there is room for it.
  R.diagram = function (path, label, room) {
    const down = narrow.matches, { boxes, width, height } = place(path.hops, down);
    const head = R.id("head");
    const drawing = R.svg("svg", { class: "rs-diagram", viewBox: `0 0 ${width} ${height}`, width, height, style: { "min-width": Math.round(0.75 * width) + "px" }, role: "img", "aria-label": label },
      R.svg("defs", {}, [false, true].map((most) => R.svg("marker", { id: head + most, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 15, markerHeight: 15, markerUnits: "userSpaceOnUse", orient: "auto" },
        R.svg("path", { d: "M0 0L8 4L0 8z", class: most ? "rs-head rs-most" : "rs-head" })))));
    const worst = (h) => h.most && path.hops.some((x) => !x.most); // all alike: none is
    const between = new Map();
    for (const h of path.hops) {
      const key = h.from + "\n" + h.to, nth = between.get(key) || 0;
      between.set(key, nth + 1);
      drawing.append(arrow(h, route(boxes.get(h.from), boxes.get(h.to), nth, down && width / 2), worst(h), head));
    }
    const parts = new Map();
    for (const b of boxes.values()) {
      const queue = path.hops.some((h) => h.from === b.name && h.queue);
      const lines = [0, 1].map((i) => R.svg("text", { x: b.x + box.w / 2, y: b.y + 34 + i * 14, class: "rs-box-now" }));
      const level = R.svg("rect", { x: b.x + 1, y: b.y + box.h - 5, width: 0, height: 4, rx: 2, class: "rs-level" });
      const name = R.svg("text", { x: b.x + box.w / 2, y: b.y + (room ? 18 : box.h / 2 + 4), class: "rs-box-name" }, cut(b.name, 15));
      drawing.append(R.svg("g", {}, R.svg("title", {}, b.name + (queue ? ", a queue" : "")),
        R.svg("rect", { x: b.x, y: b.y, width: box.w, height: box.h, rx: queue ? 28 : 8, class: "rs-box" }), level, name, lines));
      parts.set(b.name, { lines, level, width: box.w - 2 });
    }
    return { drawing, parts, width };
  };

  // route is the way of an arrow, and where its words stand: down the page beside the
  // end that is farther from the middle, where arrows meet.
  function route(from, to, nth, middle) {
    const bend = nth * 34;
    if (middle && to.y > from.y) {
      const x1 = from.x + box.w / 2, y1 = from.y + box.h, x2 = to.x + box.w / 2, y2 = to.y - 3, my = (y1 + y2) / 2;
      return { d: `M${x1} ${y1}C${x1 + bend} ${my} ${x2 + bend} ${my} ${x2} ${y2}`, lx: (Math.abs(x1 - middle) > Math.abs(x2 - middle) ? x1 : x2) + bend * 0.75, ly: my + 17 };
    }
    const x1 = from.x + box.w, y1 = from.y + box.h / 2, x2 = to.x - 3, y2 = to.y + box.h / 2, mx = (x1 + x2) / 2;
    if (x2 > x1) return { d: `M${x1} ${y1}C${mx} ${y1 + bend} ${mx} ${y2 + bend} ${x2} ${y2}`, lx: mx, ly: (y1 + y2) / 2 + bend * 0.75 };
    return {
      d: `M${from.x + box.w / 2} ${from.y}C${from.x + box.w / 2} ${from.y - 24} ${to.x + box.w / 2} ${to.y - 24} ${to.x + box.w / 2} ${to.y}`,
      lx: (from.x + to.x + box.w) / 2, ly: Math.min(from.y, to.y) - 10,
    };
  }

  function arrow(h, { d, lx, ly }, worst, head) {
    const times = R.number(h.times);
    return R.svg("g", { class: worst ? "rs-hop rs-most" : "rs-hop" }, R.svg("title", {}, h.text || `${h.from} to ${h.to}`),
      R.svg("path", { d, class: "rs-arrow", "stroke-width": thickness(h.per_request), "marker-end": `url(#${head}${worst})` }),
      R.svg("text", { x: lx, y: ly - 22, class: "rs-hop-calls" }, R.fmt(h.per_request) + " per request"),
      R.svg("text", { x: lx, y: ly - 9, class: "rs-hop-times" }, times === null ? "" : `×${R.fmt(times)} on this hop`),
      worst ? R.svg("text", { x: lx, y: ly + 18, class: "rs-hop-times" }, "multiplies most") : null);
  }

  R.Paths = class {
    constructor(app) {
      this.app = app;
      this.place = R.el("span");
      this.grid = R.el("div", { class: "rs-cards" });
      this.element = R.card(app, "paths", "Calls for one request", R.el("div", { class: "rs-tools" }, this.place), this.grid,
        R.fold("Data", () => this.table(), "rs-data"));
      app.lazy(this.element, this);
    }

    refresh(why) {
      this.element.hidden = this.app.view.paths.length === 0;
      if (why !== "variants") this.place.replaceChildren(...this.app.placeChoice((p) => this.app.view.paths.some((x) => x.place === p)));
      this.stale = true;
      if (this.near) this.show();
    }

    show() {
      if (!this.stale) return;
      this.stale = false;
      const { view } = this.app;
      let widest = 0;
      this.grid.replaceChildren(...R.pathsAt(this.app).filter((p) => this.app.visible(p.variant)).map((p) => {
        const v = view.variants[p.variant];
        const label = `${v.name}: ` + p.hops.map((h) => h.text || `${h.from} to ${h.to}: ${R.fmt(h.per_request)} per request`).join("; ");
        return R.el("figure", { class: "rs-path" }, R.el("figcaption", {}, R.dot(v), v.name), R.scroller("Call path of " + v.name, draw(p, label)));
      }));
      this.grid.classList.toggle("rs-one", widest > half);

      function draw(p, label) {
        const { drawing, width } = R.diagram(p, label);
        widest = Math.max(widest, width);
        return drawing;
      }
    }

    table() {
      const { view } = this.app;
      return R.table("Calls for one request", [["variant", true], ["from", true], ["to", true], ["policy", true], ["calls for a request"], ["times on this hop"], ["", true]],
        R.pathsAt(this.app).filter((p) => this.app.visible(p.variant)).flatMap((p) => p.hops.map((h) => [view.variants[p.variant].name, h.from, h.to, h.policy || "", R.fmt(h.per_request), R.fmt(R.number(h.times)), h.most ? "the most" : ""])));
    }
  };

  R.pathsAt = function (app) {
    const { view, state } = app;
    const place = view.paths.some((p) => p.place === state.place) ? state.place : view.severest;
    return view.paths.filter((p) => p.place === place).sort((a, b) => a.variant - b.variant);
  };

  // Flow is the diagram of one variant with what happens at the time of the replay.
  R.Flow = class {
    constructor(app, storm) {
      this.app = app;
      this.storm = storm;
      this.choice = R.el("span");
      this.stage = R.el("div", { class: "rs-flow-stage" });
      this.when = R.el("span", { class: "rs-where" });
      this.element = R.el("figure", { class: "rs-flow" }, R.el("figcaption", { class: "rs-chart-head" }, this.choice, this.when), this.stage);
      this.t = 0;
    }

    refresh() {
      const paths = R.pathsAt(this.app), { view } = this.app;
      const shown = paths.filter((p) => this.app.visible(p.variant));
      const list = shown.length ? shown : paths;
      this.element.hidden = list.length === 0;
      if (!list.length) return;
      const name = (p) => view.variants[p.variant].name;
      const first = list.find((p) => p.variant === (view.verdict || {}).best) || list[0];
      this.path = list.find((p) => name(p) === this.chosen) || first;
      this.choice.replaceChildren(R.choice("Replay of", list.map((p) => [name(p), name(p)]), name(this.path), (v) => { this.chosen = v; this.refresh(); }));
      const { drawing, parts } = R.diagram(this.path, "What arrives, waits and can be served at the time of the replay, for " + name(this.path), true);
      this.parts = parts;
      this.stage.replaceChildren(R.scroller("Replay of " + name(this.path), drawing), this.list = R.el("dl", { class: "rs-flow-list" }));
      this.rows = this.storm.timelines().filter((t) => t.variant === this.path.variant);
      this.at(this.t);
    }

    // at shows a moment.
    at(t) {
      this.t = t;
      if (!this.parts || this.element.hidden) return;
      this.when.textContent = "at " + R.seconds(t);
      const items = [];
      for (const row of this.rows) {
        const k = Math.floor(t / row.step + 1e-6), over = k >= row.arrivals.length;
        const now = (field) => (row[field] && k < row[field].length ? R.number(row[field][k]) : null);
        this.write(row.service, now, over);
        items.push(R.el("dt", {}, row.service), R.el("dd", {}, over ? "all is done" : this.say(now)));
      }
      this.list.replaceChildren(...items);
    }

    write(service, now, over) {
      const part = this.parts.get(service);
      if (!part) return;
      const rate = now("rate"), load = rate > 0 ? now("arrivals") / rate : 0;
      part.lines[0].textContent = over ? "all is done" : R.fmt(now("arrivals")) + "/s" + (rate !== null ? " of " + R.tick(rate) : "");
      part.lines[1].textContent = over ? "" : R.fmt(now("waiting")) + " waiting";
      part.level.setAttribute("width", Math.min(1, load) * part.width);
      part.level.classList.toggle("rs-over", load > 1);
    }

    say(now) {
      const rate = now("rate");
      return `${R.fmt(now("arrivals"))}/s arrive, ${R.fmt(now("retries"))}/s of them retries; ${R.fmt(now("goodput"))}/s answered with success; ${R.fmt(now("waiting"))} wait`
        + (rate !== null ? `; can serve ${R.fmt(rate)}/s` : "");
    }
  };
})(window.Retrystorm);
