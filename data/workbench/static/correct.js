import { byId, draw, failed, get, live, make, say, send, t, undoing } from "./common.js";
import { wrong } from "./fix.js";

const LABELS = [["e", "EQUI"], ["o", "OPPO"], ["1", "SPE1"], ["2", "SPE2"], ["s", "SIMI"], ["r", "REL"]];
const TAGS = { f: "FACT", t: "POL" };
const readOnly = "readOnly" in document.body.dataset;
const corpus = byId("corpus");
const ROWS = 200; // of disagreements that are shown
let left = [], ids = [], mended = new Set(), place = 0, answer = null, chosen = null, shift = false, waiting = Promise.resolve();

const address = (rest = "") => `/project/corrections/${encodeURIComponent(corpus.value)}${rest}`;
const aligned = () => answer.alignments.filter((line) => line.tokens1.length && line.tokens2.length);
const key = (line) => `${line.tokens1.join(" ")}=${line.tokens2.join(" ")}`;
const line = () => aligned().find((one) => key(one) === chosen);

/** One action after the other: the second rests on what the first has made. */
const inTurn = (work) => { waiting = waiting.then(work).catch(failed); return waiting; };

const mark = () => {
  const number = answer.alignments.findIndex((one) => key(one) === chosen), now = line();
  for (const node of byId("picture").querySelectorAll("[data-line]")) {
    node.classList.toggle("open", Number(node.dataset.line) === number && Boolean(now));
    if (node.hasAttribute("role")) node.setAttribute("aria-expanded", String(Number(node.dataset.line) === number && Boolean(now)));
  }
  byId("chosen").textContent = now
    ? `${now.text1} ~ ${now.text2}: ${[now.label, ...now.tags].join("_")} ${now.score}`
    : t("No alignment is chosen.");
  byId("is-wrong").disabled = !now;
  for (const button of byId("keys").children) {
    button.disabled = readOnly || !now;
    button.setAttribute("aria-pressed", String(Boolean(now) && (button.dataset.is === now.label || now.tags.includes(button.dataset.is))));
  }
};

/** How far the second annotator agrees, if there is one; pairs on which both differ, worst first. */
const compare = async () => {
  if (!byId("second")) return;
  const { pairs, f1, labels, disagreements } = await get(address("/second"));
  left = [...new Set(disagreements.map((row) => row.id))];
  byId("agreement").textContent = pairs
    ? `${t("{n} pair was corrected by both.|{n} pairs were corrected by both.", { n: pairs })} ${t("F1 {f1}, kappa {kappa}.", { f1: f1["Typ+Sco"].toFixed(3), kappa: labels.kappa?.toFixed(3) ?? "–" })} ${t("{n} is left to settle.|{n} are left to settle.", { n: left.length })}`
    : t("No pair was corrected by both yet.");
  byId("differing").hidden = !left.length;
  byId("differing").tBodies[0].replaceChildren(...disagreements.slice(0, ROWS).map((row, at) => make("tr", {},
    make("td", {}, row.id === disagreements[at - 1]?.id ? "" : make("button", { type: "button", class: "link", "aria-pressed": String(row.id === answer?.id), text: row.id, onclick: () => open(() => ids.indexOf(row.id)) })),
    ...[row.f1.toFixed(2), t(row.decision), row.words, row.a ?? "–", row.b ?? "–"].map((text) => make("td", { text })))));
};

