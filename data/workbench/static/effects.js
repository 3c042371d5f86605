import { byId, draw, failed, get, make, place, say, send, t } from "./common.js";
import { claimed, wrong } from "./fix.js";

const MEASURES = { Ali: t("Alignment"), Type: t("Type"), Score: t("Score"), "Typ+Sco": t("Type and score") };
const readOnly = "readOnly" in document.body.dataset;
const DECISIONS = { align: t("align"), label: t("label"), score: t("score"), tag: t("tag"), rating: t("rating"), text: t("text") };
const SHOWN = 100, STATES = 12;
// Which states are compared; 0 for the latest, and for the one before.
let before = 0, after = 0, found = null, open = null, allStates = false, seen = "", corpus = "";

const percent = (value) => (100 * value).toFixed(2);
const signed = (value) => (value > 0 ? "+" : value < 0 ? "−" : "±") + percent(Math.abs(value));
const tone = (value) => (value > 0 ? "better" : value < 0 ? "worse" : "dim");
const total = (pair) => (pair.measures ? pair.measures["Typ+Sco"].by + Object.values(pair.measures).reduce((sum, one) => sum + one.by, 0) / 100 : 0);

/** Whether so many of n pairs or fewer would get worse, or better, in one of twenty cases if it were chance. */
const isChance = (fewer, n) => {
  let share = 1, sum = 0;
  for (let k = 0; k <= fewer; k += 1) {
    sum += share;
    share *= (n - k) / (k + 1);
  }
  return sum / 2 ** (n - 1) > 0.05;
};

/** What made a state; people name their own edits. */
const edited = ({ edit }) => ({ "the beginning": t("the beginning"), "changed outside": t("changed outside") })[edit] ?? edit;

const measures = () => {
  const edits = found.states.filter((one) => one.number > found.before && one.number <= found.after).map(edited);
  const named = edits.length > 3 ? t("{n} edit|{n} edits", { n: edits.length }) : edits.join("; ");
  byId("heading").textContent = found.before === found.after ? t("State {after}", found) : t("State {before} → {after}: {edits}", { ...found, edits: named });
  const head = make("tr", {}, make("th", { scope: "col", text: t("Corpus") }),
    ...Object.values(MEASURES).map((text) => make("th", { scope: "col", class: "number", text: `${text} F1` })),
    make("th", { scope: "col", class: "number", text: t("Pairs changed") }));
  const rows = found.corpora.map((one) => {
    const cells = one.measures
      ? Object.keys(MEASURES).map((name) => {
        const { old, new: now, by } = one.measures[name];
        const value = make("b", { text: percent(now) });
        if (old === now) return make("td", { class: "number" }, value);
        return make("td", { class: "number" }, `${percent(old)} → `, value, " ", make("span", { class: tone(by), text: signed(by) }));
      })
      : [make("td", { colspan: 4, class: "dim", text: one.pending ? t("being decided …") : Object.keys(one.faults).length ? "" : t("no gold: only what changes is known") })];
    const count = one.changed?.length ?? 0;
    return make("tr", {}, make("th", { scope: "row" }, make("a", { href: `/project/effects/corpus?${new URLSearchParams({ name: one.name })}`, download: `${one.name}.zip`, title: t("Download"), text: one.name })), ...cells,
      make("td", { class: "number", text: one.changed ? t("{count} of {all}", { count, all: one.pairs }) : "" }));
  });
  const faults = found.corpora.flatMap((one) => [
    ...Object.entries(one.faults).map(([state, fault]) => `${one.name}, ${state}: ${fault}`),
    ...(one.failed?.length ? [t("{name}: {n} pair without an answer, {first}|{name}: {n} pairs without an answer, such as {first}", { name: one.name, n: one.failed.length, first: one.failed[0] })] : []),
  ]);
  byId("measures").replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)),
    ...faults.map((text) => make("p", { class: "fault", text })));
};

const listed = (one, pair) => {
  const gain = pair.measures?.["Typ+Sco"].by, sum = total(pair);
  return make("tr", { "data-pair": pair.id, onclick: () => show(one, pair) },
    make("td", {}, make("button", { type: "button", class: "link", text: pair.id, "aria-expanded": String(open?.pair === pair.id && open.corpus === one.name) })),
    make("td", { class: `number ${tone(sum)}`, text: gain === undefined ? "" : gain ? signed(gain) : sum ? t("a little") : t("same") }),
    make("td", {}, pair.sent1, make("br"), make("span", { class: "dim", text: pair.sent2 })));
};

