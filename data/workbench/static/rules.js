import { byId, failed, get, loaded, make, say, send, settled, t, undoing } from "./common.js";
import { makeEditor, predicatesOf } from "./editor.js";
import { stream } from "./stream.js";

const READ_ONLY = "readOnly" in document.body.dataset;
const files = new Map();
const SEVERITIES = { error: t("error"), warning: t("warning"), note: t("note") };
const TAB = crypto.randomUUID();
let file = null, state = "", vocabulary = null, looking = null, checking = null, writing = false;

const own = () => file.digest !== undefined;
const link = (name) => `/rules?file=${encodeURIComponent(name)}`;

const words = () => (vocabulary ??= get("/project/rules/vocabulary").then((found) => {
  byId("rules").replaceChildren(...Object.keys(found.rules).map((name) => make("option", { value: name })));
  return found;
}).catch((error) => {
  vocabulary = null;
  failed(error);
  return { predicates: {}, evidence: [], rules: {} };
}));

const check = async (text) => {
  const asked = file;
  checking?.abort();
  const mine = checking = new AbortController();
  let found;
  try {
    found = await send("/project/rules/check", { name: asked.name, text, tab: TAB }, { signal: mine.signal });
  } catch (error) {
    if (error.status !== 400) throw error;
    found = [{ line: 0, column: 0, severity: "error", kind: "limits", text: error.message }];
  }
  if (file !== asked) return null;
  byId("findings").classList.remove("busy");
  byId("findings").replaceChildren(...found.map((one) => make("li", { class: one.severity }, make("b", { text: `${SEVERITIES[one.severity] ?? one.severity} ` }),
    one.line ? make("button", { type: "button", class: "plain", text: t("line {line}: {text}", one), onclick: () => editor.go(one.line) }) : one.text)));
  return found.filter((one) => one.line);
};

/** Mark the files that are not saved. */
const mark = () => {
  for (const node of byId("own").querySelectorAll("a")) {
    const one = files.get(node.dataset.name);
    node.classList.toggle("changed", Boolean(one) && one.now !== one.text);
  }
};

const changed = () => {
  if (!own()) return;
  // What was found in the text before fades until this one is checked.
  byId("findings").classList.toggle("busy", file.now !== editor.text);
  file.now = editor.text;
  byId("status").textContent = file.now === file.text ? "" : t("not saved");
  byId("save").disabled = file.now === file.text && file.digest !== null;
  mark();
};

/** The rule at a line, for the question where it fires: by its directive, or its line in a table. */
const moved = (line) => {
  if (file.name.endsWith(".tsv")) byId("rule").value = `${file.name}:${line}`;
  for (let at = line; at > 0 && at > line - 40 && !file.name.endsWith(".tsv"); at -= 1) {
    const name = /^%@rule\s+(\w+)/.exec(editor.line(at));
    if (name) return void (byId("rule").value = name[1]);
  }
};

const follow = ({ file: name, line, text }) => (name === file.name ? editor.go(line, text) : open(name, line, text));