const show = (found) => {
  const focused = document.activeElement?.closest?.("#picture [data-line],#picture [data-side]")?.dataset;
  answer = found;
  byId("answer").hidden = false;
  byId("answer").classList.toggle("corrected", found.mended);
  if (found.mended) mended.add(found.id); else mended.delete(found.id);
  byId("sentences").replaceChildren(found.sent1, make("br"), found.sent2);
  draw(byId("picture"), found.picture);
  if (byId("second")) {
    if (found.second) draw(byId("theirs"), found.second); else byId("theirs").textContent = t("The second annotator has not corrected this pair.");
    for (const id of ["keep", "take"]) byId(id).disabled = readOnly || !found.second;
  }
  byId("place").textContent = t(found.mended ? t("Pair {id}, {place} of {n}, corrected") : t("Pair {id}, {place} of {n}"), { id: found.id, place: place + 1, n: ids.length });
  byId("count").textContent = t("{count} of {all} corrected", { count: mended.size, all: ids.length });
  byId("done").max = ids.length;
  byId("done").value = mended.size;
  byId("export").hidden = !mended.size && !byId("lost").textContent;
  if (!line()) chosen = null;
  mark();
  // Who works by keyboard goes on where they were.
  if (focused?.tokens) byId("picture").querySelector(`[data-side="${focused.side}"][data-tokens="${focused.tokens}"]`)?.focus();
  else if (focused && line()) byId("picture").querySelector(`.link[role][data-line="${answer.alignments.findIndex((one) => key(one) === chosen)}"]`)?.focus();
};

const look = async (to) => {
  if (!ids.length) return;
  if (to >= ids.length) say(t("That was the last pair."));
  place = Math.max(0, Math.min(ids.length - 1, to));
  chosen = null;
  byId("wrong").hidden = true;
  history.replaceState(null, "", `?${new URLSearchParams({ corpus: corpus.value, pair: ids[place] })}`);
  byId("answer").classList.add("busy");
  try { show(await get(address(`/pair?${new URLSearchParams({ id: ids[place] })}`))); await compare(); } finally { byId("answer").classList.remove("busy"); }
};

/** Show a pair, by its place once it is its turn. */
const open = (to) => inTurn(() => look(to()));

const start = (wanted) => inTurn(async () => {
  const found = await get(address());
  ids = found.ids;
  mended = new Set(found.mended);
  byId("lost").textContent = found.lost.length ? t("{n} corrected pair is not in the corpus any more. It is kept, and stands last in the file: {ids}.|{n} corrected pairs are not in the corpus any more. They are kept, and stand last in the file: {ids}.", { n: found.lost.length, ids: found.lost.join(", ") }) : "";
  byId("export").href = address("/export");
  byId("export").download = `${corpus.value}.wa`;
  const known = ids.indexOf(wanted), left = ids.findIndex((id) => !mended.has(id));
  // In this turn: what is typed meanwhile is about the pair that is shown then.
  await look(known >= 0 ? known : Math.max(0, left));
});

const act = (action) => inTurn(async () => {
  if (readOnly || !answer) return;
  show(await send(address(), { id: answer.id, ...action() }));
  await compare();
});

/** Settle a pair as it is here, or as the second annotator has it, and open the worst one that is left. */
const settle = (second) => {
  if (!byId("second") || byId("take").disabled) return;
  act(() => ({ do: "settle", second }));
  inTurn(() => left.length && look(ids.indexOf(left[0])));
};

const judge = (what) => act(() => {
  const now = line();
  if (!now) throw Object.assign(new Error("none"), { name: "AbortError" });
  return { tokens1: now.tokens1, tokens2: now.tokens2, ...what(now) };
});

const undo = (name) => inTurn(async () => {
  if (readOnly) return;
  const { id, action } = await send(address(`/${name}`), {});
  say(name === "undo" ? t("Taken back: {action}", { action }) : t("Done again: {action}", { action }));
  mended.delete(id);
  await look(ids.indexOf(id));
});

const numbers = (text) => text.split(" ").map(Number);
live(byId("picture"), {
  choose: (number) => {
    const one = answer.alignments[number];
    chosen = one.tokens1.length && one.tokens2.length ? key(one) : null;
    mark();
  },
  join: (tokens1, tokens2) => {
    const sides = { tokens1: numbers(tokens1), tokens2: numbers(tokens2) }, several = shift;
    act(() => ({ do: "join", several, ...sides }));
    inTurn(async () => {
      chosen = key(answer.alignments.find((one) => sides.tokens1.every((token) => one.tokens1.includes(token)) && one.tokens2.length) ?? sides);
      mark();
    });
  },
});
for (const name of ["pointerup", "keydown"]) addEventListener(name, (event) => { shift = event.shiftKey; }, true);

