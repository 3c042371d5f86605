// "This is wrong": what should hold instead, edits that make it hold, and what each does elsewhere.
import { byId, failed, get, make, say, send, t } from "./common.js";

const READ_ONLY = "readOnly" in document.body.dataset;
const LABELS = ["EQUI", "OPPO", "SPE1", "SPE2", "SIMI", "REL"];
const KINDS = { words: t("Words"), rule: t("Rule"), exception: t("Exception"), weight: t("Weight") };
let asking = 0;

/** A claim, which the server reads in English, in the language of the page. */
export const claimed = (text) => text.replace(/^(not aligned|aligned)$/, (each) => (each === "aligned" ? t("aligned") : t("not aligned"))).replace(/^not (?=[A-Z])/, `${t("not")} `);

/** The text of a file, which says where it comes from. */
const written = (one, claim) => `${one.suffix === ".tsv" ? "#" : "%"} from: ${claim}\n${one.text}`;

const adopt = async (one, claim, node) => {
  for (let number = 1; number < 100; number += 1) {
    const name = `${one.name}${number > 1 ? `_${number}` : ""}${one.suffix}`;
    try {
      await send("/project/rules/file", { name, text: written(one, claim), before: null }, { method: "PUT" });
      node.replaceChildren(make("p", {}, t("Adopted:"), " ", make("a", { href: `/rules?file=${encodeURIComponent(name)}`, text: name }), ". ", make("a", { href: "/effects", text: t("See its effects") })));
      say(t("{name} is adopted. Effects shows what it changes.", { name }));
      // Only then are pairs decided with it.
      await get("/project/rules/loaded").catch(failed);
      return dispatchEvent(new Event("adopted"));
    } catch (error) {
      if (error.status !== 409) return failed(error);
    }
  }
};

const edit = (one, claim) => {
  sessionStorage.setItem("draft", JSON.stringify({ name: `${one.name}${one.suffix}`, text: written(one, claim) }));
  location.assign("/rules");
};

const effect = (measured, found) => {
  const { changed, better, worse, worst } = measured, nodes = [];
  if (!found.pairs) return [make("p", { class: "dim", text: t("Not measured: the project has no pairs.") })];
  nodes.push(make("p", {}, t("{n} of {all} pairs of {corpus} changes|{n} of {all} pairs of {corpus} change", { n: changed.length, all: found.pairs, corpus: found.corpus }),
    ...(found.gold ? [": ", make("span", { class: better ? "better" : "dim", text: t("{n} better", { n: better }) }), ", ", make("span", { class: worse ? "worse" : "dim", text: t("{n} worse", { n: worse }) })] : [])));
  if (measured.one_way) nodes.push(make("p", { class: "dim", text: t("Not with the sentences swapped.") }));
  if (measured.alone) nodes.push(make("p", { class: "dim", text: t("No other gold pair bears it out: it may hold by chance.") }));
  for (const text of measured.broken) nodes.push(make("p", { class: "worse", text: t("It breaks an example: {text}", { text }) }));
  if (worst.length) nodes.push(make("details", {}, make("summary", { text: t("The worst {n}", { n: worst.length }) }), make("ul", {},
    ...worst.map(([id, one, two]) => make("li", {}, make("a", { href: `/try?${new URLSearchParams({ 1: one, 2: two })}`, text: t("Pair {id}", { id }) }), ` ${one} – ${two}`)))));
  return nodes;
};

const shown = (measured, found) => {
  const one = measured.proposal, node = make("li", { class: "proposal" });
  node.append(make("h3", { text: `${KINDS[one.kind]}: ${one.scope}` }), ...effect(measured, found),
    make("details", {}, make("summary", { text: `${one.name}${one.suffix}` }), make("pre", { text: one.text })),
    make("div", { class: "row" },
      make("button", { type: "button", text: t("Adopt"), disabled: READ_ONLY, onclick: () => adopt(one, found.claim, node) }),
      make("button", { type: "button", text: t("Edit first"), disabled: READ_ONLY, onclick: () => edit(one, found.claim) }),
      make("button", { type: "button", text: t("Dismiss"), onclick: () => node.remove() })));
  return node;
};

const search = async (given, holder) => {
  const number = ++asking;
  holder.replaceChildren(make("p", { class: "dim", text: t("Edits are being tried on all pairs. This takes some seconds …") }));
  try {
    const found = await send("/project/fix", given);
    if (number !== asking) return;
    const none = found.held ? t("It holds already.") : t("No edit makes it hold.");
    holder.replaceChildren(...(found.proposals.length ? [make("ol", { class: "proposals" }, ...found.proposals.map((one) => shown(one, found)))] : [make("p", { text: none }), ...found.lacking.map((text) => make("pre", { text }))]));
  } catch (error) {
    if (number !== asking) return;
    holder.replaceChildren(error.body && error.status !== 409 ? make("p", { text: error.message }) : "");
    failed(error);
  }
};

/** Open the question what should hold of a line; `claim` is chosen, and asked at once, if given. */
export const wrong = (given, line, claim) => {
  const panel = byId("wrong"), holder = make("div", { "aria-live": "polite" });
  const both = line.tokens1.length && line.tokens2.length;
  const linked = both && line.label && line.label !== "NOALI";
  const claims = both
    ? [...LABELS.filter((label) => !linked || label !== line.label), ...(linked ? [`not ${line.label}`, "not aligned", ...["1", "2", "3", "4"].filter((score) => line.label !== "EQUI" && Number(score) !== line.score)] : ["aligned"])]
    : ["not aligned"];
  if (!both && !linked && line.label) return say(t("Drag from this chunk to one of the other sentence first: then say what should hold."));
  const choice = make("select", { id: "claim" }, ...[...new Set([...claims, ...(claim ? [claim] : [])])].map((text) => make("option", { text: claimed(text), value: text, selected: text === claim })));
  const ask = () => search({ ...given, tokens1: line.tokens1, tokens2: line.tokens2, claim: choice.value }, holder);
  panel.replaceChildren(make("h2", { text: t("This is wrong") }),
    make("form", { class: "row", onsubmit: (event) => { event.preventDefault(); ask(); } },
      make("label", {}, `${[line.text1, line.text2].filter(Boolean).map((text) => t("“{text}”", { text })).join(" ~ ")} ${t("should be")} `, choice),
      make("button", { text: t("Propose edits") }), make("button", { type: "button", text: t("Close"), onclick: () => { asking += 1; panel.hidden = true; } })), holder);
  panel.hidden = false;
  choice.focus();
  if (claim) ask();
};
