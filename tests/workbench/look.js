// What is wrong with a page, as people and axe see it.
({
  // All that folds is opened, but for the shipped files in Rules.
  unfold: () => document.querySelectorAll("main details").forEach((one) => {
    one.open ||= !one.closest(".files");
  }),

  // What breaks the rules of WCAG 2.1 AA.
  axe: async () => {
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
    const found = await axe.run(document, { runOnly: tags, resultTypes: ["violations"] });
    return found.violations.flatMap((rule) => rule.nodes.map((one) => `${rule.id}: ${one.html}`));
  },

  // What is cut off at the right edge of the window, unless it can be scrolled to.
  cutOff: () => [...document.querySelectorAll("main *, header *, #api *")].filter((node) => {
    const { right, width } = node.getBoundingClientRect();
    if (!width || right <= innerWidth + 1 || node.closest(".quiet,.cm-editor")) return false;
    for (let up = node.parentElement; up; up = up.parentElement) {
      if (up !== document.body && getComputedStyle(up).overflowX !== "visible") return false;
    }
    return true;
  }).map((node) => node.outerHTML.slice(0, 200)),

  // Texts of controls that are longer than their boxes.
  narrow: () => [...document.querySelectorAll("main :is(button, select, input)")].filter((node) =>
    node.checkVisibility() && node.scrollWidth > node.clientWidth + 1)
    .map((node) => node.outerHTML),

  // The largest of red, green and blue behind the page.
  brightness: () => [document.documentElement, document.body]
    .map((node) => getComputedStyle(node).backgroundColor.match(/[\d.]+/g).map(Number))
    .filter(([, , , alpha = 1]) => alpha)
    .map((parts) => Math.max(...parts.slice(0, 3))).pop() ?? 255,
})