const define = async (name) => {
  const known = await words(), every = predicatesOf(known, name).map(([, one]) => one);
  const told = every.find((one) => one.file), made = every.flatMap((one) => one.places)[0] ?? known.rules[name];
  if (told) return follow({ file: told.file, text: `%*! ${name}` });
  if (made) return follow(made);
  const rows = editor.text.split("\n").findIndex((row) => row.startsWith(name) && !/[\w']/.test(row[name.length] ?? ""));
  if (rows >= 0) editor.go(rows + 1);
  else say(t("No rule makes {name}.", { name }));
};

const editor = makeEditor(byId("editor"), {
  check, words, changed, moved, define, follow, save: () => save(), label: (name) => t("Text of {name}", { name }),
});

/** Mark the open file among all. */
const current = () => {
  for (const one of document.querySelectorAll(".files a")) {
    one.removeAttribute("aria-current");
    if (one.dataset.name !== file?.name) continue;
    one.setAttribute("aria-current", "page");
    one.closest("details")?.setAttribute("open", "");
  }
};

const branches = (names, open) => {
  const folders = new Map();
  for (const name of names) {
    const folder = name.split("/").slice(0, -1).join("/");
    folders.set(folder, [...folders.get(folder) ?? [], name]);
  }
  return [...folders].map(([folder, some]) => {
    const list = make("ul", {}, ...some.map((name) => make("li", {}, make("a", { href: link(name), "data-name": name, text: name.split("/").pop(), title: name }))));
    return folder ? make("details", { open }, make("summary", { text: folder }), list) : list;
  });
};

const tree = async () => {
  const found = await get("/project/rules");
  if (found.state !== state) vocabulary = null;
  state = found.state;
  const names = new Set([...Object.keys(found.files), ...[...files.values()].filter((one) => one.digest === null).map((one) => one.name)]);
  byId("own").replaceChildren(...branches([...names].sort(), true).map((one) => make("li", {}, one)));
  if (!byId("shipped").childElementCount) byId("shipped").replaceChildren(...branches(found.shipped, false));
  current();
  mark();
  return found.files;
};

/** Show what is true of the open file around its text. */
const around = () => {
  byId("name").textContent = file.name;
  byId("save").hidden = byId("delete").hidden = !own() || READ_ONLY;
  byId("take").hidden = own() || !file.copy || READ_ONLY;
  byId("differ").hidden = !file.shipped;
  byId("differ").setAttribute("aria-pressed", "false");
  byId("conflict").hidden = true;
  byId("about").textContent = file.digest === null ? t("A new file: it is there once you save it.")
    : own() ? file.base ? t("It takes the place of {base}.", file) : ""
      : file.copy ? t("It came along: take it over to change it.") : t("The machine: nobody can take its place.");
  if (!own()) byId("findings").replaceChildren();
  byId("status").textContent = "";
  current();
  changed();
};

const show = (line, text) => {
  editor.show(file.name, file.now ?? file.text, { readOnly: !own() || READ_ONLY });
  around();
  if (line || text) editor.go(line, text);
};

let choices = 0;  // What was chosen last is shown, whichever file comes first.

const open = async (name, line, text) => {
  const known = files.get(name), mine = ++choices;
  let found = known;
  try {
    if (!known || (known.digest !== null && known.now === known.text)) found = await get(`/project/rules/file?name=${encodeURIComponent(name)}`);
  } catch (error) { return failed(error); }
  if (mine !== choices) return;
  file = found;
  files.set(file.name, file);
  file.now ??= file.text;
  history.replaceState(null, "", `${link(file.name)}${line ? `&line=${line}` : ""}`);
  show(line, text);
  await tree().catch(failed);
};

/** The file as it is now; null where there is none. */
const fresh = async (name) => {
  const { files: there } = await get("/project/rules");
  return name in there ? get(`/project/rules/file?name=${encodeURIComponent(name)}`) : null;
};

const conflict = (theirs) => {
  file.theirs = theirs;
  byId("conflict").hidden = false;
  editor.compare(theirs?.text ?? "");
};

const save = async () => {
  if (READ_ONLY || !own()) return;
  const saved = file, text = editor.text;
  writing = true;
  try {
    const done = await send("/project/rules/file", { name: saved.name, text, before: saved.digest }, { method: "PUT" });
    const isNew = saved.digest === null;
    Object.assign(saved, { text, digest: done.digest });
    vocabulary = null;
    say(t("{name} is saved.", saved));
    if (isNew) Object.assign(saved, await fresh(saved.name));
    if (file === saved) around();
    await tree();
    await loaded();
  } catch (error) {
    if (error.status === 409) await fresh(saved.name).then(conflict, failed);
    else failed(error);
  }
  writing = false;
};

/** Notice what other programs did to the files. */
const notice = async () => {
  const asked = file, { digest } = file ?? {};
  if (document.hidden || writing || !file || !own() || !byId("conflict").hidden) return;
  if (((await tree())[asked.name] ?? null) === digest) return;
  const now = await fresh(asked.name);
  if (file !== asked || file.digest !== digest) return;
  if (file.now !== file.text) return conflict(now);
  if (!now) return say(t("{name} was removed outside.", file));
  Object.assign(file, now);
  editor.replace(now.text);
  around();
  say(t("{name} was changed outside: this is its new text.", file));
  loaded();
};

/** Undo the last save, or redo it: files may change, come back, or go. */
const step = async (name) => {
  if (READ_ONLY || writing) return;
  writing = true;
  try {
    const { edit } = await send(`/project/rules/${name}`, {});
    vocabulary = null;
    const there = await tree();
    for (const [known, one] of files) if (one.digest && one.now === one.text && there[known] !== one.digest) files.delete(known);
    if (own() && !files.has(file.name)) await (file.name in there ? open(file.name) : start(file.base ?? "words.tsv"));
    say(edit);
    loaded();
  } catch (error) { failed(error); }
  writing = false;
};

const search = settled(async () => {
  const words = byId("wanted").value.trim(), hits = byId("hits");
  hits.hidden = !words;
  if (!words) return;
  try {
    const found = await get(`/project/rules/find?${new URLSearchParams({ words })}`);
    if (byId("wanted").value.trim() !== words) return;
    hits.replaceChildren(...found.map((one) => make("li", {}, make("button", { type: "button", class: "plain", onclick: () => follow(one) }, make("span", { text: one.text }), make("span", { class: "dim", text: `${one.file}:${one.line}` })))),
      ...(found.length ? [] : [make("li", { class: "dim", text: t("No line has all these words.") })]));
  } catch (error) { failed(error); }
}, 200);

byId("wanted").addEventListener("input", search);
byId("search").addEventListener("submit", (event) => event.preventDefault());
undoing(step);
for (const name of ["undo", "redo"]) byId(name)?.addEventListener("click", () => step(name));
byId("save").addEventListener("click", save);
byId("mine").addEventListener("click", () => {
  Object.assign(file, { digest: file.theirs?.digest ?? null });
  editor.compare(null);
  byId("conflict").hidden = true;
  save();
});
byId("theirs").addEventListener("click", () => {
  const now = file.theirs ?? { text: "", digest: null };
  Object.assign(file, now, { now: now.text });
  editor.compare(null);
  editor.replace(now.text);
  around();
});
byId("take").addEventListener("click", async () => {
  try {
    await send("/project/rules/file", { name: file.copy, text: file.text, before: null }, { method: "PUT" });
  } catch (error) {
    if (error.status !== 409) return failed(error);
    say(t("You have taken it over already: this is yours."));
  }
  open(file.copy);
});
byId("differ").addEventListener("click", () => {
  const on = byId("differ").getAttribute("aria-pressed") !== "true";
  byId("differ").setAttribute("aria-pressed", String(on));
  editor.compare(on ? file.shipped : null);
});
byId("delete").addEventListener("click", async () => {
  if (!confirm(t("Delete {name}? What was saved stays in the history.", file))) return;
  const gone = file;
  writing = true;
  try {
    if (gone.digest !== null) await send("/project/rules/file", { name: gone.name, before: gone.digest }, { method: "DELETE" });
    files.delete(gone.name);
    vocabulary = null;
    await start(gone.base ?? "words.tsv");
    say(t("{name} is deleted.", gone));
    loaded();
  } catch (error) { failed(error); }
  writing = false;
});
byId("new").addEventListener("submit", async (event) => {
  event.preventDefault();
  const name = byId("new-name").value.trim();
  if (!/\.(lp|tsv)$/.test(name)) return say(t("Its name ends in .lp, for rules, or .tsv, for words."), true);
  const mine = ++choices, there = await fresh(name).catch(failed);
  if (mine !== choices) return;
  if (there) return open(name);
  file = { name, text: "", now: "", digest: null, base: null, shipped: null };
  files.set(name, file);
  byId("new").reset();
  history.replaceState(null, "", link(name));
  show(1);
  tree().catch(failed);
});
document.querySelector(".files").addEventListener("click", (event) => {
  const chosen = event.target.closest("a");
  if (!chosen || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  open(chosen.dataset.name);
});
addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key !== "s") return;
  event.preventDefault();
  if (!byId("editor").contains(event.target)) save();
});
addEventListener("beforeunload", (event) => {
  if ([...files.values()].some((one) => one.digest !== undefined && one.now !== one.text)) event.preventDefault();
});

