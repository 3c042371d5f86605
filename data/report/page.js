"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const form = byId("filters");
  const articles = [...document.querySelectorAll("article")];
  let cell = null;

  const make = (name, text, kind) => {
    const node = document.createElement(name);
    if (text !== undefined) node.textContent = text;
    if (kind) node.className = kind;
    return node;
  };

  const item = ([points, rule, text]) => {
    const [name, place] = data.rules[rule];
    const node = make("li");
    const sign = points === null ? "" : (points > 0 ? "+" : points < 0 ? "\u2212" : "") + Math.abs(points);
    const said = make("span", data.texts[text] + " ");
    said.append(make("code", name === place ? place : name + " " + place));
    node.append(make("span", sign, "points"), said);
    return node;
  };

  const part = (contrast) => {
    const list = make("ol");
    for (const one of contrast.reasons) list.append(item(one));
    const nodes = [make("h3", contrast.text), make("p", data.texts[contrast.sentence], "sentence"), list];
    if (contrast.more) {
      const sum = (contrast.rest < 0 ? "\u2212" : "+") + Math.abs(contrast.rest);
      nodes.push(make("p", contrast.more + " more, " + sum + " together", "more"));
    }
    return nodes;
  };

  const choose = (link) => {
    const article = link.closest("article");
    const open = link.classList.contains("open");
    for (const other of article.querySelectorAll("[data-line]")) {
      const chosen = !open && other.dataset.line === link.dataset.line;
      other.classList.toggle("open", chosen);
      if (other.hasAttribute("role")) other.setAttribute("aria-expanded", String(chosen));
    }
    const panel = article.querySelector(".rules");
    panel.hidden = open;
    if (open) return;
    const { lines } = data.pairs[article.dataset.pair];
    const line = lines[link.dataset.line];
    panel.className = "rules " + line.label;
    const parts = line.rules.flatMap(part);
    if (line.sure) parts.unshift(make("p", line.sure, "sure"));
    panel.replaceChildren(...(parts.length ? parts : [make("p", "No rules are recorded.")]));
  };

  const number = (id, otherwise) => {
    const value = byId(id).valueAsNumber;
    return Number.isNaN(value) ? otherwise : value;
  };

  const filter = () => {
    const labels = new Set([...form.querySelectorAll("[name=label]:checked")].map((box) => box.value));
    const low = number("low", 0), high = number("high", 5);
    const gold = byId("gold") ? byId("gold").value : "";
    const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    // Lines without a score, NOALI, are shown until scores are asked for.
    const scored = low > 0 || high < 5;
    let pairs = 0, links = 0;
    articles.forEach((article, index) => {
      const pair = data.pairs[index];
      const text = pair.search.toLowerCase();
      const cells = pair.cells || [];
      const inCell = ([right, ours]) => right === cell.gold && ours === cell.ours;
      const fits = pair.lines.map((line, place) =>
        labels.has(line.label)
        && (!cell || (cells.length > place && inCell(cells[place])))
        && (line.score === null ? !scored : low <= line.score && line.score <= high)
        && (!gold || (gold === "differs" ? line.gold && line.gold !== "same" : line.gold === gold)));
      // Lines that only gold has stand behind the others in the cells.
      const asked = !gold || gold === "differs" || gold === "alignment";
      const missed = pair.missed && asked && (cell ? cells.slice(fits.length).some(inCell) : gold);
      const found = fits.filter(Boolean).length;
      const shown = words.every((word) => text.includes(word))
        && (found > 0 || missed);
      article.hidden = !shown;
      if (!shown) return;
      pairs += 1;
      links += found;
      for (const link of article.querySelectorAll("[data-line]")) link.classList.toggle("faded", !fits[link.dataset.line]);
    });
    byId("count").textContent = pairs + " of " + articles.length + " pairs, " + links + " lines";
  };

  const press = (button) => {
    const pressed = button.getAttribute("aria-pressed") === "true";
    for (const other of document.querySelectorAll("#confusion [aria-pressed]")) other.setAttribute("aria-pressed", "false");
    button.setAttribute("aria-pressed", String(!pressed));
    cell = pressed ? null : button.dataset;
    filter();
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-line]");
    if (link) choose(link);
    const button = event.target.closest("#confusion button");
    if (button) press(button);
  });
  document.addEventListener("keydown", (event) => {
    const link = event.target.closest("[data-line]");
    if (link && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      choose(link);
    }
  });
  const order = () => {
    const leastFirst = byId("order") && byId("order").value === "sure";
    // A pair is as sure as its least sure line; one that nothing is known of comes last.
    const sure = (article) => data.pairs[article.dataset.pair].sure ?? 1;
    const sorted = leastFirst ? [...articles].sort((one, other) => sure(one) - sure(other)) : articles;
    document.querySelector("main").append(...sorted);
  };

  form.addEventListener("input", (event) => {
    if (event.target.id === "order") order();
    filter();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => {
    cell = null;
    for (const other of document.querySelectorAll("#confusion [aria-pressed]")) other.setAttribute("aria-pressed", "false");
    setTimeout(() => {
      order();
      filter();
    });
  });
  filter();
})();
