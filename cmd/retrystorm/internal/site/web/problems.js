"use strict";

// The list of what is wrong, below the editor: each leads to its place.
(() => {
  const { app, el } = Retrystorm;

  app.problems = (list, onJump) => (problems, sets) => {
    list.replaceChildren(...problems.map((problem) => {
      const where = problem.line > 0 ? `line ${problem.line}` : sets[problem.set]?.split("=")[0] ?? "";
      const words = [el("b", {}, problem.severity === "error" ? "Error" : "Note"),
        where && ` ${where}`, `: ${problem.message}`];
      return el("li", { class: problem.severity },
        problem.line > 0 ? el("button", { type: "button", on: { click: () => onJump(problem) } }, ...words)
          : el("span", {}, ...words));
    }));
  };
})();