const step = (by) => {
  const lines = aligned(), now = lines.findIndex((one) => key(one) === chosen);
  if (!lines.length) return;
  chosen = key(lines[now < 0 ? (by > 0 ? 0 : lines.length - 1) : (now + by + lines.length) % lines.length]);
  mark();
};
const label = (name) => judge(() => ({ do: "label", label: name }));
const tag = (name) => judge(() => ({ do: "tag", tag: name }));
const score = (value) => judge((now) => ({ do: "score", score: value(now.score) }));
const part = () => judge(() => ({ do: "part" }));
const isWrong = () => {
  const now = line();
  // What was corrected is claimed; of the answer as it is somebody says what should be so.
  if (now) wrong({ sent1: answer.sent1, sent2: answer.sent2, corpus: corpus.value }, answer.mended ? { ...now, label: "" } : now, answer.mended ? [now.label, ...now.tags].join("_") : undefined);
};
const accept = () => { act(() => ({ do: "accept" })); open(() => place + 1); };

const KEYS = {
  k: () => settle(false), a: () => settle(true), w: isWrong, n: () => open(() => place + 1), p: () => open(() => place - 1), x: part, Delete: part, Enter: accept, ArrowRight: () => step(1), ArrowLeft: () => step(-1),
  "+": () => score((now) => Math.min(now + 1, 4)), "-": () => score((now) => Math.max(now - 1, 1)),
  ...Object.fromEntries(LABELS.map(([sign, name]) => [sign, () => label(name)])),
  ...Object.fromEntries(Object.entries(TAGS).map(([sign, name]) => [sign, () => tag(name)])),
};

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.target.closest?.("input,select,textarea")) return;
  if (event.key === "Enter" && event.target.closest?.("button,a")) return;
  const digit = event.shiftKey && event.code.match(/^Digit([0-5])$/)?.[1];
  const work = digit ? () => score(() => Number(digit)) : Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : KEYS[event.key.toLowerCase()];
  if (!work) return;
  event.preventDefault();
  work();
});

byId("keys").append(
  ...LABELS.map(([sign, name]) => make("button", { type: "button", "data-is": name, class: name, "aria-keyshortcuts": sign, onclick: () => label(name) }, name, make("kbd", { text: sign }))),
  ...Object.entries(TAGS).map(([sign, name]) => make("button", { type: "button", "data-is": name, "aria-keyshortcuts": sign, onclick: () => tag(name) }, name, make("kbd", { text: sign }))),
  ...["1", "2", "3", "4"].map((value) => make("button", { type: "button", "aria-keyshortcuts": `Shift+${value}`, onclick: () => score(() => Number(value)) }, t("Score {value}", { value }), make("kbd", { text: `⇧${value}` }))),
  make("button", { type: "button", "aria-keyshortcuts": "x Delete", onclick: part }, t("Remove"), make("kbd", { text: "x" })));
byId("next").addEventListener("click", () => open(() => place + 1));
byId("previous").addEventListener("click", () => open(() => place - 1));
byId("accept").addEventListener("click", accept);
byId("keep")?.addEventListener("click", () => settle(false));
byId("take")?.addEventListener("click", () => settle(true));
byId("is-wrong").addEventListener("click", isWrong);
addEventListener("adopted", () => open(() => place));
undoing(undo);
for (const name of ["undo", "redo"]) byId(name).addEventListener("click", () => undo(name));
for (const id of ["accept", "undo", "redo"]) byId(id).disabled = readOnly;
corpus.addEventListener("change", () => start());
const query = new URLSearchParams(location.search);
if (query.get("corpus") && [...corpus.options].some((one) => one.value === query.get("corpus"))) corpus.value = query.get("corpus");
if (corpus.value) start(query.get("pair"));
