// The editor of rule files: colours, findings, names to choose from, what they mean, where they are made.
import { make, t } from "./common.js";
import { colours, nameAt } from "./clingo.js";
import {
  autocompletion, bracketMatching, closeBrackets, closeBracketsKeymap, Compartment, completionKeymap,
  defaultKeymap, drawSelection, EditorState, EditorView, highlightActiveLine, highlightActiveLineGutter,
  highlightSelectionMatches, history, historyKeymap, hoverTooltip, indentUnit, keymap, linter, lintGutter,
  lintKeymap, lineNumbers, search, searchKeymap, unifiedMergeView,
} from "./vendor/codemirror.js";

const nonce = document.querySelector("meta[name=csp-nonce]").content;
const SEVERITY = { error: "error", warning: "warning", note: "info" };

/** Where a finding is, from its line and column, which count characters from 1. */
const span = (text, { line, column }) => {
  const row = text.line(Math.min(Math.max(line, 1), text.lines));
  const before = Array.from(row.text.slice(0, 2 * column)).slice(0, Math.max(column - 1, 0)).join("").length;
  const from = row.from + Math.min(before, row.length);
  return { from, to: from + (/^[\w']+|^./.exec(row.text.slice(before, before + 200))?.[0].length ?? 0) };
};

/** The predicates of a name, whatever their arity. */
export const predicatesOf = (words, name) => Object.entries(words.predicates).filter(([key]) => key.slice(0, key.lastIndexOf("/")) === name);

const told = (key, one, follow) => make("div", { class: "told-word" },
  make("code", { text: one.signature ?? key }),
  one.text ? make("p", { text: one.text }) : null,
  one.arguments?.length ? make("dl", {}, ...one.arguments.flatMap(([name, what]) => [make("dt", { text: name }), make("dd", { text: what })])) : null,
  make("p", { class: "dim" }, one.places.length ? `${t("made at")} ` : t("given"), ...one.places.slice(0, 5).flatMap((place, number) => [number ? ", " : "",
    make("button", { type: "button", class: "plain", text: `${place.file}:${place.line}`, onclick: () => follow(place) })]),
  one.places.length > 5 ? ` ${t("and {n} more places", { n: one.places.length - 5 })}` : ""));

/**
 * An editor in a holder. `check(text)` gets findings, `words()` the vocabulary; `save`, `changed(text)`,
 * `moved(line)` and `define(name)` are told of what people do, and `follow(place)` opens a place.
 */
export const makeEditor = (holder, { check, words, save, changed, moved, define, follow, label }) => {
  const compared = new Compartment();
  let view, known = [];

  const lint = linter(async (at) => {
    const found = await check(at.state.doc.toString()).catch(() => null);
    if (found) known = found.map((one) => ({ ...span(at.state.doc, one), severity: SEVERITY[one.severity], message: `${one.text} [${one.kind}]` }));
    return known.filter((one) => one.to <= at.state.doc.length);
  }, { delay: 500 });

  const complete = async (context) => {
    const word = context.matchBefore(/[\w']+/), line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    if (!word && !context.explicit || /(^|[^"])%/.test(before) || before.split('"').length % 2 === 0) return null;
    const { predicates, evidence } = await words();
    const local = new Set(context.state.doc.sliceString(0, 200000).match(/(?<![\w'"])_+[a-z][\w']*/g) ?? []);
    return {
      from: word?.from ?? context.pos,
      validFor: /^[\w']*$/,
      options: [
        ...Object.entries(predicates).map(([key, one]) => ({ label: key.split("/")[0], detail: `/${key.split("/")[1]}`, type: "function", info: one.text, boost: one.text ? 1 : 0 })),
        ...evidence.map((name) => ({ label: name, detail: t("evidence"), type: "constant" })),
        ...[...local].map((name) => ({ label: name, detail: t("of this file"), type: "variable" })),
      ],
    };
  };

  const hover = hoverTooltip(async (at, pos) => {
    const line = at.state.doc.lineAt(pos), found = nameAt(line.text, pos - line.from);
    if (!found) return null;
    const known = await words(), every = predicatesOf(known, found.name), rule = known.rules[found.name];
    if (!every.length && !rule) return null;
    const nodes = every.map(([key, one]) => told(key, one, follow));
    if (rule) nodes.push(told(found.name, { text: rule.sentence, places: [rule] }, follow));
    return { pos: line.from + found.begin, end: line.from + found.end, above: true, create: () => ({ dom: make("div", { class: "told-words" }, ...nodes) }) };
  });

  const defineAt = (pos) => {
    const line = view.state.doc.lineAt(pos), found = nameAt(line.text, pos - line.from);
    if (found) define(found.name);
    return Boolean(found);
  };

  const extensions = (name, readOnly, behind) => [
    EditorView.cspNonce.of(nonce),
    lineNumbers(), highlightActiveLineGutter(), history(), drawSelection(), bracketMatching(), closeBrackets(),
    highlightActiveLine(), highlightSelectionMatches(), search({ top: true }), indentUnit.of("    "),
    EditorView.lineWrapping, colours(name), hover,
    autocompletion({ override: name.endsWith(".tsv") ? [] : [complete] }),
    readOnly ? [EditorState.readOnly.of(true)] : [lint, lintGutter()],
    EditorView.contentAttributes.of({ "aria-label": label(name) }),
    keymap.of([
      { key: "Mod-s", run: () => (save(), true), preventDefault: true },
      { key: "F12", run: (at) => defineAt(at.state.selection.main.head) },
      ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap,
    ]),
    EditorView.domEventHandlers({
      // Chromium would keep the look of what a key replaces in a style attribute, which no page here may have.
      beforeinput: (event, at) => {
        const { from, to } = at.state.selection.main, text = event.data;
        if (event.inputType !== "insertText" || !text || from === to || at.composing) return false;
        const insert = () => at.state.update(at.state.replaceSelection(text), { userEvent: "input.type", scrollIntoView: true });
        if (!at.state.facet(EditorView.inputHandler).some((handle) => handle(at, from, to, text, insert))) at.dispatch(insert());
        event.preventDefault();
        return true;
      },
      mousedown: (event, at) => {
        if (!event.ctrlKey && !event.metaKey) return false;
        const pos = at.posAtCoords(event);
        return pos !== null && defineAt(pos);
      },
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) changed();
      if (update.docChanged || update.selectionSet) moved(update.state.doc.lineAt(update.state.selection.main.head).number);
    }),
    compared.of(behind ?? []),
  ];
  const difference = (original) => (original === null ? [] : unifiedMergeView({ original, mergeControls: false }));

  return {
    /** Show a file; whatever can be undone belongs to it. */
    show(name, text, { readOnly, against = null }) {
      known = [];
      const state = EditorState.create({ doc: text, extensions: extensions(name, readOnly, difference(against)) });
      if (view) view.setState(state);
      else view = new EditorView({ state, parent: holder });
    },
    get text() { return view.state.doc.toString(); },
    /** Put another text in the place of this one, as an edit. */
    replace(text) { view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }); },
    /** Show how it differs from another text; from none with null. */
    compare(original) { view.dispatch({ effects: compared.reconfigure(difference(original)) }); },
    /** Go to a line, or to the first that has a text. */
    go(line, text) {
      const { doc } = view.state;
      if (text) line = doc.toString().split("\n").findIndex((one) => one.includes(text)) + 1;
      const at = doc.line(Math.min(Math.max(line || 1, 1), doc.lines)).from;
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      view.focus();
    },
    /** The text of a line. */
    line: (number) => view.state.doc.line(number).text,
  };
};
