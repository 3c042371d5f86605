import { byId, failed, get, say, send } from "./common.js";
import { showReport } from "/shared/report.js";

const corpus = new URLSearchParams(location.search).get("corpus");
const asked = (name, more = {}) => get(`/project/report/${name}?${new URLSearchParams({ corpus, ...more })}`);
const pause = () => new Promise((go) => { setTimeout(go, 400); });

const show = async () => {
  byId("corpus").value = corpus;
  byId("work").hidden = false;
  try {
    await send("/project/report/start", { corpus });
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
      why: (pair, line) => send("/project/report/why", { corpus, pair, line }),
    });
  } catch (error) {
    failed(error);
  } finally {
    byId("work").hidden = true;
  }
};

byId("cancel").addEventListener("click", () => send("/project/report/cancel", { corpus }).catch(failed));
if (corpus !== null) show();
