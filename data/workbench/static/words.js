import { byId, failed, get, make, say, send, t, undoing } from "./common.js";
import { stream } from "./stream.js";

const READ_ONLY = "readOnly" in document.body.dataset;
let state = "", looking = null, touched = {}, texts = {}, digests = {}, queue = Promise.resolve();

// Edits wait for each other: each is made to the text that the one before has left.
const edit = (table, change, fields = []) => {
  const before = queue;
  queue = before.then(() => made(table, change, fields));
};
const made = async (table, change, fields) => {
  try {
    const { digest } = await send("/project/words", { name: table.name, before: digests[table.name], ...change });
    digests[table.name] = digest;
    // What was typed since stays.
    fields.forEach((field, at) => { if (field.value === [change.left, change.right][at]) field.value = field.defaultValue; });
    await load(table.name);
  } catch (error) {
    // What was refused stays where it was typed.
    failed(error);
    if (error.status === 409) await load();
  }
};

/** What is typed and not saved, by the entry that it is to replace. */
const typed = () => new Map([...document.querySelectorAll("#tables tr:has(input)")].map((row) => {
  const fields = [...row.querySelectorAll("input")], { table } = row.closest("[data-table]").dataset;
  return [JSON.stringify([table, ...fields.map((field) => field.defaultValue)]), fields];
}));

const signs = (chosen) => [["=", t("means the same as")], ["<>", t("is the opposite of")]].map(([sign, told]) => make("option", { value: sign, text: sign, title: told, selected: sign === chosen }));
const word = (label, value, change) => make("input", { "aria-label": label, value, maxlength: 60, onchange: change, disabled: READ_ONLY });

/** The pairs that an entry touches, shown below its row on demand. */
const pairs = (key, row) => {
  const ids = touched[key] ?? [];
  const below = row.nextElementSibling;
  if (below?.matches(".below")) return below.remove();
  row.after(make("tr", { class: "below" }, make("td", { colspan: 5 }, make("ol", { class: "pairs" }, ...ids.map((id) => make("li", { value: Number(id) || null },
    make("a", { href: `/try?${new URLSearchParams({ 1: texts[id][0], 2: texts[id][1] })}`, text: t("Pair {id}", { id }) }),
    make("div", { text: texts[id][0] }), make("div", { text: texts[id][1] })))))));
};

const counted = (button, count) => {
  button.textContent = count;
  button.setAttribute("aria-label", t("{count}: pairs that line {line} touches", { count, line: button.dataset.place.split(":").pop() }));
};

const entry = (table, one) => {
  const where = `${table.name}:${one.line}`;
  const place = make("a", { href: `/rules?file=${encodeURIComponent(table.name)}&line=${one.line}`, class: "dim", text: one.behind || t("line {line}", one) });
  const gone = make("button", { type: "button", text: t("Delete"), "aria-label": t("Delete line {line}", one), hidden: READ_ONLY, onclick: () => edit(table, { line: one.line }) });
  if (one.fault) return make("tr", {}, make("td", { colspan: 3, text: one.text }), make("td", { class: "error" }, make("b", { text: one.fault })), make("td", {}, place, " ", gone));
  const change = () => edit(table, { line: one.line, left: left.value, sign: sign.value, right: right.value }, [left, right]);
  const left = word(t("Word"), one.left, change), right = word(t("Other word"), one.right, change);
  const sign = make("select", { "aria-label": t("Sign"), onchange: change, disabled: READ_ONLY }, ...signs(one.sign));
  const count = make("button", { type: "button", class: "plain number", "data-place": where, onclick: () => pairs(where, row) });
  counted(count, "…");
  const row = make("tr", {}, make("td", {}, left), make("td", {}, sign), make("td", {}, right), make("td", { class: "number" }, count), make("td", {}, place, " ", gone));
  return row;
};

const shown = (table) => {
  const left = word(t("First word of a new entry"), ""), right = word(t("Second word of a new entry"), "");
  const sign = make("select", { "aria-label": t("Sign of a new entry") }, ...signs("="));
  const add = (event) => {
    event.preventDefault();
    edit(table, { left: left.value, sign: sign.value, right: right.value }, [left, right]);
  };
  const enter = (event) => { if (event.key === "Enter") add(event); };
  const last = make("tr", { class: "new", onkeydown: enter }, make("td", {}, left), make("td", {}, sign), make("td", {}, right), make("td", {}), make("td", {}, make("button", { type: "button", text: t("Add"), onclick: add })));
  return make("section", { "aria-label": table.name, "data-table": table.name },
    make("h2", {}, make("a", { href: `/rules?file=${encodeURIComponent(table.name)}`, text: table.name })),
    make("div", { class: "scroll" }, make("table", { class: "words" },
      make("thead", {}, make("tr", {}, ...[t("Word"), "", t("Other word"), t("Pairs"), ""].map((text, at) => make("th", { scope: "col", class: at === 3 ? "number" : "", text })))),
      make("tbody", {}, ...table.rows.map((one) => entry(table, one)), READ_ONLY ? null : last))));
};

const load = async (focused) => {
  const found = await get("/project/words");
  const stale = found.state !== state, field = document.activeElement;
  state = found.state;
  if (stale) {
    // Nobody's text is taken away while it is typed.
    const typing = field?.matches("#tables tr:not(.new) input") && field.value !== field.defaultValue;
    if (typing) await new Promise((left) => field.addEventListener("blur", left, { once: true }));
    for (const one of found.tables) digests[one.name] = one.digest;
    const before = typed();
    byId("tables").replaceChildren(...found.tables.map(shown));
    for (const [entry, fields] of typed()) before.get(entry)?.forEach((field, place) => { fields[place].value = field.value; });
    if (focused) document.querySelector(`[data-table="${CSS.escape(focused)}"] .new input`)?.focus();
    look();
  }
};

/** Count the pairs that each entry touches. */
const look = async () => {
  looking?.abort();
  looking = new AbortController();
  [touched, texts] = [{}, {}];
  const counts = [...document.querySelectorAll("[data-place]")];
  byId("told").textContent = "";
  byId("progress").removeAttribute("value");
  byId("progress").hidden = !counts.length;
  if (!counts.length || !byId("corpus").value) return;
  const asked = looking;
  try {
    await stream(`/project/words/pairs?${new URLSearchParams({ corpus: byId("corpus").value })}`, (one) => {
      for (const [where, ids] of Object.entries(one.touched)) touched[where] = [...touched[where] ?? [], ...ids];
      Object.assign(texts, one.pairs);
      [byId("progress").max, byId("progress").value] = [one.of, one.done];
      for (const count of counts) counted(count, (touched[count.dataset.place] ?? []).length);
    }, asked.signal);
  } catch (error) {
    if (error.name === "AbortError") return;
    byId("told").textContent = error.message;
    for (const count of counts) counted(count, "?");
  }
  byId("progress").hidden = true;
};

const step = (name) => {
  if (READ_ONLY) return;
  queue = queue.then(async () => {
    try {
      say((await send(`/project/rules/${name}`, {})).edit);
      await load();
    } catch (error) { failed(error); }
  });
};
undoing(step);
for (const name of ["undo", "redo"]) byId(name).addEventListener("click", () => step(name));
byId("corpus").addEventListener("change", look);
byId("new")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const name = byId("new-name").value.trim().replace(/(\.tsv)?$/, ".tsv");
  try {
    await send("/project/rules/file", { name, text: "", before: null }, { method: "PUT" });
    byId("new").reset();
    await load(name);
  } catch (error) { failed(error); }
});
await load().catch(failed);
addEventListener("focus", () => load().catch(() => {}));
