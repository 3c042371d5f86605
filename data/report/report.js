// A report: pairs as pictures, found by filters, sorted, fifty at a time; in one file or served.

import { byId, download, live, make, t, whyNodes } from "/static/common.js";

const SIZE = 50;
const DOUBT = 0.5;
const MEANINGS = {
  EQUI: t("equivalent"), OPPO: t("opposite"), SPE1: t("the first is more specific"), SPE2: t("the second is more specific"),
  SIMI: t("similar"), REL: t("related"), NOALI: t("no counterpart"), ALIC: t("counterpart aligned elsewhere"),
};
const AGAINST = ["gold", "other"];
const VERDICTS = {
  differs: t("differs"), alignment: t("other alignment"), label: t("other label"), tag: t("other tag"), score: t("other score"), same: t("same"),
};
const marksHidden = (n) => t("{n} punctuation mark hidden|{n} punctuation marks hidden", { n });
const least = (values) => values.reduce((one, other) => Math.min(one, other), Infinity);

/** An SVG as text, if need be as a file: in light colours, with its style and a title, not to be chosen. */
const paper = (picture, title, style) => {
  const copy = picture.cloneNode(true);
  for (const node of copy.querySelectorAll("*")) {
    node.classList.remove("open", "faded");
    for (const { name } of [...node.attributes]) if (/^(data-|aria-|role|tabindex)/.test(name)) node.removeAttribute(name);
  }
  copy.setAttribute("role", "img");
  copy.setAttribute("font-family", "Helvetica, Arial, sans-serif");
  const parts = Object.entries({ title, style }).map(([name, text]) => {
    const node = document.createElementNS(copy.namespaceURI, name);
    node.textContent = text;
    return node;
  });
  copy.prepend(...parts);
  return new XMLSerializer().serializeToString(copy);
};

/** A table as text; no program for sheets is to take a cell for a formula. */
export const table = (rows) => rows.map((row) => row.map((cell) => {
  const text = typeof cell === "string" && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : String(cell ?? "");
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}).join(",") + "\r\n").join("");

const choice = (name, called, options) => make("label", {}, called,
  make("select", { name }, ...Object.entries(options).map(([value, text]) => make("option", { value, text }))));

/**
 * Show a report inside a node. `detail(number)` gets what is drawn of a pair, `why(number, line)` why a line is so, null
 * where nobody knows, and `wrong(pair, line)` a node for what should hold instead, where rules can be changed.
 */
