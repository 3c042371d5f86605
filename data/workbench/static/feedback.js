import { byId, download, failed, get, make, say, send, t } from "./common.js";
import { table as csv } from "/shared/report.js";

const READ_ONLY = "readOnly" in document.body.dataset;
const ROLES = ["question", "answer", "reference", "id"];
const TOGETHER = 10, LONGEST = 2000; // answers a request, characters of a text
let sheet = null, rows = [], work = null, columns = [], verdicts = [], marks = new Map();

const keyOf = ({ question, answer, references }) => JSON.stringify([question, answer, references]);
const verdictOf = (row) => marks.get(row.key) ?? row.record.verdict;
const unsure = (row) => row.record.check === "yes" && !marks.has(row.key);
const VERDICTS = {
  correct: (n) => t("correct", { n }), incomplete: (n) => t("incomplete", { n }), contradictory: (n) => t("contradictory", { n }),
  irrelevant: (n) => t("irrelevant", { n }), no_answer: () => t("no answer"),
};
const spoken = (verdict, n = 1) => VERDICTS[verdict]?.(n) ?? verdict.replace("_", " ");
const answers = (n) => t("{n} answer|{n} answers", { n });

const fault = (error) => {
  byId("fault").hidden = !error;
  byId("fault").textContent = error?.message ?? "";
};

/** How many rows have which verdict, and how many are to be checked. */
const counts = (some) => {
  const told = verdicts.map((verdict) => {
    const { length } = some.filter((row) => verdictOf(row) === verdict);
    return [length, spoken(verdict, length)];
  });
  told.push([some.filter((row) => !verdictOf(row)).length, t("without a verdict")], [some.filter(unsure).length, t("to check")]);
  return told.filter(([count]) => count).map(([count, text]) => `${count} ${text}`).join(", ");
};

const count = () => {
  const judged = rows.filter((row) => row.record);
  byId("total").textContent = judged.length ? `${answers(judged.length)}: ${counts(judged)}` : "";
  for (const group of new Set(judged.map((row) => row.group))) group.told.textContent = counts(group.rows);
};

/** Show the teacher's verdict on a row, if there is one. */
const refresh = (row) => {
  row.choice.value = marks.get(row.key) ?? "";
  row.node.classList.toggle("check", unsure(row));
  row.note.textContent = marks.has(row.key) ? t("corrected") : unsure(row) ? t("check") : "";
};

const correct = async (row) => {
  const { id, ...given } = row.submission, verdict = row.choice.value || null;
  try {
    await send("/project/feedback/marks", { ...given, verdict }, { method: "PUT" });
    if (verdict) marks.set(row.key, verdict); else marks.delete(row.key);
    say(verdict ? t("Answer {id} is {verdict}.", { id, verdict: spoken(verdict) }) : t("Answer {id} is as judged again.", { id }));
  } catch (error) { failed(error); }
  rows.filter((other) => other.node && other.key === row.key).forEach(refresh);
  count();
};

/** The place of answers to a question that have one model answer. */
const section = ({ question, references: [reference] }) => {
  const told = make("p", { class: "dim" }), body = make("tbody"), title = question || reference || t("All answers");
  byId("questions").append(make("section", { "aria-label": title },
    make("h2", { text: title }), question && reference ? make("p", { text: t("Model answer: {reference}", { reference }) }) : null, told,
    make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": t("Answers") }, make("table", { class: "answers" },
      make("thead", {}, make("tr", {}, ...[t("Id"), t("Answer"), t("Verdict"), t("Yours"), t("Feedback"), t("Sure"), ""].map((text) => make("th", { scope: "col", text })))), body))));
  return { told, body, rows: [] };
};

/** Put a judged row among those of its question: what is to be checked comes first. */
const add = (row, groups) => {
  const { submission, record } = row, rank = (unsure(row) ? 0 : rows.length) + row.number;
  const model = JSON.stringify([submission.question, submission.references]);
  const group = row.group = groups.get(model) ?? section(submission);
  groups.set(model, group);
  group.rows.push(row);
  row.choice = make("select", { "aria-label": t("Your verdict on answer {id}", submission), disabled: READ_ONLY, onchange: () => correct(row) },
    make("option", { value: "", text: "–" }), ...verdicts.map((verdict) => make("option", { value: verdict, text: spoken(verdict) })));
  row.note = make("b");
  row.node = make("tr", { "data-rank": rank }, make("td", { text: submission.id }), make("td", { text: submission.answer }),
    make("td", { text: spoken(record.verdict ?? "–") }), make("td", {}, row.choice), make("td", { text: record.feedback }),
    make("td", { class: "number", text: record.sure === undefined ? "" : `${record.sure} %` }), make("td", {}, row.note));
  refresh(row);
  group.body.insertBefore(row.node, [...group.body.rows].find((node) => Number(node.dataset.rank) > rank) ?? null);
};