const changed = () => {
  const some = found.corpora.filter((one) => one.changed?.length);
  if (!some.some((one) => one.name === corpus)) corpus = some[0]?.name ?? "";
  const one = some.find((other) => other.name === corpus);
  const tabs = some.length > 1 ? make("p", { class: "row" }, ...some.map((other) => make("button", { type: "button", "aria-pressed": String(other === one), text: `${other.name}: ${other.changed.length}`, onclick: () => { corpus = other.name; changed(); } }))) : null;
  if (!one) {
    const settled = found.corpora.every((other) => !other.pending && !Object.keys(other.faults).length);
    byId("changed").replaceChildren(make("p", { class: "dim", text: !settled ? "" : found.states.length > 1 ? t("No pair has another answer.") : t("Nothing was edited yet. Once you save words or rules, the pairs whose answer changes stand here.") }));
    return;
  }
  const worse = one.changed.filter((pair) => total(pair) < 0).length, better = one.changed.filter((pair) => total(pair) > 0).length;
  byId("changed").replaceChildren(make("h2", { text: t("{n} pair changed in {name}|{n} pairs changed in {name}", { n: one.changed.length, name: one.name }) }), ...(tabs ? [tabs] : []),
    ...(one.measures ? [make("p", { class: "dim", text: [t("{worse} worse, {better} better against gold, by type and score; the worst first.", { worse, better }), worse + better && isChance(Math.min(worse, better), worse + better) ? t("That is within chance.") : ""].join(" ") })] : []),
    make("table", { class: "pairs" }, make("tbody", {}, ...one.changed.slice(0, SHOWN).map((pair) => listed(one, pair)))),
    ...(one.changed.length > SHOWN ? [make("p", { class: "dim", text: t("and {n} more", { n: one.changed.length - SHOWN }) })] : []));
};

/** Where a rule is; one without a name is called by its place. */
const site = (rule, file, line) => place({ name: rule === `${file}:${line}` ? "" : rule, file, line });

const change = (one) => {
  const words = [one.text1, one.text2].filter(Boolean).join(" ~ ");
  const text = one.decision === "boundary"
    ? t(one.new ? t("A chunk of sentence {side} begins at “{words}”") : t("A chunk of sentence {side} no longer begins at “{words}”"), { side: one.tokens1.length ? 1 : 2, words })
    : `${DECISIONS[one.decision] ?? one.decision}${words && `: ${words}`}: ${one.old ?? t("none")} → ${one.new ?? t("none")}`;
  const causes = (one.causes ?? []).map((cause) => make("li", {},
    make("span", { text: `${cause.text} ` }), site(cause.rule, cause.file, cause.line),
    cause.only === "old" ? make("span", { class: "dim", text: ` ${t("only before")}` }) : cause.only === "new" ? make("span", { class: "dim", text: ` ${t("only after")}` }) : null,
    cause.moved.length ? make("span", { class: "dim", text: ` ${t("moves")} ${cause.moved.slice(0, 4).map((each) => `${DECISIONS[each.decision] ?? each.decision} ${each.by > 0 ? "+" : "−"}${Math.abs(each.by)} ${each.evidence}`).join(", ")}` }) : null));
  return make("li", {}, make("span", { text }), causes.length ? make("ul", { class: "causes" }, ...causes) : null);
};

const figure = (title, drawn) => {
  const holder = make("div", { class: "scroll", tabindex: "0" });
  if (drawn?.startsWith("<svg")) draw(holder, drawn); else holder.append(make("p", { class: "dim", text: drawn ?? t("no answer") }));
  return make("figure", {}, make("figcaption", { text: title }), holder);
};

/** For a pair that got worse: what was decided newly is denied, which proposes exceptions. */
const exceptions = (one, pair) => (total(pair) < 0 && found.after === found.states.at(-1).number ? pair.changes : []).filter((each) => ["label", "align"].includes(each.decision) && each.new && each.tokens1.length && each.tokens2.length).map((each) => {
  const label = each.new.split(" ")[0], claim = each.decision === "label" ? `not ${label}` : "not aligned";
  return make("button", { type: "button", text: t("Make an exception: “{text1}” ~ “{text2}” {claim}", { ...each, claim: claimed(claim) }), disabled: readOnly, onclick: () => wrong({ sent1: pair.sent1, sent2: pair.sent2, corpus: one.name }, { ...each, label }, claim) });
});

