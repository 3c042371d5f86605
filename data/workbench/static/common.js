// What all views share: requests, nodes, messages, and why a decision was taken.

export const byId = (id) => document.getElementById(id);

const texts = JSON.parse(byId("texts")?.textContent || "{}");
/** A text in the language of the page, with values for its {names}; of "one|many" the one that fits n. */
export const t = (text, values = {}) => {
  const [one, many = one] = (texts[text] ?? text).split("|");
  return ((values.n ?? 1) === 1 ? one : many).replace(/\{(\w+)\}/g, (slot, name) => values[name] ?? slot);
};

/** A node with attributes (class, text, on…) and children. */
export const make = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "text") node.textContent = value;
    else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
};

let fading;
/** Tell something at the edge of the page; errors stay longer. */
export const say = (text, isError = false) => {
  byId("message").textContent = text;
  clearTimeout(fading);
  fading = setTimeout(() => { byId("message").textContent = ""; }, isError ? 12000 : 4000);
};

export class Refused extends Error {
  constructor(status, body) {
    super(body.error || t("The server said no."));
    this.status = status;
    this.body = body;
  }
}

const unanswered = (error) => {
  throw error.name === "AbortError" ? error : new Refused(0, { error: t("The server does not answer. Is ists-asp serve still running?") });
};
export const reach = (path, given) => fetch(path, given).catch(unanswered);

const read = async (response) => {
  const text = await response.text().catch(unanswered);
  let body;
  try { body = JSON.parse(text); } catch { body = { error: text }; }
  if (!response.ok) throw new Refused(response.status, body);
  return body;
};

export const get = async (path, signal) => read(await reach(path, { signal, headers: { accept: "application/json" } }));

/** Send a file as it is, all else as JSON. */
export const send = async (path, body, { method = "POST", signal } = {}) => read(await reach(path, {
  method, signal, headers: { "content-type": body instanceof Blob ? "application/octet-stream" : "application/json" },
  body: body instanceof Blob ? body : JSON.stringify(body),
}));

/** Show what went wrong, unless somebody has asked something newer meanwhile. */
export const failed = (error) => {
  if (error.name === "AbortError" || error.status === 409 && error.body.text === undefined) return;
  say(error.message, true);
  if (!(error instanceof Refused)) reportError(error);
};

/** Call only after nobody has called for so many milliseconds. */
export const settled = (work, wait) => {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...given), wait);
  };
};

const sentence = (text) => text.replace(/^\p{Ll}/u, (first) => first.toUpperCase());
const points = (value, digits = 0) => (value > 0 ? "+" : value < 0 ? "−" : "") + Math.abs(value).toFixed(digits);
// Outside the workbench there is no page of rules to go to.
export const place = (rule) => {
  if (!rule) return null;
  const where = `${rule.file}:${rule.line}`, text = rule.name === where ? where : `${rule.name} ${where}`;
  const href = document.body.dataset.view && `/rules?file=${encodeURIComponent(rule.file)}&line=${rule.line}`;
  return make(href ? "a" : "code", { href, class: "code", text });
};

const reason = (digits) => (one, _, all) => {
  const bar = make("span", { class: `weighs ${one.points < 0 ? "less" : ""}` });
  bar.style.width = `${6 * Math.abs(one.points ?? 0) / Math.max(...all.map((each) => Math.abs(each.points ?? 0)), 1)}rem`;
  return make("li", {},
    make("span", { class: "points", text: one.points === undefined ? "" : points(one.points / 10 ** digits, digits) }),
    one.points === undefined ? null : make("span", { class: "bars" }, bar), make("span", { text: `${one.sentence} ` }), place(one.rule));
};

const branch = (one) => make("li", {},
  make("span", { text: `${one.text ?? ""} ` }), one.rule ? make("code", { text: one.rule }) : null,
  one.below?.length ? make("ol", {}, ...one.below.map(branch)) : null);

