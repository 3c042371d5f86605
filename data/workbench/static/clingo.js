// Colours for rules of clingo with the directives of ists-asp, and for tables of words.
import { HighlightStyle, StreamLanguage, syntaxHighlighting, tags } from "./vendor/codemirror.js";

const WORD = /^[A-Za-z_'][\w']*/;

const clingo = StreamLanguage.define({
  name: "clingo",
  startState: () => ({ depth: 0, told: false, directive: false }),
  languageData: { commentTokens: { line: "%" }, closeBrackets: { brackets: ["(", "{", '"'] } },
  token(stream, state) {
    if (stream.sol()) state.directive = false;
    if (state.depth || stream.match("%*")) {
      if (!state.depth) {
        state.depth = 1;
        state.told = stream.peek() === "!";
      }
      // Blocks nest, and a % within one hides the rest of its line.
      while (state.depth && !stream.eol()) {
        if (stream.match("%*")) state.depth += 1;
        else if (stream.match("*%")) state.depth -= 1;
        else if (stream.next() === "%") stream.skipToEnd();
      }
      return state.told ? "docString" : "comment";
    }
    if (stream.eatSpace()) return null;
    if (stream.match(/^%@(rule|example|allow)\b/)) {
      state.directive = true;
      return "meta";
    }
    if (state.directive) {
      if (stream.match(/^"(?:[^"\\]|\\.)*"/)) return "string";
      if (stream.match(/^[\w-]+(?=\s*:)/)) return "labelName";
      stream.next();
      return "meta";
    }
    if (stream.match(/^%/)) return stream.skipToEnd(), "comment";
    if (stream.match(/^"(?:[^"\\]|\\.)*("|$)/)) return "string";
    if (stream.match(/^#[a-z]+/)) return "keyword";
    if (stream.match(/^\d+/)) return "number";
    if (stream.match(/^not\b/)) return "keyword";
    if (stream.match(/^_*[A-Z][\w']*/)) return "variableName";
    if (stream.match(WORD)) return stream.peek() === "(" ? "propertyName" : "atom";
    if (stream.match(/^(:-|:~|!=|<=|>=|\.\.|[=<>|&?~^+*/\\-])/)) return "operator";
    stream.next();
    return null;
  },
});

const table = StreamLanguage.define({
  name: "words",
  languageData: { commentTokens: { line: "#" } },
  token(stream) {
    if (stream.match(/^#/)) return stream.skipToEnd(), "comment";
    if (stream.match(/^\t(?=[^\t]*")/)) return stream.skipToEnd(), "string";
    if (stream.match(/^(<>|=)/)) return "operator";
    if (!stream.match(/^[^#=<\t]+/)) stream.next();
    return "atom";
  },
});

const style = HighlightStyle.define([
  ["comment", tags.comment], ["told", tags.docString], ["directive", tags.meta], ["name", tags.labelName],
  ["string", tags.string], ["number", tags.number], ["keyword", tags.keyword], ["variable", tags.variableName],
  ["predicate", tags.propertyName], ["operator", tags.operator],
].map(([name, tag]) => ({ tag, class: `lp-${name}` })));

/** The colours of a file by its name. */
export const colours = (name) => [name.endsWith(".tsv") ? table : clingo, syntaxHighlighting(style)];

/** The name of a predicate or rule, or a word, at a place of a line; null for none. */
export const nameAt = (text, offset) => {
  let begin = offset, end = offset;
  while (begin > 0 && /[\w']/.test(text[begin - 1])) begin -= 1;
  while (end < text.length && /[\w']/.test(text[end])) end += 1;
  return begin < end && WORD.test(text.slice(begin, end)) ? { begin, end, name: text.slice(begin, end) } : null;
};
