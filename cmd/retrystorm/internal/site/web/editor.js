"use strict";

// The editor of the scenario. It lives in a shadow root, where CodeMirror brings its
// styles as adopted style sheets, which the Content-Security-Policy allows.
(() => {
  const { app, el } = Retrystorm;
  const cm = CodeMirror;

  const theme = cm.EditorView.theme({
    "&": { height: "100%", color: "var(--rs-fg)", backgroundColor: "var(--rs-card)", fontSize: "13px" },
    "&.cm-focused": { outline: "2px solid var(--rs-accent)", outlineOffset: "-2px" },
    ".cm-scroller": { fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace", lineHeight: "1.5", overflow: "auto" },
    ".cm-content": { caretColor: "var(--rs-fg)" },
    ".cm-cursor": { borderLeftColor: "var(--rs-fg)" },
    ".cm-gutters": { backgroundColor: "var(--rs-card)", color: "var(--rs-soft)", border: "none" },
    ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--rs-accent) 8%, transparent)" },
    ".cm-activeLineGutter": { backgroundColor: "var(--rs-line)" },
    ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground":
      { backgroundColor: "color-mix(in srgb, var(--rs-accent) 28%, transparent)" },
    ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--rs-accent) 18%, transparent)" },
    ".cm-tooltip, .cm-panels": { backgroundColor: "var(--rs-card)", color: "var(--rs-fg)", border: "1px solid var(--rs-line)" },
    ".cm-tooltip-autocomplete > ul": { maxHeight: "14em" },
    ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--rs-accent)", color: "var(--rs-bg)" },
    ".cm-tooltip-autocomplete ul li[aria-selected] .cm-completionDetail": { color: "inherit" },
    ".cm-completionDetail": { color: "var(--rs-soft)", fontStyle: "normal" },
    ".cm-completionInfo": { maxWidth: "22em", whiteSpace: "pre-wrap" },
    ".cm-diagnostic-error": { borderLeftColor: "var(--rs-bad)" },
    ".cm-button, .cm-textfield": { backgroundImage: "none", backgroundColor: "var(--rs-bg)", color: "var(--rs-fg)", border: "1px solid var(--rs-line)" },
  });

  const colours = cm.HighlightStyle.define([
    { tag: [cm.tags.propertyName, cm.tags.definition(cm.tags.propertyName)], color: "var(--app-key)" },
    { tag: [cm.tags.comment], color: "var(--rs-soft)" },
    { tag: [cm.tags.string], color: "var(--app-string)" },
  ]);

  // The program counts characters, CodeMirror counts UTF-16 units.
  const unitsOf = (line, col) => Array.from(line).slice(0, col - 1).join("").length;
  const colOf = (line, units) => Array.from(line.slice(0, units)).length + 1;

  function place(doc, line, col) {
    const l = doc.line(Math.min(Math.max(line, 1), doc.lines));
    return Math.min(l.from + unitsOf(l.text, col), l.to);
  }

  function diagnostic(doc, problem) {
    const line = doc.line(Math.min(problem.line, doc.lines));
    let from = place(doc, problem.line, problem.col);
    let to = place(doc, problem.line, problem.end_col);
    if (from >= to) { // nothing to underline: the word there, or the whole line
      to = from + (/^\S+/.exec(line.text.slice(from - line.from))?.[0].length ?? 0);
      if (from >= to) {
        [from, to] = [line.from + line.text.search(/\S|$/), line.to];
      }
    }
    return { from, to, severity: problem.severity === "error" ? "error" : "info", message: problem.message };
  }

  function source(complete) {
    return async (context) => {
      const line = context.state.doc.lineAt(context.pos);
      const before = line.text.slice(0, context.pos - line.from);
      if (!context.explicit && !/[\w.-]$|[:[,{] $/.test(before)) {
        return null;
      }
      let found;
      try {
        found = await complete({
          text: context.state.doc.toString(), line: line.number, col: colOf(line.text, context.pos - line.from),
        });
      } catch {
        return null; // the check says what is wrong
      }
      if (!found.items?.length) {
        return null;
      }
      return {
        from: place(context.state.doc, line.number, found.from),
        options: found.items.map((item, i) => ({
          label: item.label, detail: item.detail, info: item.help || undefined, apply: item.insert || item.label,
          type: { field: "property", value: "enum", name: "variable" }[item.kind], boost: -i / 100,
        })),
        validFor: /^[\w.-]*$/,
      };
    };
  }

  // leaving makes Tab go to the next element, until something is typed.
  function leaving(view, yes) {
    view.setTabFocusMode(yes);
    return false;
  }

  // editor puts an editor into an element and gives {text(), set(text), show(problems),
  // jump(problem), focus()}.
  app.editor = (host, { onChange, complete }) => {
    const root = host.attachShadow({ mode: "open" });
    const parent = el("div");
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("div:first-child { height: 100% }");
    root.adoptedStyleSheets = [sheet];
    root.append(parent);
    let quiet = false;
    const view = new cm.EditorView({
      parent,
      root,
      extensions: [
        cm.lineNumbers(), cm.lintGutter(), cm.highlightActiveLineGutter(), cm.highlightActiveLine(),
        cm.highlightSpecialChars(), cm.history(), cm.drawSelection(), cm.dropCursor(),
        cm.indentOnInput(), cm.indentUnit.of("  "), cm.bracketMatching(), cm.closeBrackets(),
        cm.highlightSelectionMatches(), cm.search({ top: true }),
        cm.yaml(), cm.syntaxHighlighting(colours), theme,
        cm.autocompletion({ override: [source(complete)], icons: false }),
        cm.keymap.of([
          { key: "Tab", run: cm.acceptCompletion },
          ...cm.closeBracketsKeymap, ...cm.defaultKeymap, ...cm.searchKeymap, ...cm.historyKeymap,
          ...cm.completionKeymap, ...cm.lintKeymap, cm.indentWithTab,
          { key: "Escape", run: (view) => leaving(view, true) },
        ]),
        cm.EditorView.domEventHandlers({ blur: (_, view) => leaving(view, false) }),
        cm.EditorView.contentAttributes.of({ "aria-label": "Scenario, as YAML", "aria-describedby": "editor-help", tabindex: "0" }),
        cm.EditorView.updateListener.of((update) => {
          if (update.docChanged) {
            leaving(update.view, false);
          }
          if (update.docChanged && !quiet) {
            onChange();
          }
        }),
      ],
    });
    return {
      text: () => view.state.doc.toString(),
      set: (text) => {
        quiet = true;
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
        quiet = false;
      },
      show: (problems) => {
        const placed = problems.filter((problem) => problem.line > 0);
        view.dispatch(cm.setDiagnostics(view.state, placed.map((problem) => diagnostic(view.state.doc, problem))));
      },
      jump: (problem) => {
        const at = place(view.state.doc, problem.line, problem.col);
        view.dispatch({ selection: { anchor: at }, effects: cm.EditorView.scrollIntoView(at, { y: "center" }) });
        view.focus();
      },
      focus: () => view.focus(),
    };
  };
})();
