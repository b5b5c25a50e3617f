"use strict";

// The backend of the local page: the server that served it. A backend has
//
//	builtins()             the scenarios to start from
//	check(edit)            what is known of an edit
//	complete(cursor)       what could stand there
//	run(request, onEvent)  {cancel(), file(name), close()}; an error with the
//	                       property checked means that somebody must be asked
//
// and worker.js has the same without a server.
(() => {
  const app = Retrystorm.app;
  const gone = "The server does not answer. Is retrystorm serve still running?";

  async function request(method, path, body) {
    let answer;
    try {
      answer = await fetch(path, {
        method,
        headers: body ? { "Content-Type": "application/json" } : {},
        body: body && JSON.stringify(body),
      });
    } catch {
      throw new Error(gone);
    }
    if (answer.ok) {
      return answer;
    }
    let said = {};
    try {
      said = await answer.json();
    } catch {
      // It was no JSON; the status says enough.
    }
    const error = new Error(said.error || `The server answered ${answer.status}.`);
    if (answer.status === 409 && said.estimate) {
      error.checked = said;
    }
    throw error;
  }

  const json = async (...args) => (await request(...args)).json();

  async function run(what, onEvent) {
    const { id } = await json("POST", "/api/runs", what);
    const path = "/api/runs/" + encodeURIComponent(id);
    const source = new EventSource(path + "/events");
    let lost = 0;
    const end = (event) => {
      source.close();
      onEvent(event);
    };
    source.onmessage = (message) => {
      lost = 0;
      const event = JSON.parse(message.data);
      if (["done", "cancelled", "failed"].includes(event.kind)) {
        end(event);
      } else {
        onEvent(event);
      }
    };
    // The browser tries again by itself, unless the server says that there is no
    // such run.
    source.onerror = () => {
      if (++lost > 2 || source.readyState === EventSource.CLOSED) {
        end({ kind: "failed", message: gone });
      }
    };
    return {
      cancel: async () => {
        try {
          await request("DELETE", path);
        } catch (error) {
          end({ kind: "failed", message: error.message });
        }
      },
      file: async (name) => (await request("GET", `${path}/files/${encodeURIComponent(name)}`)).blob(),
      close: () => source.close(),
    };
  }

  app.http = () => ({
    builtins: () => json("GET", "/api/builtins"),
    check: (edit) => json("POST", "/api/check", edit),
    complete: (cursor) => json("POST", "/api/complete", cursor),
    run,
  });
})();
