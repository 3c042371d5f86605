import { byId, failed, get, say, t } from "./common.js";
import { stream } from "./stream.js";
import { wrong } from "./fix.js";
import { showReport } from "/shared/report.js";

const corpus = new URLSearchParams(location.search).get("corpus");
const path = (name, more = {}) => `/project/report/${name}?${new URLSearchParams({ corpus, ...more })}`;
const asked = (name, more) => get(path(name, more));
const work = new AbortController();

const show = async () => {
  byId("corpus").value = corpus;
  byId("work").hidden = false;
  try {
    await stream(path("decide"), ({ done, of }) => {
      [byId("bar").max, byId("bar").value] = [of, done];
      byId("done").textContent = t("{done} of {n} pairs decided", { done, n: of });
    }, work.signal);
    showReport(byId("report"), await asked("overview"), {
      detail: (pair) => asked("pair", { pair }),
      why: (pair, line) => asked("why", { pair, line }),
      wrong: (pair, line) => {
        wrong({ sent1: pair.one, sent2: pair.two, corpus }, line);
        return byId("wrong");
      },
    });
  } catch (error) {
    if (error.name === "AbortError") say(t("Cancelled."));
    else failed(error);
  } finally {
    byId("work").hidden = true;
  }
};

byId("cancel").addEventListener("click", () => work.abort());
if (corpus !== null) show();