const running = (under) => {
  byId("busy").hidden = byId("cancel").hidden = !under;
  byId("start").disabled = Boolean(under);
  byId("export").hidden = Boolean(under) || !rows.some((row) => row.record);
};

const empty = () => {
  work?.abort();
  rows = [];
  byId("questions").replaceChildren();
  byId("total").textContent = "";
  fault();
  running(false);
};

const open = async (name, blob) => {
  try {
    const read = await send(`/project/feedback/table?${new URLSearchParams({ name })}`, blob);
    empty();
    sheet = { name, ...read };
  } catch (error) { fault(error); return; }
  byId("opened").textContent = [`${name}: ${answers(sheet.rows.length)}`, ...sheet.notes].join("; ");
  for (const role of ROLES) {
    byId(role).replaceChildren(make("option", { value: "", text: t("none") }), ...sheet.titles.map((text, at) => make("option", { value: at, text })));
    byId(role).value = sheet.roles[role] ?? "";
  }
  byId("columns").hidden = false;
};

const read = (cells, number) => {
  const [question, answer, reference, id] = ROLES.map((role) => cells[byId(role).value] ?? "");
  const submission = { id: id && id.length <= 200 ? id : String(number + 1), question, answer, references: [reference] };
  return { number, cells, submission, key: keyOf(submission), record: null };
};

const texts = ({ submission }) => [submission.question, submission.answer, ...submission.references];

const judged = async (batch, profile, signal) => {
  const short = batch.filter((row) => texts(row).every((text) => text.length <= LONGEST));
  const records = short.length ? await send(`/api/feedback?${new URLSearchParams({ profile })}`, short.map((row) => row.submission), { signal }) : [];
  return batch.map((row) => {
    const record = short.includes(row) ? records[short.indexOf(row)] : { error: t("a text has more than {n} characters", { n: LONGEST }) };
    return record.error ? { check: "yes", feedback: t("failed: {error}", record) } : record;
  });
};

const judge = async () => {
  empty();
  const own = work = new AbortController(), groups = new Map(), profile = byId("profile").value;
  // A row below the answers, such as one of sums, has no texts.
  const all = rows = sheet.rows.map(read).filter((row) => texts(row).some(Boolean));
  running(true);
  const progress = (done) => {
    [byId("done").max, byId("done").value] = [all.length, done];
    byId("doing").textContent = t("{done} of {n} answers judged", { done, n: all.length });
  };
  try {
    await known();
    for (let at = 0; at < all.length; at += TOGETHER) {
      progress(at);
      const batch = all.slice(at, at + TOGETHER), records = await judged(batch, profile, own.signal);
      if (own.signal.aborted) return;
      batch.forEach((row, place) => { row.record = records[place]; add(row, groups); });
      count();
    }
  } catch (error) {
    if (error.name === "AbortError") { if (own === work) say(t("Cancelled.")); } else fault(error);
  } finally {
    if (own === work) running(false);
  }
};

/** The corrected verdicts, also those of another tab. */
const known = async () => {
  const found = await get("/project/feedback/marks");
  ({ columns, verdicts } = found);
  marks = new Map(found.marks.map((mark) => [keyOf(mark), mark.verdict]));
};

byId("file").addEventListener("change", ({ target }) => { if (target.files[0]) open(target.files[0].name, target.files[0]); });
byId("pasted").addEventListener("submit", (event) => {
  event.preventDefault();
  open("pasted.csv", new Blob([byId("text").value]));
});
byId("columns").addEventListener("submit", (event) => {
  event.preventDefault();
  judge();
});
byId("cancel").addEventListener("click", () => work?.abort());
byId("export").addEventListener("click", () => {
  const lines = rows.map((row) => [...row.cells, ...columns.map((name) => row.record?.[name]), marks.get(row.key)]);
  download(`${sheet.name.replace(/\.[^.]*$/, "")}-feedback.csv`, csv([[...sheet.titles, ...sheet.added], ...lines]), "text/csv");
});
if (location.search === "?example") {
  byId("paste").open = true;
  byId("text").value = byId("text").dataset.example.trim();
}
known().catch(fault);
