import { byId, failed, get, make, say, send, t } from "./common.js";

const MEASURES = { alignment: t("Alignment"), type: t("Type"), score: t("Score"), type_score: t("Type and score") };
const readOnly = "readOnly" in document.body.dataset;
let shown = "";

const percent = ([mean, spread]) => `${(100 * mean).toFixed(1)} ± ${(100 * spread).toFixed(1)}`;

const gains = (found) => {
  byId("found").hidden = !found;
  if (!found) return;
  byId("heading").textContent = t("Learned from {n} pair: {corrections} corrections of weights, those of the profile included|Learned from {n} pairs: {corrections} corrections of weights, those of the profile included", { n: found.pairs, corrections: found.corrections });
  const rows = ["gold", "found"].flatMap((kind) => found.after[kind] && found.before[kind] ? Object.entries(MEASURES).map(([name, text]) => {
    const before = found.before[kind][name], after = found.after[kind][name], by = after[0] - before[0];
    const isChance = Math.abs(by) <= Math.max(before[1], after[1]);
    return make("tr", {}, make("th", { scope: "row", text: kind === "gold" ? t("{text}, chunks given", { text }) : t("{text}, chunks to be found", { text }) }),
      make("td", { class: "number", text: percent(before) }), make("td", { class: "number", text: percent(after) }),
      make("td", { class: `number ${isChance ? "dim" : by > 0 ? "better" : "worse"}`, text: isChance ? t("{by}, within chance", { by: (100 * by).toFixed(1) }) : (100 * Math.abs(by)).toFixed(1) }));
  }) : []);
  byId("gains").replaceChildren(make("thead", {}, make("tr", {}, ...["", t("Before"), t("After"), t("Difference")].map((text) => make("th", { scope: "col", text })))), make("tbody", {}, ...rows));
};

const look = async () => {
  let wait = 1500;
  try {
    const { job, counts, found } = await get("/project/learning");
    byId("busy").hidden = !job.running;
    byId("cancel").hidden = !job.running;
    const few = Object.values(counts).reduce((sum, one) => sum + one, 0) < 10;
    byId("start").disabled = readOnly || job.running || few;
    if (job.running) {
      wait = 400;
      byId("done").value = job.percent;
      byId("doing").textContent = job.percent < 60 ? t("Step 1 of 2: what the rules reach, {percent} %", job) : t("Step 2 of 2: learning, {percent} %", job);
    }
    byId("fault").hidden = !job.fault;
    byId("fault").textContent = job.fault ?? "";
    const text = JSON.stringify([counts, found]);
    if (text !== shown) {
      shown = text;
      byId("needed").hidden = !few;
      const off = new Set([...byId("corpora").querySelectorAll("input:not(:checked):not(:disabled)")].map((box) => box.value));
      byId("corpora").replaceChildren(...Object.entries(counts).map(([name, count]) => make("label", {},
        make("input", { type: "checkbox", value: name, checked: count > 0 && !off.has(name), disabled: !count }), `${name}: ${count}`)));
      gains(found);
    }
  } catch (error) { failed(error); wait = 5000; }
  clearTimeout(look.next);
  look.next = setTimeout(look, wait);
};

const act = async (path, body, told) => {
  try {
    const answer = await send(`/project/learning${path}`, body);
    if (told) say(told(answer));
  } catch (error) { failed(error); }
  look();
};

byId("lesson").addEventListener("submit", (event) => {
  event.preventDefault();
  const corpora = [...byId("corpora").querySelectorAll("input:checked")].map((box) => box.value);
  act("", { corpora, folds: Number(byId("folds").value) });
});
byId("cancel").addEventListener("click", () => act("/cancel", {}));
byId("adopt").addEventListener("click", () => act("/adopt", {}, ({ name }) => t("Adopted as {name}. Effects shows what it changes.", { name })));
byId("adopt").disabled = readOnly;
look();
