"use strict";

// The list of what is wrong, below the editor: each leads to its place.
(() => {
  const app = Retrystorm.app;

  app.problems = (list, onJump) => (problems, sets) => {
    list.replaceChildren(...problems.map((problem) => {
      const where = problem.line > 0 ? `line ${problem.line}` : sets[problem.set]?.split("=")[0] ?? "";
      const words = [app.el("b", {}, problem.severity === "error" ? "Error" : "Note"),
        where && ` ${where}`, `: ${problem.message}`];
      return app.el("li", { className: problem.severity },
        problem.line > 0 ? app.el("button", { type: "button", onclick: () => onJump(problem) }, ...words)
          : app.el("span", {}, ...words));
    }));
  };
})();
