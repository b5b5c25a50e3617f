"use strict";

// The page: a scenario and changes on the left, checked as they are made, and what
// comes out of a run on the right.
(() => {
  const { app, el } = Retrystorm;
  const { id } = app;

  const backend = app[document.documentElement.dataset.backend]();

  // The edit, and what is known of it.
  const sets = new Map(); // changes of the form: value by path
  let builtins = [];
  let base = []; // the settings as the text has them
  let checked = null; // nil while nobody knows
  // A scenario that came with a link is run by a person first.
  let trusted = true;

  // Runs: {text, sets, checked, name, state, done, total, view, files, handle}.
  let now = null; // the one that is shown
  let kept = null; // the one it is compared with
  let running = null;

  const say = (text) => { id("status").textContent = text; };

  // banner says what went wrong, with a button for another try. What is about the
  // server or a run goes away when that works again, what is about a link stays.
  function banner(about, text, again) {
    const close = () => { id("banner").hidden = true; };
    const button = (name, act) => el("button", { type: "button", on: { click: () => {
      close();
      act();
    } } }, name);
    id("banner").hidden = false;
    id("banner").dataset.about = about;
    id("banner").replaceChildren(el("p", {}, text), again ? button("Try again", again) : "", button("Close", () => {}));
  }

  function fine() {
    if (id("banner").dataset.about === "server") {
      id("banner").hidden = true;
    }
  }

  const editor = app.editor(id("editor"), {
    onChange: () => {
      unknown();
      checkSoon();
    },
    complete: (cursor) => backend.complete(cursor),
  });

  const form = app.knobs(id("knobs"), { onSet: (path, value) => {
    if (value === null) {
      sets.delete(path);
    } else {
      sets.set(path, value);
    }
    unknown();
    followSoon();
  } });

  const showProblems = app.problems(id("problems"), (problem) => {
    tab("text");
    editor.jump(problem);
  });

  const picker = app.picker(id("scenario"), id("scenarios"), (scenario) => {
    open({ text: scenario.source, sets: [] });
    trusted = true;
    check({ follow: true });
  });

  const edit = () => ({ text: editor.text(), sets: [...sets].map(([path, value]) => `${path}=${value}`) });

  // open replaces the edit.
  function open({ text, sets: list }) {
    sets.clear();
    for (const set of list) {
      const at = set.indexOf("=");
      sets.set(set.slice(0, at), set.slice(at + 1));
    }
    editor.set(text);
    unknown();
  }

  // ---- Checking.

  let asked = 0;

  // unknown says that the last check is about something else.
  function unknown() {
    asked++;
    checked = null;
    id("reset").hidden = sets.size === 0;
  }

  const original = { text: null, knobs: null };

  // settingsOf are the settings as the text alone has them.
  async function settingsOf(text) {
    if (original.text !== text) {
      original.knobs = (await backend.check({ text, sets: [] })).knobs;
      original.text = text;
    }
    return original.knobs;
  }

  // check asks what is known of the edit, shows it, and with follow takes a look at
  // what comes out.
  async function check({ follow = false } = {}) {
    const mine = ++asked;
    const what = edit();
    let found, settings;
    try {
      found = await backend.check(what);
      settings = what.sets.length ? await settingsOf(what.text) : found.knobs;
    } catch (error) {
      if (mine === asked) {
        banner("server", error.message, () => check({ follow }));
      }
      return;
    }
    if (mine !== asked) {
      return;
    }
    checked = found;
    base = settings;
    fine();
    show(what);
    if (follow && trusted && id("live").checked && !wrong() && !checked.estimate.refused) {
      look();
    }
  }

  const checkSoon = app.later(250, () => check());
  const followSoon = app.later(250, () => check({ follow: true }));

  const wrong = () => checked.problems.some((problem) => problem.severity === "error");

  function show(what) {
    const { problems, estimate } = checked;
    editor.show(problems);
    showProblems(problems, what.sets);
    const errors = problems.filter((problem) => problem.severity === "error").length;
    id("count").textContent = errors ? `(${app.plural(errors, "error", "errors")})` : "";
    if (!wrong()) {
      id("title").textContent = checked.title || checked.name;
      document.title = `${checked.name} - retrystorm`;
      picker.show(checked.name);
      form.show(checked.knobs, base, sets);
      id("no-knobs").hidden = checked.knobs.length > 0;
      showOthers();
      showCommand(what);
    }
    form.disable(wrong());
    id("estimate").textContent = wrong() ? "It can run when the errors are mended."
      : estimate.refused ? `It is not run here: ${estimate.refused}.`
        : `${app.plural(estimate.points, "point", "points")} × ${app.plural(estimate.replications, "replication", "replications")}: ${estimate.text.replace(/(\d) /g, "$1\u00a0")}`;
    id("estimate").classList.toggle("bad", !wrong() && estimate.refused !== "");
    showRun();
  }

  // showOthers lists the changes that no slider has, as a link can bring them.
  function showOthers() {
    const others = [...sets].filter(([path]) => !checked.knobs.some((knob) => knob.path === path));
    id("others").hidden = others.length === 0;
    id("others").replaceChildren(...others.map(([path, value]) => el("li", {}, el("code", {}, `${path}=${value}`),
      el("button", { type: "button", "aria-label": `take back ${path}`, on: { click: () => {
        sets.delete(path);
        unknown();
        check({ follow: true });
      } } }, "↺"))));
  }

  // showCommand shows the command line, and offers the file that it runs.
  function showCommand(what) {
    const ours = builtins.some((b) => b.name === checked.name && b.source === what.text);
    const file = checked.name + ".yaml";
    id("words").textContent = checked.command;
    id("file").hidden = ours;
    id("file").replaceChildren(...(ours ? [] : ["This text is not a built-in scenario: ",
      el("button", { type: "button", on: { click: () => app.save(new Blob([edit().text]), file) } }, `save it as ${file}`), " first."]));
  }

  // ---- Running.

  async function run() {
    if (running) {
      cancel();
      return;
    }
    trusted = true;
    if (!checked) {
      await check();
    }
    if (!checked) {
      return; // the banner says why
    }
    if (wrong()) {
      say("It cannot run: there are errors.");
      id("problems").querySelector("button")?.focus();
      return;
    }
    start({ confirmed: checked.estimate.ask && await confirmed(checked.estimate) });
  }

  function confirmed(estimate) {
    return app.ask("This takes a while", [
      `${app.plural(estimate.points, "point", "points")} × ${app.plural(estimate.replications, "replication", "replications")}: ${estimate.text}.`,
      "It can be cancelled at any time. Fewer replications, points or clients are quicker.",
    ], "Run it", "Not now");
  }

  function cancel() {
    say("Cancelling.");
    running.cancelled = true;
    running.handle?.cancel();
  }

  // A run that takes more seconds does not start by itself; a look at some of its
  // replications does, that takes so many, or at one that takes no more than a run.
  const most = 90;
  const brief = 10;
  // Calls a second, until a run has shown how many.
  let speed = 3e6;

  // look runs what a change leads to: a slider that moves should show what it does.
  // All replications if it can be, because the first ones are shown soon.
  function look() {
    const { calls, replications, unknown } = checked.estimate;
    const each = calls / replications / speed;
    if (unknown) {
      return; // it may take any time, so somebody has to want it
    }
    if (each * replications <= most) {
      start({ confirmed: true });
    } else if (each <= most) {
      start({ replications: Math.max(Math.floor(brief / each), 1) });
    }
  }

  function learn(r) {
    const seconds = (performance.now() - r.begun) / 1000;
    if (r.state === "done" && seconds > 0.5) {
      const { calls, replications } = r.checked.estimate;
      speed = calls * (r.look || replications) / replications / seconds;
    }
  }

  // goOn runs all replications after a look that took less time than was thought.
  function goOn(r) {
    if (r.look && r.state === "done" && r.checked === checked && id("live").checked && checked.estimate.calls / speed <= most) {
      start({ confirmed: true });
    }
  }

  // start runs the edit, or only so many replications of it.
  async function start({ confirmed: sure = false, replications = 0 } = {}) {
    if (checked.estimate.refused) {
      app.ask("It is not run here", [checked.estimate.refused + "."], "", "Close");
      return;
    }
    if (checked.estimate.ask && !sure && !replications) {
      return; // somebody said no
    }
    if (running) {
      running.replaced = true;
      await running.handle?.cancel();
    }
    const r = {
      ...edit(), checked, name: checked.name, look: replications, state: "running", begun: performance.now(), done: 0, total: 0, view: null, files: [], handle: null,
    };
    const some = replications ? [...r.sets.filter((set) => !set.startsWith("replications=")), `replications=${replications}`] : r.sets;
    running = r;
    fine();
    say("Running.");
    showRun();
    try {
      r.handle = await backend.run({ text: r.text, sets: some, confirmed: sure || !!replications }, (event) => happened(r, event));
      if (r.cancelled || r.replaced) {
        r.handle.cancel();
      }
    } catch (error) {
      if (running !== r) {
        return;
      }
      running = null;
      showRun();
      if (error.checked?.estimate.ask) { // it looks longer now than before
        if (await confirmed(error.checked.estimate)) {
          start({ confirmed: true });
        }
        return;
      }
      say("");
      banner("server", `The run did not begin: ${error.message}`, run);
    }
  }

  // happened takes in what a run tells.
  function happened(r, event) {
    if (event.total) {
      [r.done, r.total] = [event.done, event.total];
    }
    if (event.view && !r.replaced) {
      r.view = event.view;
      display(r);
    }
    switch (event.kind) {
    case "done":
      r.state = "done";
      r.files = event.files;
      display(r);
      break;
    case "cancelled":
    case "failed":
      r.state = event.kind;
      break;
    default:
      if (running === r) {
        showRun();
      }
      return;
    }
    if (r !== now && r !== kept) {
      r.handle?.close();
    }
    if (running !== r) {
      return;
    }
    running = null;
    learn(r);
    showRun();
    say({ done: r.look ? "Done: a quick look." : "Done.", cancelled: "Cancelled.", failed: "" }[r.state]);
    goOn(r);
    if (r.state === "failed") {
      banner("server", `The run failed: ${event.message}`, run);
    }
  }

  // showRun shows whether something runs, and how far it is.
  function showRun() {
    const bar = id("progress");
    id("run").textContent = running ? "Cancel" : "Run";
    id("run").classList.toggle("primary", !running);
    id("run").disabled = !running && checked !== null && (wrong() || !!checked.estimate?.refused);
    bar.hidden = !running;
    if (!running) {
      return;
    }
    const percent = running.total ? Math.floor(100 * running.done / running.total) : 0;
    bar.setAttribute("aria-valuenow", percent);
    bar.setAttribute("aria-valuetext", `${running.done} of ${running.total} replications`);
    bar.firstElementChild.style.width = `${percent}%`;
    if (running.total && !running.cancelled) {
      say(`Running: ${percent - percent % 10} %`);
    }
  }

  // ---- Showing and comparing.

  const panes = {
    now: app.pane(id("now"), {
      title: (r) => [kept ? "This run" : "", r.look ? `A quick look: ${r.look} of ${r.checked.estimate.replications} replications` : ""].filter(Boolean).join(". "), say,
      buttons: (r) => [
        r.look && r.state === "done" ? el("button", { type: "button", id: "all", on: { click: run } }, `Run all ${r.checked.estimate.replications}`) : "",
        r.state === "done" ? el("button", { type: "button", id: "keep", on: { click: keep } }, kept ? "Keep this" : "Keep to compare") : "",
      ],
    }),
    kept: app.pane(id("kept"), {
      title: () => "Kept run", say,
      buttons: () => [el("button", { type: "button", on: { click: forget } }, "Forget")],
    }),
  };

  function display(r) {
    if (r.replaced) {
      return;
    }
    if (now && now !== r && now !== kept) {
      now.handle?.close();
    }
    now = r;
    panes.now.show(r, { compact: !!kept });
    differ();
  }

  function keep() {
    if (kept && kept !== now) {
      kept.handle?.close();
    }
    kept = now;
    id("kept").hidden = false;
    document.body.classList.add("comparing");
    panes.kept.show(kept, { compact: true });
    panes.now.show(now, { compact: true });
    differ();
    say("Kept. Change something and run again to compare.");
  }

  function forget() {
    if (kept !== now) {
      kept.handle?.close();
    }
    kept = null;
    id("kept").hidden = true;
    document.body.classList.remove("comparing");
    panes.kept.clear();
    panes.now.show(now, {});
    differ();
  }

  function differ() {
    id("differences").hidden = !kept;
    if (kept) {
      app.compare(id("differences"), kept, now);
    }
  }

  // ---- The rest of the page.

  function tab(name, focus) {
    for (const other of ["settings", "text"]) {
      const button = id("tab-" + other);
      id(other).hidden = other !== name;
      button.setAttribute("aria-selected", String(other === name));
      button.tabIndex = other === name ? 0 : -1;
    }
    if (focus) {
      id("tab-" + name).focus();
    }
  }

  for (const name of ["settings", "text"]) {
    id("tab-" + name).addEventListener("click", () => tab(name));
    id("tab-" + name).addEventListener("keydown", (event) => {
      if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
        tab(name === "text" ? "settings" : "text", true);
      }
    });
  }

  id("knobs").addEventListener("submit", (event) => event.preventDefault());
  id("run").addEventListener("click", run);
  id("reset").addEventListener("click", () => {
    sets.clear();
    unknown();
    check({ follow: true });
  });
  id("copy").addEventListener("click", () => app.copy(id("words").textContent, "Command", say));
  id("share").addEventListener("click", async () => {
    try {
      const link = await app.pack(edit());
      history.replaceState(null, "", link);
      await app.copy(location.href, "Link", say);
    } catch (error) {
      banner("link", error.message);
    }
  });
  id("wide").addEventListener("click", () => {
    const wide = document.body.classList.toggle("wide");
    id("wide").setAttribute("aria-pressed", String(wide));
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !document.querySelector("dialog[open]")) {
      event.preventDefault();
      event.stopPropagation();
      if (!running) {
        run();
      }
    }
  }, true);

  // fromLink opens what the address carries.
  async function fromLink() {
    let found;
    try {
      found = await app.unpack(location.hash);
    } catch (error) {
      banner("link", error.message);
      return false;
    }
    if (!found) {
      return false;
    }
    open(found);
    trusted = false;
    await check();
    say("This scenario came with the link. Look at it, then run it.");
    return true;
  }

  window.addEventListener("hashchange", fromLink);

  async function begin() {
    try {
      builtins = await backend.builtins();
    } catch (error) {
      banner("server", error.message, begin);
      return;
    }
    picker.add(builtins);
    if (await fromLink()) {
      return;
    }
    const first = builtins.find((b) => b.name === "recovering-server") ?? builtins[0];
    open({ text: first.source, sets: [] });
    picker.show(first.name);
    await check({ follow: true });
  }

  Retrystorm.theme.remember();
  id("tools").append(Retrystorm.themeButton());
  begin();
})();
