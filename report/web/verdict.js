// The answer first: what to use, why, and whether the expectations hold.
(function (R) {
  "use strict";

  const rulings = {
    pass: ["Passed", "✓"], fail: ["Failed", "✗"], undecided: ["Undecided", "?"], skipped: ["Skipped", "–"],
  };
  const open = 3; // as many expectations are shown without being asked, unless all hold

  const inRow = 4; // cards

  R.badge = function (ruling) {
    const [text, sign] = rulings[ruling] || [ruling, ""];
    return R.el("span", { class: "rs-badge rs-is-" + ruling }, R.el("span", { "aria-hidden": "true" }, sign + " "), text);
  };

  // others is a sentence without its beginning, which says what the card shows already.
  const others = (sentence) => sentence.slice(sentence.indexOf("; ") + 1).trim();

  // range is a sentence without saying again that nobody can tell.
  const range = (sentence) => sentence.replace(/^.*?: nobody can tell, /, "");

  R.Verdict = class {
    constructor(app) {
      this.app = app;
      this.theme = app.options.links ? R.themeButton() : null;
      this.element = R.el("section", { class: "rs-verdict", "aria-label": "Verdict" });
    }

    refresh(why) {
      if (why !== "view") return;
      const { view, level } = this.app, v = view.verdict || {};
      R.replace(this.element, [
        R.el("div", { class: "rs-top" },
          R.el("p", { class: "rs-title" }, R.el("b", {}, view.name), view.title && view.title !== view.name ? " · " + view.title : ""),
          this.theme),
        R.el("h" + level, { class: "rs-headline" }, R.tight(v.headline || view.title || view.name)),
        this.progress(),
        (v.detail || []).length ? R.el("ul", { class: "rs-detail" }, v.detail.map((d) => R.el("li", {}, R.tight(d)))) : null,
        this.wins(v.wins || []),
        this.expectations(v),
      ]);
    }

    // progress is said while replications are missing.
    progress() {
      const { view, options } = this.app;
      if (!view.partial) return null;
      const done = Math.min(view.replications, ...view.points.map((p) => p.replications));
      const text = view.points.length ? `${done} of ${view.replications} replications so far` : "Nothing finished so far";
      return R.el("p", { class: "rs-progress", role: "status" }, text + (options.live ? "" : "; nothing is judged"));
    }

    // wins is a small card for each metric that counts, in a row; more are folded.
    wins(wins) {
      if (!wins.length || this.app.options.compact) return null;
      const cards = wins.map((w) => this.win(w)), row = (list) => R.el("ul", { class: "rs-wins" }, list);
      if (cards.length <= inRow) return row(cards);
      return R.el("div", {}, row(cards.slice(0, inRow)), R.el("details", { class: "rs-fold" },
        R.el("summary", {}, "Best in " + (cards.length - inRow) + " more"), row(cards.slice(inRow))));
    }

    win(w) {
      const { view } = this.app, metric = view.metrics[w.metric], best = view.variants[w.variant];
      const cell = best && this.app.cell(w.variant, view.severest, w.metric);
      return R.el("li", { title: metric.help },
        R.el("span", { class: "rs-win-metric" }, metric.title),
        R.el("span", { class: "rs-win-name" }, best ? [R.dot(best), best.name] : "nobody can tell",
          cell ? R.el("span", { class: "rs-win-value" }, cell.text) : null),
        R.el("span", { class: "rs-win-why" }, R.tight(best && cell ? others(w.sentence) : range(w.sentence))));
    }

    expectations(v) {
      const list = this.app.view.expectations || [];
      if (!list.length) return null;
      const items = R.el("ul", { class: "rs-expectations" }, list.map((e) => R.el("li", {},
        R.badge(e.ruling), " ", R.el("code", {}, e.text), e.detail ? R.el("span", { class: "rs-why" }, e.detail) : null,
        (e.cases || []).length > 1 ? R.fold(`${e.cases.length} points`, () => R.table(e.text, [["point", true], ["ruling", true], ["why", true]],
          e.cases.map((c) => [c.point, (rulings[c.ruling] || [c.ruling])[0], c.detail]))) : null)));
      const title = "Expectations" + (v.tally ? ": " + v.tally : "");
      const fold = R.el("details", { class: "rs-fold" }, R.el("summary", {}, v.ruling && !this.app.view.partial ? [R.badge(v.ruling), " "] : null, title), items);
      fold.open = v.ruling !== "pass" && list.length <= open && !this.app.options.compact;
      return fold;
    }
  };
})(window.Retrystorm);