const marked = (tokens, chosen) => tokens.flatMap((form, at) => [at ? " " : "", chosen?.includes(at + 1) ? make("mark", { text: form }) : form]);
const fired = (one) => make("li", {},
  make("a", { href: `/try?${new URLSearchParams({ 1: one.sent1, 2: one.sent2 })}`, text: t("Pair {id}", one) }),
  ...one.fired.map((each) => make("div", {}, make("div", {}, ...marked(one.tokens1, each.tokens[0])), make("div", {}, ...marked(one.tokens2, each.tokens[1])), make("div", { class: "dim", text: each.sentence }))),
  ...one.instead.map((text) => make("div", { text: t("Without it: {text}", { text }) })));

byId("where").addEventListener("submit", async (event) => {
  event.preventDefault();
  looking?.abort();
  looking = new AbortController();
  const query = new URLSearchParams({ rule: byId("rule").value.trim(), corpus: byId("corpus").value });
  byId("stop").hidden = byId("progress").hidden = false;
  byId("progress").removeAttribute("value");
  byId("fired").replaceChildren();
  byId("verdict").textContent = "";
  try {
    await stream(`/project/rules/where?${query}`, (one) => {
      if (one.verdict === undefined) {
        byId("progress").max = one.of;
        byId("progress").value = one.done;
        if (one.fault) byId("fired").append(make("li", { text: t("Pair {id}: {fault}", one) }));
        if (one.fired) byId("fired").append(fired(one));
        return;
      }
      const worth = one.worth?.changed ? `; ${t("by gold, {right} right and {wrong} wrong decisions rest on it", one.worth)}: ${Object.entries(one.worth.f1).map(([name, by]) => `${name} ${by > 0 ? "+" : ""}${by.toFixed(4)}`).join(", ")}` : "";
      byId("verdict").textContent = `${query.get("rule")}: ${one.verdict}${worth}.`;
    }, looking.signal);
  } catch (error) {
    if (error.name !== "AbortError") byId("verdict").textContent = error.message;
  }
  byId("stop").hidden = byId("progress").hidden = true;
});
byId("stop").addEventListener("click", () => looking?.abort());

const start = async (name, line) => {
  const mine = choices;
  await tree().catch(failed);
  if (mine !== choices) return;
  const first = byId("own").querySelector("a")?.dataset.name ?? "asp/align.lp";
  await open(name === "words.tsv" && !byId("own").querySelector(`[data-name="words.tsv"]`) ? first : name ?? first, line);
  if (!file && choices === mine + 1) await open(first);
};

const query = new URLSearchParams(location.search), draft = JSON.parse(sessionStorage.getItem("draft"));
sessionStorage.removeItem("draft");
if (draft && !(await fresh(draft.name).catch(failed))) {
  files.set(draft.name, { name: draft.name, text: "", now: draft.text, digest: null, base: null, shipped: null });
  query.set("file", draft.name);
} else if (draft) say(t("There is a file {name} already.", draft), true);
await start(query.get("file") ?? undefined, Number(query.get("line")) || undefined);
setInterval(() => notice().catch(() => {}), 3000);
addEventListener("focus", () => notice().catch(failed));
