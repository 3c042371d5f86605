import { byId, decisionOf, download, draw, failed, get, live, make, send, t, whyNodes } from "./common.js";
import { wrong } from "./fix.js";

const tab = crypto.randomUUID();
let number = 0, asking = false, again = false, fresh = true, answer = null, chosen = null;

const choose = (line) => {
  chosen = line;
  byId("is-wrong").disabled = !line;
};

const given = () => ({ sent1: byId("sent1").value, sent2: byId("sent2").value, profile: byId("profile").value });

const highest = () => byId("profile").selectedOptions[0].dataset.highest;

const remember = () => {
  const { sent1, sent2, profile } = given();
  const query = new URLSearchParams({ 1: sent1, 2: sent2, ...(profile !== document.body.dataset.profile && { profile }) });
  history.replaceState(null, "", sent1 || sent2 ? `?${query}` : location.pathname);
  sessionStorage.setItem("tried", location.search);
};

const rated = (rating) => {
  if (!rating) return byId("rated").replaceChildren();
  const margin = rating.margin === undefined ? "" : ` ± ${rating.margin.toFixed(1)}`;
  byId("rated").replaceChildren(`${t("Rated")} `, make("b", { text: rating.value.toFixed(1) + margin }), ` ${t("of {highest}", { highest: highest() })} `,
    make("button", { type: "button", text: t("Why this rating?"), onclick: () => ask("why", ["rating"]) }));
};

// One request at a time: what is typed meanwhile is looked at when its answer is there.
const look = async () => {
  remember();
  if (asking) {
    again = true;
    return;
  }
  const pair = given();
  byId("why").hidden = byId("wrong").hidden = true;
  choose(null);
  if (!pair.sent1.trim() || !pair.sent2.trim()) {
    byId("answer").hidden = true;
    return;
  }
  byId("answer").classList.add("busy");
  asking = true;
  again = false;
  const newest = ++number, asked = { ...pair, tab, number: newest };
  let told = "";
  byId("waiting").textContent = t("The sentences are being read and compared …");
  try {
    answer = await send("/api/solve", asked);
    asking = false;
    if (again) return look();
    told = answer.note;
    draw(byId("picture"), answer.picture);
    byId("answer").classList.remove("busy");
    // What was said of another pair does not stand above this picture.
    byId("words").textContent = "";
    rated(null);
    byId("answer").hidden = false;
    if (fresh) byId("start").open = fresh = false;
    byId("waiting").textContent = t("The explanation and the rating follow …");
    const [explained, { rating }] = await Promise.all([send("/api/explain", asked), send("/api/rate", asked)]);
    if (newest !== number) return;
    byId("words").textContent = explained.text;
    rated(rating);
  } catch (error) {
    if (newest !== number) return;
    failed(error);
    // The answer to another pair does not stand below this one.
    if (asking && !again) [byId("answer").hidden, told] = [true, error.message];
  }
  asking = false;
  byId("waiting").textContent = told;
  byId("answer").classList.remove("busy");
  if (again) look();
};

const ask = async (kind, decision) => {
  const panel = byId("why");
  panel.replaceChildren(make("p", { class: "dim", text: t("The reason is being looked for …") }));
  panel.hidden = false;
  try {
    const found = await send(`/api/${kind}`, { ...given(), decision });
    panel.replaceChildren(...whyNodes(found));
  } catch (error) {
    panel.hidden = !error.body;
    if (error.name === "AbortError" || !error.body) return failed(error);
    panel.replaceChildren(make("p", { text: error.message }));
  }
};

const named = (side, tokens) => byId("picture").querySelector(`[data-side="${side}"][data-tokens="${tokens}"]`)?.querySelector("text").textContent;
const isWrong = () => { if (chosen) wrong(given(), chosen); };

live(byId("picture"), {
  choose: (line, node) => {
    for (const other of byId("picture").querySelectorAll("[data-line]")) {
      const chosen = other.dataset.line === node.dataset.line;
      other.classList.toggle("open", chosen);
      if (other.hasAttribute("role")) other.setAttribute("aria-expanded", String(chosen));
    }
    choose(answer.alignments[line]);
    byId("why").className = `rules ${answer.alignments[line].label}`;
    ask("why", [decisionOf(answer.alignments[line])]);
  },
  join: (tokens1, tokens2) => {
    byId("why").className = "rules";
    const there = answer.alignments.find((line) => line.tokens1.join(" ") === tokens1 && line.tokens2.join(" ") === tokens2);
    choose(there ?? { tokens1: tokens1.split(" ").map(Number), tokens2: tokens2.split(" ").map(Number), text1: named(1, tokens1), text2: named(2, tokens2) });
    ask(there ? "why" : "why-not", [`${tokens1} <==> ${tokens2}`]);
  },
});

byId("is-wrong").addEventListener("click", isWrong);
addEventListener("keydown", (event) => {
  if (event.key !== "w" || event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("input,select,textarea")) return;
  event.preventDefault();
  isWrong();
});
addEventListener("adopted", look);
byId("pair").addEventListener("input", look);
byId("pair").addEventListener("submit", (event) => event.preventDefault());
byId("swap").addEventListener("click", () => {
  [byId("sent1").value, byId("sent2").value] = [byId("sent2").value, byId("sent1").value];
  look();
});
byId("svg").addEventListener("click", async () => {
  try {
    const { svg } = await send("/api/picture", given());
    download("alignment.svg", svg, "image/svg+xml");
  } catch (error) { failed(error); }
});

byId("share").addEventListener("click", async () => {
  try {
    const work = { ...given(), project: document.body.dataset.profile, rules: await get("/project/rules/texts") };
    const name = work.sent1.toLowerCase().match(/[a-z0-9]+/g)?.slice(0, 4).join("-") ?? "pair";
    download(`${name}.json`, JSON.stringify(work, null, 1), "application/json");
  } catch (error) { failed(error); }
});

const query = new URLSearchParams(location.search || (sessionStorage.getItem("tried") ?? ""));
byId("sent1").value = query.get("1") ?? "";
byId("sent2").value = query.get("2") ?? "";
byId("start").open = !byId("sent1").value && !byId("sent2").value;
if (query.get("profile")) byId("profile").value = query.get("profile");
look();
