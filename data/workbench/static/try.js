import { byId, decisionOf, download, draw, failed, live, make, send, settled, whyNodes } from "./common.js";

const tab = crypto.randomUUID();
let number = 0, asking = null, answer = null;

const given = () => ({ sent1: byId("sent1").value, sent2: byId("sent2").value, profile: byId("profile").value });

const remember = () => {
  const { sent1, sent2, profile } = given();
  const query = new URLSearchParams({ 1: sent1, 2: sent2, ...(profile !== document.body.dataset.profile && { profile }) });
  history.replaceState(null, "", sent1 || sent2 ? `?${query}` : location.pathname);
};

const rated = (rating) => {
  if (!rating) return byId("rated").replaceChildren();
  const margin = rating.margin === null ? "" : ` ± ${rating.margin.toFixed(1)}`;
  byId("rated").replaceChildren("Rated ", make("b", { text: rating.value.toFixed(1) + margin }), " of 5 ",
    make("button", { type: "button", text: "Why this rating?", onclick: () => ask("why", ["rating"]) }));
};

const look = async () => {
  remember();
  asking?.abort();
  asking = new AbortController();
  const { signal } = asking, pair = given();
  byId("why").hidden = true;
  if (!pair.sent1.trim() || !pair.sent2.trim()) {
    byId("answer").hidden = true;
    return;
  }
  byId("answer").classList.add("busy");
  try {
    const asked = { ...pair, tab, number: ++number };
    answer = await send("/api/solve", asked, { signal });
    draw(byId("picture"), answer.picture);
    byId("answer").hidden = false;
    const told = await send("/api/explain", { ...asked, number: ++number }, { signal });
    byId("words").textContent = told.text;
    rated(told.rating);
    byId("answer").classList.remove("busy");
  } catch (error) {
    failed(error);
    if (error.name !== "AbortError") byId("answer").classList.remove("busy");
  }
};

const ask = async (kind, decision) => {
  const panel = byId("why");
  try {
    const found = await send(`/api/${kind}`, { ...given(), decision });
    panel.replaceChildren(...whyNodes(found));
  } catch (error) {
    if (error.name === "AbortError" || !error.body) return failed(error);
    panel.replaceChildren(make("p", { text: error.message }));
  }
  panel.hidden = false;
};

live(byId("picture"), {
  choose: (line, node) => {
    for (const other of byId("picture").querySelectorAll("[data-line]")) {
      const chosen = other.dataset.line === node.dataset.line;
      other.classList.toggle("open", chosen);
      if (other.hasAttribute("role")) other.setAttribute("aria-expanded", String(chosen));
    }
    byId("why").className = `rules ${answer.alignments[line].label}`;
    ask("why", [decisionOf(answer.alignments[line])]);
  },
  join: (tokens1, tokens2) => {
    byId("why").className = "rules";
    const there = answer.alignments.some((line) => line.tokens1.join(" ") === tokens1 && line.tokens2.join(" ") === tokens2);
    ask(there ? "why" : "why-not", [`${tokens1} <==> ${tokens2}`]);
  },
});

const soon = settled(look, 60);
byId("pair").addEventListener("input", soon);
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

const query = new URLSearchParams(location.search);
byId("sent1").value = query.get("1") ?? "";
byId("sent2").value = query.get("2") ?? "";
if (query.get("profile")) byId("profile").value = query.get("profile");
look();