/** Nodes that say why decisions were taken: one sentence first, the rest on demand. */
export const whyNodes = (found) => {
  const nodes = [];
  if (found.decision !== undefined) {
    const { text, below } = found.tree, first = below.find((one) => !one.below.length);
    const [verdict, told = first?.text] = text.slice(found.decision.length).split(/\. (.*)/s);
    nodes.push(make("h3", { text: found.decision + verdict }));
    if (told) nodes.push(make("p", { class: "sentence", text: sentence(told) }));
    const rest = below.filter((one) => one.text !== told);
    if (rest.length) nodes.push(make("details", {}, make("summary", { class: "dim", text: t("The rules") }), make("ol", { class: "tree" }, ...rest.map(branch))));
    return nodes;
  }
  found.decisions.forEach((one, number) => {
    const reasons = [...(one.pros || []), ...(one.cons || [])].sort((a, b) => Math.abs(b.points) - Math.abs(a.points));
    nodes.push(make("h3", { text: sentence(one.text) }), make("p", { class: "sentence", text: sentence(one.sentence) }));
    // A rating is counted in hundredths of a point.
    const digits = one.kind === "rating" ? 2 : 0;
    const all = reasons.length ? reasons : one.because || [];
    const lead = one.by === undefined || one.by === null ? null : make("p", { class: "dim", text: t("{points} ahead of: {second}", { points: points(one.by), second: one.runner_up }) });
    if (all.length) nodes.push(make("details", { open: one.kind === "rating" },
      make("summary", { class: "dim", text: one.kind === "rating" ? t("What made it") : t("The rules") }), lead,
      make("ol", {}, ...all.map(reason(digits))), one.more ? make("p", { class: "dim", text: t("{n} more, {points} together", { n: one.more, points: points(one.rest / 10 ** digits, digits) }) }) : null));
  });
  for (const one of found.restraints || []) nodes.push(make("p", { text: `${t("A hard rule or constraint: {sentence}", one)} ` }, place(one.rule)));
  for (const one of [...(found.absent || []), ...(found.atoms || [])]) nodes.push(make("ol", { class: "tree" }, branch(one)));
  return nodes;
};

/** The line of an answer as ists-asp why takes it. */
export const decisionOf = (line) => `${line.tokens1.join(" ") || 0} <==> ${line.tokens2.join(" ") || 0}`;

/**
 * Let people choose lines of a picture, and draw from a chunk to another.
 * `choose(line)` gets the number of a line; `join(tokens1, tokens2)` tokens of both sentences.
 */
export const live = (holder, { choose, join }) => {
  const svg = () => holder.querySelector("svg");
  let from = null, ribbon = null, held = null;

  // The lines of the link that the mouse or the keyboard is at stand out where they cross others.
  const single = ({ type, target }) => {
    const line = type === "pointerleave" || type === "focusout" ? undefined : target.closest?.("[data-line]")?.dataset.line;
    const pair = target.closest?.("article") ?? holder;
    for (const one of holder.querySelectorAll(".link")) one.classList.toggle("far", line !== undefined && one.dataset.line !== line && pair.contains(one));
  };
  for (const type of ["pointerover", "pointerleave", "focusin", "focusout"]) holder.addEventListener(type, single);

  const end = () => {
    ribbon?.remove();
    from = ribbon = null;
  };
  const joined = (one, other) => {
    if (!one || !other || one.dataset.side === other.dataset.side) return false;
    const [first, second] = one.dataset.side === "1" ? [one, other] : [other, one];
    join(first.dataset.tokens, second.dataset.tokens);
    return true;
  };
  const place = (event) => {
    const box = svg().getBoundingClientRect(), view = svg().viewBox.baseVal;
    return [(event.clientX - box.left) * view.width / box.width, (event.clientY - box.top) * view.height / box.height];
  };
  holder.addEventListener("pointerdown", (event) => {
    const chunk = event.target.closest("[data-side]");
    if (!chunk || !join) return;
    event.preventDefault();
    from = { chunk, at: place(event) };
  });
  holder.addEventListener("pointermove", (event) => {
    if (!from) return;
    const [x, y] = place(event), [left, top] = from.at;
    if (!ribbon && Math.hypot(x - left, y - top) < 8) return;
    if (!ribbon) {
      ribbon = document.createElementNS("http://www.w3.org/2000/svg", "path");
      ribbon.setAttribute("class", "drag");
      svg().append(ribbon);
    }
    ribbon.setAttribute("d", `M${left} ${top}L${x} ${y}`);
  });
  addEventListener("pointerup", (event) => {
    if (!from) return;
    const start = from.chunk, dragged = ribbon;
    end();
    if (!dragged) {
      if (start.dataset.line !== undefined) choose(Number(start.dataset.line), start);
      return;
    }
    joined(start, document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-side]"));
  });
  addEventListener("pointercancel", end);
  holder.addEventListener("click", (event) => {
    const link = event.target.closest(join ? ".link[data-line]" : "[data-line]");
    if (link) choose(Number(link.dataset.line), link);
  });
  holder.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      held?.classList.remove("chosen");
      held = null;
    }
    if (event.key !== "Enter" && event.key !== " ") return;
    const node = event.target.closest("[data-side],[data-line]");
    if (!node) return;
    event.preventDefault();
    if (join && node.dataset.side) {
      if (held && held.dataset.side !== node.dataset.side) {
        held.classList.remove("chosen");
        joined(held, node);
        held = null;
        return;
      }
      held?.classList.remove("chosen");
      held = held === node ? null : node;
      held?.classList.add("chosen");
    }
    if (node.dataset.line !== undefined) choose(Number(node.dataset.line), node);
  });
};