export const showReport = (root, data, { detail, why, wrong }) => {
  const { pairs, against } = data;
  const gold = against.indexOf("gold"), names = Object.keys(MEANINGS);
  const used = names.filter((label) => pairs.some((pair) => pair.lines.some((line) => line[0] === label)));
  // The names of controls, and of parameters of the address: gold, and other for a second system.
  const asked = against.map((name) => (name === "gold" ? AGAINST[0] : AGAINST[1]));
  const nodes = new Map();
  let query = new URLSearchParams(location.search), order = [], fits = [], page = 0;

  const of = (pair, key) => ({
    rating: () => -(pair.rating?.[0] ?? -Infinity),
    "-rating": () => pair.rating?.[0] ?? Infinity,
    unsure: () => least(pair.lines.filter(seen).map((line) => line[2] ?? Infinity)),
    worst: () => pair.f1?.[0]?.[3] ?? Infinity,
    different: () => -differing(pair, against.length - 1),
  })[key]();
  const sorts = {
    "": t("as given"),
    ...(pairs.some((pair) => pair.rating) && { rating: t("highest rating first"), "-rating": t("lowest rating first") }),
    ...(pairs.some((pair) => pair.lines.some((line) => line[2] !== null)) && { unsure: t("unsure first") }),
    ...(gold >= 0 && { worst: t("worst F1 first") }),
    ...(asked.includes("other") && { different: t("most different first") }),
  };
  const differing = (pair, at) => (pair.against[at] ?? []).filter((one) => one[2] !== "same").length;

  const form = make("form", { "aria-label": t("Filters") },
    make("fieldset", {}, make("legend", { text: t("Labels") }), ...used.map((label) => make("label", { class: `key ${label}`, title: MEANINGS[label] },
      make("input", { type: "checkbox", name: "label", value: label, checked: true }), make("b", { text: label }), make("span", { class: "dim" })))),
    make("label", {}, `${t("Words")} `, make("input", { name: "q", type: "search", placeholder: t("words or id") })),
    make("label", {}, `${t("Score")} `, make("input", { name: "from", type: "number", min: 0, max: 5, step: 0.5, value: 0 }),
      ` ${t("to")} `, make("input", { name: "to", type: "number", min: 0, max: 5, step: 0.5, value: 5, "aria-label": t("Score to") })),
    ...against.map((name, at) => choice(asked[at], `${t("Against {name}", { name })} `, { "": t("any"), ...VERDICTS })),
    choice("sort", `${t("Order")} `, sorts),
    make("label", {}, make("input", { name: "punctuation", type: "checkbox", value: "1" }), t("Punctuation")),
    make("button", { type: "reset", text: t("All") }),
    make("button", { type: "button", text: t("Table as CSV"), onclick: () => download("report.csv", table(rows()), "text/csv") }));
  const box = make("details", { class: "filters", open: matchMedia("(min-width: 48rem)").matches },
    make("summary", {}, `${t("Filters")} `, make("output", { id: "count", "aria-live": "polite" })), form);
  const list = make("div", { id: "pairs" });
  const turn = (step) => make("button", { type: "button", text: step < 0 ? t("Previous") : t("Next"), onclick: () => open(page + step) });
  const pager = make("nav", { class: "row", "aria-label": t("Pages") }, turn(-1), make("span"), turn(1));
  const confusion = make("details", { id: "confusion", hidden: !against.length }, make("summary", { text: t("Labels: {name} against these answers", { name: against[0] }) }),
    make("p", { class: "dim", text: t("Rows: {name}; columns: these answers; none: the other has no line with these tokens. A cell shows its pairs.", { name: against[0] }) }), make("div", { class: "scroll" }));
  root.replaceChildren(
    data.f1.length ? make("div", { class: "scroll" }, make("table", { id: "f1" }, make("tr", {}, make("th", { text: "F1" }), ...data.measures.map((name) => make("th", { class: "number", text: name }))),
      ...data.f1.map(([name, values]) => make("tr", {}, make("td", { text: name === "these answers" ? t("these answers") : name }), ...values.map((value) => make("td", { class: "number", text: value.toFixed(4) })))))) : "",
    make("details", { class: "dim" }, make("summary", { text: t("What the labels mean; keys") }), make("p", { text: `${used.map((label) => `${label}: ${MEANINGS[label]}`).join("; ")}. ${t("A ? stands where it is more likely wrong than right.")}` }),
      make("p", { text: t("j and k go to the next and the previous pair, Enter opens its least sure line.") })),
    confusion, box, list, pager, make("p", { class: "dim", text: data.madeBy }));

  const value = (name) => form.elements[name]?.value ?? "";
  const folded = () => !form.elements.punctuation.checked;
  const seen = (line) => !line[3] || !folded();

  // What is asked for stands in the address, so that it can be sent.
  const remember = () => {
    const labels = used.filter((_, at) => form.querySelectorAll("[name=label]")[at].checked);
    const now = {
      labels: labels.length < used.length ? labels.join() || "none" : "", q: value("q"), from: value("from") === "0" ? "" : value("from"),
      to: value("to") === "5" ? "" : value("to"), sort: value("sort"), punctuation: folded() ? "" : "1",
      ...Object.fromEntries(asked.map((name) => [name, value(name)])), cell: query.get("cell") ?? "", page: page ? String(page + 1) : "",
    };
    for (const [name, text] of Object.entries(now)) text ? query.set(name, text) : query.delete(name);
    history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}${location.hash}`);
  };
  const recall = () => {
    const labels = query.get("labels")?.split(",");
    for (const each of form.querySelectorAll("[name=label]")) each.checked = !labels || labels.includes(each.value);
    for (const name of ["q", "from", "to", "sort", ...asked]) if (query.get(name) && form.elements[name]) form.elements[name].value = query.get(name);
    form.elements.punctuation.checked = query.has("punctuation");
    page = Math.max(0, Number(query.get("page") ?? 1) - 1 || 0);
  };

  const filter = () => {
    const labels = new Set([...form.querySelectorAll("[name=label]:checked")].map((each) => each.value));
    const [low, high] = [["from", 0], ["to", 5]].map(([name, otherwise]) => (value(name) === "" ? otherwise : Number(value(name))));
    const words = value("q").toLowerCase().split(/\s+/).filter(Boolean);
    const [theirs, ours] = query.get("cell")?.split(",") ?? [];
    const wanted = asked.map(value), counts = Object.fromEntries(used.map((label) => [label, 0]));
    // Lines without a score, NOALI, are shown until scores are asked for.
    const scored = low > 0 || high < 5;
    const fit = (one, at) => {
      if (at === 0 && theirs && (one?.[0] !== theirs || one[1] !== ours)) return false;
      return !wanted[at] || (one !== undefined && (wanted[at] === "differs" ? one[2] !== "same" : one[2] === wanted[at]));
    };
    let lines = 0, hidden = 0;
    const found = pairs.map((pair) => {
      const size = pair.lines.length;
      const fitting = pair.lines.map((line, number) => {
        if (!seen(line)) return false;
        counts[line[0]] += 1;
        return labels.has(line[0]) && (line[1] === null ? !scored : low <= line[1] && line[1] <= high)
          && asked.every((_, at) => fit(pair.against[at]?.[number], at));
      });
      // What only another has stands behind our lines.
      const missed = (theirs || wanted.some(Boolean)) && asked.some((_, at) => (wanted[at] || (theirs && at === 0))
        && (pair.against[at] ?? []).slice(size).some((one) => (!one[3] || !folded()) && fit(one, at)));
      const text = pair.text ??= [pair.id, pair.one, pair.two, pair.words].join("\n").toLowerCase();
      const shown = words.every((word) => text.includes(word)) && (missed || fitting.some(Boolean) || (!size && !wanted.some(Boolean) && !theirs));
      if (shown) {
        lines += fitting.filter(Boolean).length;
        hidden += folded() ? pair.marks : 0;
      }
      return shown && fitting;
    });
    fits = found;
    order = found.flatMap((shown, number) => (shown ? [number] : []));
    if (value("sort")) {
      const keys = pairs.map((pair) => of(pair, value("sort")));
      order.sort((one, other) => (keys[one] === keys[other] ? one - other : keys[one] - keys[other]));
    }
    byId("count").textContent = `${t("{shown} of {n} pair|{shown} of {n} pairs", { shown: order.length, n: pairs.length })}, ${t("{n} line|{n} lines", { n: lines })}${hidden ? `; ${marksHidden(hidden)}` : ""}`;
    form.querySelectorAll(".key span").forEach((node, at) => { node.textContent = counts[used[at]]; });
    page = Math.min(page, Math.max(0, Math.ceil(order.length / SIZE) - 1));
    for (const each of confusion.querySelectorAll("[data-gold]")) each.setAttribute("aria-pressed", String(each.dataset.gold === theirs && each.dataset.ours === ours));
    turnTo();
  };

  const tell = (pair) => [
    pair.rating && make("span", { text: `${t("rated")} ${pair.rating[0].toFixed(1)}${pair.rating[1] === null ? "" : ` ± ${pair.rating[1].toFixed(1)}`}` }),
    ...(pair.f1 ?? []).map((values, at) => make("span", { text: `${at ? `${against.at(-1)}: ` : ""}F1 ${values.map((each, which) => `${data.measures[which]} ${each.toFixed(2)}`).join(" · ")}` })),
    ...pair.against.map((cells, at) => cells && make("span", { text: differing(pair, at) ? t("{n} line other than in {name}|{n} lines other than in {name}", { n: differing(pair, at), name: against[at] }) : t("as in {name}", { name: against[at] }) })),
    folded() && pair.marks ? make("span", { class: "marks", text: marksHidden(pair.marks) }) : null,
  ].filter(Boolean);

  const draw = (text) => {
    const picture = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    // A picture in which nothing can be focused is scrolled by keyboard itself.
    const still = picture.querySelector("[tabindex]") ? undefined : "0";
    return make("div", { class: "scroll", tabindex: still }, document.importNode(picture, true));
  };
  const drawn = (found) => draw(folded() ? found.picture : found.full ?? found.picture);

  const article = (number) => {
    const pair = pairs[number];
    const node = make("article", { id: `pair-${pair.id}`, tabindex: -1, "data-pair": number, "aria-label": t("Pair {id}", pair) },
      make("h2", {}, make("a", { href: `#pair-${encodeURIComponent(pair.id)}`, text: t("Pair {id}", pair) })),
      make("p", { class: "facts dim" }, ...tell(pair)), pair.words ? make("p", { class: "words", text: pair.words }) : null,
      make("div", { class: "scroll waiting" }), make("div", { class: "rules", role: "region", "aria-label": t("Why"), hidden: true }));
    return node;
  };

  const fill = async (node) => {
    const number = Number(node.dataset.pair), pair = pairs[number];
    node.filled = true;
    try {
      const found = node.detail = await detail(number);
      node.querySelector(".waiting").replaceWith(drawn(found));
      node.append(...found.against.flatMap((one, at) => (one?.told.length ? [different(one, at)] : [])), make("button", { type: "button", class: "small", text: t("Picture as SVG"),
        onclick: () => download(`pair-${pair.id}.svg`, paper(node.querySelector("svg"), `${pair.one} / ${pair.two}`, data.paper), "image/svg+xml") }));
      fade(node);
    } catch (error) { node.querySelector(".waiting").replaceChildren(error.message); }
  };
  // Another answer is drawn when somebody looks at it.
  const different = (one, at) => make("details", { class: asked[at], open: asked[at] === "other",
    ontoggle: ({ target }) => { if (target.open && !target.querySelector("svg")) target.firstElementChild.after(drawn(one)); } },
  make("summary", { text: t("Differs from {name}", { name: against[at] }) }), make("ul", {}, ...one.told.map((text) => make("li", { text }))));

  const fade = (node) => {
    const fitting = fits[node.dataset.pair] || [];
    for (const link of node.querySelectorAll("[data-line]")) link.classList.toggle("faded", !fitting[link.dataset.line]);
  };

  // One after the other, so that the first are there at once; until others are asked for.
  const fillAll = async (some) => {
    for (const node of some) {
      if (node.isConnected && !node.filled) await fill(node);
    }
  };

  const turnTo = () => {
    const from = page * SIZE, some = order.slice(from, from + SIZE);
    list.replaceChildren(...some.map((number) => {
      const known = nodes.get(number) ?? article(number);
      nodes.set(number, known);
      fade(known);
      return known;
    }));
    fillAll([...list.children]);
    // Those that were looked at longest ago make room.
    for (const number of [...nodes.keys()].slice(0, -10 * SIZE)) nodes.delete(number);
    const [back, told, forth] = pager.children;
    told.textContent = some.length ? t("{from} to {to} of {all}", { from: from + 1, to: from + some.length, all: order.length }) : t("No pair is like that.");
    back.disabled = !page;
    forth.disabled = from + SIZE >= order.length;
    remember();
  };
  const open = (which, last = false) => {
    page = which;
    turnTo();
    go(last ? list.lastElementChild : list.firstElementChild);
  };
  const go = (node) => {
    if (!node) return;
    root.style.setProperty("--top", `${box.offsetHeight + 8}px`);
    node.scrollIntoView();
    node.focus({ preventScroll: true });
  };
  const goTo = (id) => {
    const number = pairs.findIndex((pair) => pair.id === id);
    if (number < 0) return;
    if (!order.includes(number)) clear();
    page = Math.floor(order.indexOf(number) / SIZE);
    turnTo();
    go(nodes.get(number));
  };

  const rows = () => {
    const named = data.f1.flatMap(([name]) => data.measures.map((measure) => `${measure} of ${name}`));
    const head = ["id", "sentence1", "sentence2", "rating", "margin", ...named, ...against.map((name) => `lines other than in ${name}`), ...used, "unsure", "explanation"];
    return [head, ...order.map((number) => {
      const pair = pairs[number];
      return [pair.id, pair.one, pair.two, pair.rating?.[0], pair.rating?.[1], ...named.map((_, at) => pair.f1?.flat()[at]), ...against.map((_, at) => pair.against[at] && differing(pair, at)),
        ...used.map((label) => pair.lines.filter((line) => line[0] === label).length), pair.lines.filter((line) => line[2] !== null && line[2] < DOUBT).length, pair.words];
    })];
  };

  const confuse = () => {
    const cells = {}, met = new Set();
    for (const one of pairs.flatMap((pair) => pair.against[0] ?? [])) {
      if (one[3] && folded()) continue;
      cells[one.slice(0, 2)] = (cells[one.slice(0, 2)] ?? 0) + 1;
      met.add(one[0]).add(one[1]);
    }
    const sorted = [...names, "none"].filter((name) => met.has(name));
    const cell = (theirs, ours) => make("td", {}, cells[[theirs, ours]] ? make("button", { type: "button", "data-gold": theirs, "data-ours": ours, "aria-pressed": "false",
      title: t("{name} {theirs}, here {ours}", { name: against[0], theirs, ours }), text: cells[[theirs, ours]] }) : "");
    confusion.lastElementChild.replaceChildren(make("table", {}, make("tr", {}, make("td"), ...sorted.map((text) => make("th", { scope: "col", text }))),
      ...sorted.map((theirs) => make("tr", {}, make("th", { scope: "row", text: theirs }), ...sorted.map((ours) => cell(theirs, ours))))));
  };
  confusion.addEventListener("click", ({ target }) => {
    if (!target.dataset.gold) return;
    target.getAttribute("aria-pressed") === "true" ? query.delete("cell") : query.set("cell", `${target.dataset.gold},${target.dataset.ours}`);
    filter();
  });

  const choose = async (line, link) => {
    const node = link.closest("article"), number = Number(node.dataset.pair), panel = node.querySelector(".rules"), was = link.classList.contains("open");
    for (const other of node.querySelectorAll("[data-line]")) {
      const chosen = !was && Number(other.dataset.line) === line;
      other.classList.toggle("open", chosen);
      if (other.hasAttribute("role")) other.setAttribute("aria-expanded", String(chosen));
    }
    panel.hidden = was;
    if (was) return;
    panel.className = `rules ${pairs[number].lines[line][0]}`;
    panel.replaceChildren();  // The reasons of another link never stand under this one.
    let lineOf = null, parts = [make("p", { text: t("No reasons are recorded: this answer was given, not decided here.") })];
    try {
      const found = await why(number, line);
      lineOf = found?.line;
      if (found) {
        // First one sentence; the reasons on demand.
        const first = found.decisions.find((one) => one.kind === "label") ?? found.decisions[0];
        const reasons = whyNodes(found);
        for (const each of reasons) if (each.tagName === "DETAILS") each.open = true;
        parts = first ? [make("p", { class: "lead", text: first.sentence }), make("details", {}, make("summary", { text: t("The reasons") }), ...reasons)]
          : [make("p", { text: t("No rules are recorded.") })];
      }
    } catch (error) { parts = [make("p", { text: error.message })]; }
    if (!link.classList.contains("open")) return;  // Another was chosen meanwhile.
    const told = node.detail.sure[line];
    if (wrong && lineOf) parts.push(make("button", { type: "button", text: t("This is wrong"), onclick: () => panel.after(wrong(pairs[number], lineOf)) }));
    if (told) parts.splice(1, 0, make("p", { class: "dim sure", text: t("How sure: {told}", { told }) }));
    panel.replaceChildren(...parts);
  };
  live(list, { choose });

  const clear = () => {
    form.reset();
    query.delete("cell");
    page = 0;
    nodes.clear();
    confuse();
    filter();
  };
  form.addEventListener("input", ({ target }) => {
    page = 0;
    if (target.name === "punctuation") {
      nodes.clear();
      confuse();
    }
    filter();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.querySelector("[type=reset]").addEventListener("click", (event) => {
    event.preventDefault();
    clear();
  });

  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input,select,textarea")) return;
    const at = target.closest("article");
    if (key === "Enter" && target === at) {
      const sure = pairs[at.dataset.pair].lines.map((line, number) => [line[2] ?? 1, number]).filter(([, number]) => at.querySelector(`[data-line="${number}"][role=button]`));
      sure.sort((one, other) => one[0] - other[0]);
      if (sure.length) choose(sure[0][1], at.querySelector(`[data-line="${sure[0][1]}"][role=button]`));
    }
    if (key !== "j" && key !== "k") return;
    const next = at ? (key === "j" ? at.nextElementSibling : at.previousElementSibling) : list.firstElementChild;
    if (next) go(next);
    else if (key === "j" && !pager.lastElementChild.disabled) open(page + 1);
    else if (key === "k" && page) open(page - 1, true);
  });
  const followed = () => { if (location.hash.startsWith("#pair-")) goTo(decodeURIComponent(location.hash.slice(6))); };
  addEventListener("hashchange", followed);

  recall();
  confuse();
  filter();
  const wanted = query.get("id");
  query.delete("id");
  if (wanted !== null) goTo(wanted);
  else followed();
};
