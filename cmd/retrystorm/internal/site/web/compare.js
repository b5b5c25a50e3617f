"use strict";

// What differs between two runs: the settings, and the metrics that count.
(() => {
  const { app, el } = Retrystorm;

  // settings are the differences in what was run: of settings by name, and how much
  // of the text.
  function settings(kept, now) {
    const out = [];
    const value = (run, path) => run.checked.knobs.find((knob) => knob.path === path)?.value
      ?? run.sets.find((set) => set.startsWith(path + "="))?.slice(path.length + 1) ?? "as in the text";
    const paths = new Set([...kept.checked.knobs, ...now.checked.knobs].map((knob) => knob.path));
    for (const set of [...kept.sets, ...now.sets]) {
      paths.add(set.slice(0, set.indexOf("=")));
    }
    for (const path of paths) {
      const [was, is] = [value(kept, path), value(now, path)];
      if (was !== is) {
        const label = now.checked.knobs.find((knob) => knob.path === path);
        out.push({ name: label ? `${label.group}, ${label.label}` : path, was, is });
      }
    }
    if (kept.text !== now.text) {
      const lines = new Set(kept.text.split("\n"));
      const n = now.text.split("\n").filter((line) => !lines.has(line)).length;
      out.push({ name: "text", was: "", is: n ? `${app.plural(n, "line", "lines")} new or changed` : "lines left out" });
    }
    return out;
  }

  const number = (x) => (x === "+Inf" ? Infinity : x);

  // change says how a cell moved: better, worse or other, when the intervals do not
  // meet, else nobody can tell.
  function change(was, is, metric) {
    const [a, b] = [number(was.c), number(is.c)];
    if (a === null || b === null || a === undefined || b === undefined) {
      return { text: "", kind: "" };
    }
    const apart = number(is.lo) > number(was.hi) || number(is.hi) < number(was.lo);
    if (a === b || !apart) {
      return { text: a === b ? "=" : "~", kind: "same", help: a === b ? "the same" : "nobody can tell: the intervals meet" };
    }
    const direction = b > a ? 1 : -1;
    const kind = metric.better === 0 ? "other" : direction === metric.better ? "better" : "worse";
    const arrow = direction > 0 ? "▲" : "▼";
    let size = "";
    if (Number.isFinite(a) && Number.isFinite(b) && a > 0 && b > 0) {
      const times = b > a ? b / a : a / b;
      const percent = 100 * (b - a) / a;
      size = times >= 2 ? ` ${times.toPrecision(times < 100 ? 2 : 3)}×` : ` ${percent > 0 ? "+" : "−"}${Math.abs(percent).toFixed(Math.abs(percent) < 10 ? 1 : 0)} %`;
    }
    return { text: arrow + size, kind, help: kind === "other" ? "changed" : kind };
  }

  function table(kept, now) {
    const point = (view, variant) => {
      const i = view.variants.findIndex((v) => v.name === variant);
      return view.points.find((p) => p.variant === i && p.place === view.severest);
    };
    const metrics = now.metrics // those that say something in one of the two
      .map((metric, i) => ({ metric, i, was: kept.metrics.findIndex((m) => m.name === metric.name) }))
      .filter(({ metric, was }) => was >= 0 && (metric.key || kept.metrics[was].key));
    const rows = now.variants.map((variant) => ({ variant, is: point(now, variant.name), was: point(kept, variant.name) }))
      .filter(({ is, was }) => is && was);
    if (!rows.length || !metrics.length) {
      return el("p", {}, "The two runs have no variant in common.");
    }
    const cell = (row, { metric, i, was }) => {
      const [before, after] = [row.was.cells[was], row.is.cells[i]];
      const c = change(before, after, metric);
      if (before.text === after.text) {
        return el("td", {}, el("span", {}, after.text), el("span", { class: "change" }, "unchanged"));
      }
      return el("td", {},
        el("span", { class: "was" }, before.text), el("span", { class: "arrow", "aria-label": "became" }, "→ "),
        el("span", {}, after.text), " ",
        c.text && el("span", { class: "change " + c.kind, title: c.help },
          c.text, el("span", { class: "unseen" }, ` ${c.help}`)));
    };
    return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Differences, as a table" },
      el("table", {},
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "variant"),
          ...metrics.map(({ metric }) => el("th", { scope: "col", title: metric.help }, metric.title)))),
        el("tbody", {}, ...rows.map((row) => el("tr", {},
          el("th", { scope: "row" }, row.variant.name), ...metrics.map((m) => cell(row, m)))))));
  }

  // compare draws the differences of two runs into an element.
  app.compare = (host, kept, now) => {
    const list = settings(kept, now);
    host.replaceChildren(
      el("h2", {}, "Kept run → this run"),
      list.length
        ? el("ul", { class: "settings" }, ...list.map(({ name, was, is }) =>
          el("li", {}, `${name}: `, was && el("span", { class: "was" }, was), was && " → ", el("b", {}, is))))
        : el("p", {}, "The same settings. Move a slider to see what it changes."),
      now.view ? table(kept.view, now.view) : "");
  };
})();