const show = async (one, pair) => {
  const detail = byId("detail"), asked = { corpus: one.name, pair: pair.id, before: found.before, after: found.after };
  const query = new URLSearchParams(asked);
  open = asked;
  changed();
  try {
    const [was, now, gold] = await get(`/project/effects/pair?${query}`);
    if (open !== asked) return;
    const reasons = make("div", { "aria-live": "polite" }, make("ul", { class: "changes" }, ...pair.changes.map(change)), make("p", { class: "dim", text: t("Looking for the causes …") }));
    detail.replaceChildren(make("h2", { text: t("Pair {id} of {name}", { id: pair.id, name: one.name }) }),
      make("div", { class: "both" }, figure(t("Before: state {before}", asked), was), figure(t("After: state {after}", asked), now)),
      ...(gold ? [make("details", {}, make("summary", { text: t("Gold") }), figure(t("As people aligned it"), gold))] : []),
      make("h3", { text: t("What changed, and because of what") }), reasons,
      make("p", { class: "row" }, ...exceptions(one, pair)),
      make("button", { type: "button", text: t("Close"), onclick: () => { detail.hidden = byId("wrong").hidden = true; open = null; changed(); } }));
    detail.hidden = false;
    detail.focus();
    const why = await get(`/project/effects/causes?${query}`);
    if (open !== asked) return;
    const edits = why.rules.map((edit) => make("li", {}, `${edit.edit}: `, site(edit.name, ...located(edit.new ?? edit.old)), edit.did ? `; ${edit.did}` : ""));
    const weights = Object.entries({ changed: t("{n} changed"), added: t("{n} added"), removed: t("{n} removed") }).filter(([how]) => why.weights[how]).map(([how, text]) => t(text, { n: why.weights[how] })).join(", ");
    reasons.replaceChildren(make("ul", { class: "changes" }, ...(why.changed[0]?.changes.map(change) ?? [])),
      make("details", {}, make("summary", { text: `${t("All that was edited: {n} rule|All that was edited: {n} rules", { n: edits.length })}${weights ? t(", weights: {weights}", { weights }) : ""}` }), make("ul", {}, ...edits)));
  } catch (error) {
    failed(error);
    if (open === asked) detail.querySelector(".dim:last-child")?.remove();
  }
};

const located = (text) => [text.replace(/:\d+$/, ""), Number(text.match(/\d+$/)?.[0])];

const states = () => {
  const latest = found.states.at(-1).number;
  const shown = found.states.slice(allStates ? 0 : -STATES).reverse();
  const radio = (name, one, current, choose) => make("td", {}, make("input", { type: "radio", name: `state-${name}`, value: one.number, checked: one.number === current, "aria-label": name === "before" ? t("Before state {number}", one) : t("After state {number}", one), onchange: () => { choose(one.number); load(); } }));
  byId("states").replaceChildren(
    make("thead", {}, make("tr", {}, ...[t("Before"), t("After"), t("State"), t("Edit"), t("Time"), ""].map((text) => make("th", { scope: "col", text })))),
    make("tbody", {}, ...shown.map((one) => make("tr", {},
      radio("before", one, found.before, (number) => { before = number; after = found.after; }),
      radio("after", one, found.after, (number) => { after = number; before = found.before; }),
      make("td", { class: "number", text: one.number }), make("td", { text: edited(one) }),
      make("td", { class: "dim", text: new Date(1000 * one.when).toLocaleString(document.documentElement.lang) }),
      make("td", {}, one.number === latest ? (one.number === 1 ? "" : t("now")) : make("button", { type: "button", disabled: readOnly, text: t("Go back to this"), onclick: () => goTo(one.number) }))))));
  byId("all-states").hidden = allStates || found.states.length <= STATES;
};

const goTo = async (number) => {
  try {
    const state = await send(`/project/effects/go-to?number=${number}`, {});
    say(t("The rules are those of state {number} again; that is state {now}.", { number, now: state.number }));
    before = after = 0;
    await load();
  } catch (error) { failed(error); }
};

const busy = (work) => {
  byId("busy").hidden = !work;
  if (!work) return;
  byId("doing").textContent = t("State {state}, {corpus}: {done} of {n} pairs", { ...work, n: work.pairs || "?" });
  byId("done").max = work.pairs || 1;
  if (work.pairs) byId("done").value = work.done; else byId("done").removeAttribute("value");
};

const load = async () => {
  try {
    const query = new URLSearchParams({ before, after });
    const next = await get(`/project/effects?${query}`);
    const text = JSON.stringify(next);
    if (text === seen) return;
    seen = text;
    found = next;
    if (open && (open.before !== next.before || open.after !== next.after)) {
      open = null;
      byId("detail").hidden = true;
    }
    measures();
    changed();
    const focused = document.activeElement?.getAttribute?.("aria-label");
    states();
    if (focused) byId("states").querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
  } catch (error) { failed(error); }
};

byId("add")?.addEventListener("change", async ({ target }) => {
  const [file] = target.files;
  try {
    await send(`/project/effects/corpus?${new URLSearchParams({ name: file.name })}`, file);
    say(t("{name} is a corpus now.", file));
    await load();
  } catch (error) { failed(error); }
  target.value = "";
});
byId("all-states").addEventListener("click", () => { allStates = true; states(); });

/** Look again: often while something is under way, now and then otherwise. */
const watch = async () => {
  let wait = 1500;
  try {
    const { under_way, latest } = await get("/project/effects/progress");
    busy(under_way);
    const pending = !found || found.corpora.some((one) => one.pending) || (!after && latest !== found.states.at(-1).number);
    if (pending || latest !== found.states.at(-1).number) await load();
    if (pending || under_way) wait = 250;
  } catch { wait = 5000; }
  setTimeout(watch, wait);
};

load().then(watch);