/** Say on every page if the rules that are saved cannot be loaded. */
export const loaded = async () => {
  const told = byId("unloaded");
  if (!told) return;
  try {
    const { fault } = await get("/project/rules/loaded");
    told.hidden = !fault;
    told.replaceChildren(...(fault ? [t("Pairs are decided as before, for these rules cannot be loaded: {fault}", { fault }), " ", make("a", { href: "/rules", text: t("Rules") })] : []));
  } catch (error) { failed(error); }
};
if (document.body.dataset.view) loaded();

/** Put a picture, which the server made and escaped, in its place, and a list of its links beside it. */
export const draw = (holder, text) => {
  const picture = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  for (const chunk of picture.querySelectorAll("[data-side]:not([tabindex])")) {
    chunk.setAttribute("tabindex", "0");
    chunk.setAttribute("role", "button");
    chunk.setAttribute("aria-label", chunk.textContent);
  }
  const links = [...picture.querySelectorAll(".link[role]")].map((link) => {
    const { line } = link.dataset, tone = link.classList[1], label = link.getAttribute("aria-label"), mark = link.querySelector("text").textContent;
    const [one, other] = label.split(` ${mark} `).map((words) => make("span", { text: words.slice(1, -1) }));
    return make("li", {}, make("button", { type: "button", class: `link ${tone}`, "data-line": line }, one, " ", make("b", { text: mark }), " ", other));
  });
  // On a phone it shrinks as far as it can be read, and scrolls then.
  picture.style.minWidth = `${0.56 * picture.getAttribute("width")}px`;
  holder.replaceChildren(document.importNode(picture, true), ...(links.length ? [make("ol", { class: "links" }, ...links)] : []));
};

const inField = (event) => event.target.closest?.("input,select,textarea,.cm-editor");

/** Undo and redo by keys; a field in which something was typed has its own. */
export const undoing = (work) => addEventListener("keydown", (event) => {
  const key = event.key.toLowerCase(), again = key === "y" || (key === "z" && event.shiftKey), field = inField(event);
  if (!(event.ctrlKey || event.metaKey) || event.altKey || (key !== "z" && !again)) return;
  if (field && !(field.matches("input") && field.value === field.defaultValue)) return;
  event.preventDefault();
  work(again ? "redo" : "undo");
});

const KEYS = { Control: "Ctrl", Shift: "⇧", Delete: "⌦", Enter: t("Enter"), ArrowLeft: "←", ArrowRight: "→" };
const keys = () => {
  const rows = [...document.querySelectorAll("main [aria-keyshortcuts]")].filter((one) => one.checkVisibility()).map((one) => {
    const shown = [...one.childNodes].filter((node) => node.nodeName !== "KBD").map((node) => node.textContent).join("").trim();
    const names = one.getAttribute("aria-keyshortcuts").split(" ").map((all) => make("kbd", { text: all.split("+").map((key, at) => KEYS[key] ?? (at ? key.toUpperCase() : key)).join("-") }));
    return make("div", {}, make("dt", {}, ...names.flatMap((name, at) => (at ? [" ", name] : [name]))), make("dd", { text: one.ariaLabel || shown }));
  });
  const always = [["Tab", t("to what comes next; Shift-Tab back")], [t("Enter"), t("does what is in focus")], ["?", t("these keys")]];
  byId("shortcuts").querySelector("dl").replaceChildren(...rows, ...always.map(([key, told]) => make("div", {}, make("dt", {}, make("kbd", { text: key })), make("dd", { text: told }))));
  byId("shortcuts").showModal();
};
byId("show-keys")?.addEventListener("click", keys);
addEventListener("keydown", (event) => {
  if (event.key !== "?" || event.ctrlKey || event.metaKey || inField(event) || !byId("show-keys")) return;
  event.preventDefault();
  keys();
});

/** A file for the user, made here. */
export const download = (name, text, kind) => {
  const address = URL.createObjectURL(new Blob([text], { type: kind }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
};
