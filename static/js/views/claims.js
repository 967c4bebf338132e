// The claims page: each sentence of the notes, what is so instead, and what was measured for this answer.

import { rooted } from "../address.js";
import { bandWords, told } from "../clinic-words.js";
import { find } from "../notes.js";
import { start } from "../page.js";

/** @typedef {{id: string, verdict: string, notes: string, instead: string, source: string, page: string, findings: import("../clinic-words.js").Finding[]}} Claim */

/** @param {string} tag @param {string} text @param {string} [className] */
const element = (tag, text, className = "") => Object.assign(document.createElement(tag), { textContent: text, className });

/** @param {Claim} claim */
function entry({ verdict, notes, instead, source, page, findings }) {
  const box = element("div", "", "entry");
  const term = element("dt", "");
  term.append(element("span", verdict, "badge"), " ", element("q", notes));
  const detail = element("dd", "");
  const link = Object.assign(element("a", "See it"), { href: rooted(page) });
  const measured = element("ul", "", "measured-list");
  measured.append(...findings.map((finding) => {
    const band = bandWords(finding.band);
    const row = element("li", "");
    row.dataset.holds = String(finding.holds);
    row.append(element("span", `${finding.holds ? "✓" : "✗"} ${told(finding)}`, "number"), ` ${finding.law}${band ? ` [${band}]` : ""}`);
    return row;
  }));
  detail.append(element("p", instead), measured, element("span", `${source}. `, "small soft"), link);
  box.append(term, detail);
  return box;
}

start({
  load: (_, ask) => ask("claims", {}),
  draw(answer, state) {
    document.getElementById("entries")?.replaceChildren(...answer.claims.map(entry));
    find(state.find ?? "");
  },
});
