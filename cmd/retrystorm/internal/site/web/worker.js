"use strict";

// The backend of the static page: the simulator itself, as WebAssembly in workers.
// It works from disk, too, where a page may neither fetch files nor start workers
// from them: the engine is a script with the program as text.
(() => {
  const { app, el } = Retrystorm;

  const script = (src) => new Promise((resolve, reject) => {
    const failed = () => reject(new Error(`${src} cannot be loaded: it belongs beside this page.`));
    document.head.append(el("script", { src, on: { load: resolve, error: failed } }));
  });

  function bytesOf(base64) {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) {
      bytes[i] = text.charCodeAt(i);
    }
    return bytes;
  }

  // main runs in the worker, behind wasm_exec.js: the program takes over when it
  // has the compiled module.
  function main() {
    self.onmessage = async ({ data }) => {
      const go = new Go();
      go.run(await WebAssembly.instantiate(data, go.importObject));
    };
  }

  // load compiles the engine, once for all workers.
  async function load() {
    await script("engine.js");
    const { wasm, exec } = Retrystorm.engine;
    const plain = new Blob([bytesOf(wasm)]).stream().pipeThrough(new DecompressionStream("gzip"));
    const answer = new Response(plain, { headers: { "Content-Type": "application/wasm" } });
    Retrystorm.engine = null; // some megabytes of text
    return {
      module: await WebAssembly.compileStreaming(answer),
      url: URL.createObjectURL(new Blob([exec, `\n(${main})();\n`], { type: "text/javascript" })),
    };
  }

  // start gives a worker that answers call(op, args, onEvent).
  function start({ module, url }) {
    const worker = new Worker(url);
    const waiting = new Map();
    let next = 0;
    let ready;
    const begun = new Promise((resolve) => { ready = resolve; });
    const fail = (error) => {
      for (const { reject } of waiting.values()) {
        reject(error);
      }
      waiting.clear();
    };
    worker.onerror = (event) => {
      event.preventDefault();
      fail(new Error(`The simulator stopped: ${event.message || "no memory left?"}`));
    };
    worker.onmessage = ({ data }) => {
      if (data.ready) {
        ready();
        return;
      }
      const call = waiting.get(data.id);
      if (!call) {
        return;
      }
      if (data.event !== undefined) {
        call.onEvent(JSON.parse(data.event));
        return;
      }
      waiting.delete(data.id);
      if (data.error !== undefined) {
        call.reject(new Error(data.error));
      } else {
        call.resolve(typeof data.result === "string" ? JSON.parse(data.result) : data.result);
      }
    };
    worker.postMessage(module);
    return {
      call: async (op, args, onEvent) => {
        const id = ++next;
        const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject, onEvent }));
        await begun;
        worker.postMessage({ id, op, args: JSON.stringify(args ?? null) });
        return answer;
      },
      end: () => {
        worker.terminate();
        fail(new Error("The run was ended."));
      },
    };
  }

  app.worker = () => {
    const engine = load();
    // One worker answers while another is running. Each run has its own, which keeps
    // its files and is ended with it; the next one is made ready beforehand.
    const desk = engine.then(start);
    let spare = desk.then(async (d) => {
      await d.call("builtins");
      return start(await engine);
    });
    spare.catch(() => {}); // whoever wants to run hears of it

    async function run(what, onEvent) {
      if (!what.confirmed) {
        const checked = await (await desk).call("check", what);
        if (checked.estimate?.ask || checked.estimate?.refused) {
          throw Object.assign(new Error(checked.estimate.refused || checked.estimate.text), { checked });
        }
      }
      const runner = await spare;
      spare = engine.then(start);
      let over = false;
      const tell = (event) => {
        if (!over) {
          over = ["done", "cancelled", "failed"].includes(event.kind);
          onEvent(event);
        }
      };
      runner.call("run", what, tell).catch((error) => tell({ kind: "failed", message: error.message }));
      return {
        cancel: async () => {
          tell({ kind: "cancelled" });
          runner.end();
        },
        file: async (name) => new Blob([await runner.call("file", name)]),
        close: () => {
          over = true;
          runner.end();
        },
      };
    }

    return {
      builtins: async () => (await desk).call("builtins"),
      check: async (edit) => (await desk).call("check", edit),
      complete: async (cursor) => (await desk).call("complete", cursor),
      run,
    };
  };
})();
