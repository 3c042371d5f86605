import { byId, failed, get, say, send } from "./common.js";
import { showReport } from "/shared/report.js";

const corpus = new URLSearchParams(location.search).get("corpus");
const asked = (name, more = {}) => get(`/project/report/${name}?${new URLSearchParams({ corpus, ...more })}`);
const order = (name) => send(`/project/report/${name}?${new URLSearchParams({ corpus })}`);
const pause = () => new Promise((go) => { setTimeout(go, 400); });

const show = async () => {
  byId("corpus").value = corpus;
  byId("work").hidden = false;
  try {
    await order("start");
    for (;;) {
      const state = await asked("state");
      if (state.cancelled) return say("Cancelled.");
      byId("bar").max = state.total;
      byId("bar").value = state.done;
      byId("done").textContent = `${state.done} of ${state.total} pairs decided`;
      if (state.ready) break;
      await pause();
    }
    showReport(byId("report"), await asked("overview"), {
      detail: (pair) => asked("pair", { pair }),
      why: (pair, line) => asked("why", { pair, line }),
    });
  } catch (error) {
    failed(error);
  } finally {
    byId("work").hidden = true;
  }
};

byId("cancel").addEventListener("click", () => order("cancel").catch(failed));
if (corpus !== null) show();
