// The derivation panel: how one number came about, each number in it a step further back. The markup is templates/_partials/explain.html.

import { ApiError } from "../api.js";
import { apiAddress } from "../address.js";
import { paint } from "../draw/canvas.js";
import { palette } from "../draw/palette.js";
import { tableElement } from "../draw/table-text.js";
import { number, visible } from "../draw/text.js";
import { crumb, derivation, derivationTable, leaf, telling } from "./explain-steps.js";
import { bars, memberAt, memberName, reach } from "./explain-strip.js";
import { deeper, isLeaf, ladder, question, read, same, upTo, write } from "./explain-trail.js";

export { write };

const HEIGHT = 44;
const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

/** The trail in an address, when it starts at this number; else a new one from there, so that a derivation follows what is chosen. */
export function rooted(text, root) {
  const trail = read(text);
  return trail.length && same(trail[0], root) ? trail : [root];
}

/**
 * Everything a trail needs, asked at once: the answers for its last number and, for the names in the trail, those before it.
 * @param {import("./explain-trail.js").Place[]} trail
 * @param {(word: string, question: any) => Promise<any>} ask
 * @param {Record<string, string>} input model and text, as for every question about a run
 */
export async function derive(trail, ask, input) {
  const explained = (place) => ask("explain", { ...input, ...question(place) });
  try {
    const [before, sections] = await Promise.all([
      Promise.all(trail.map((place) => (isLeaf(place.name) ? null : explained(place)))),
      Promise.all(isLeaf(trail.at(-1).name) ? [] : ladder(trail.at(-1)).map(explained)),
    ]);
    return { trail, before, sections, input };
  } catch (error) {
    if (error instanceof ApiError && [404, 422].includes(error.status)) return { trail, before: [], sections: [], input, refused: error.message };
    throw error;
  }
}

/**
 * @param {HTMLElement} element
 * @param {{go: (trail: import("./explain-trail.js").Place[]) => void}} options `go`: show this trail instead; an empty one closes the panel
 */
export function panel(element, { go }) {
  const part = (name) => element.querySelector(`[data-part="${name}"]`);
  let shown = null;
  let cursors = [];
  part("up").addEventListener("click", () => go(upTo(shown.trail, shown.trail.length - 2)));
  part("table").addEventListener("click", () => {
    part("numbers").hidden = !part("numbers").hidden;
    part("table").setAttribute("aria-expanded", String(!part("numbers").hidden));
    tables();
  });
  new ResizeObserver(() => shown && requestAnimationFrame(draw)).observe(element);

  const tables = () => part("numbers").replaceChildren(...(part("numbers").hidden ? [] : shown.sections.map((answer) => tableElement(derivationTable(derivation(answer))))));
  const step = (place) => go(deeper(shown.trail, place));

  const focusable = () => [...element.querySelectorAll("button, .strip")];

  /** Builds the panel for a trail; the same answer again is only drawn again, so that nothing loses the focus. */
  function show(next) {
    if (next === shown) return draw();
    const focused = focusable().indexOf(document.activeElement);
    const moved = !shown || write(shown.trail) !== write(next.trail);
    shown = next;
    element.hidden = false;
    const steps = next.sections.map(derivation);
    if (moved || cursors.length !== steps.length) cursors = steps.map(telling);
    part("trail").replaceChildren(...next.trail.map((place, i) => crumbElement(place, i)));
    const end = next.trail.at(-1);
    const ended = isLeaf(end.name) && next.before.at(-2) ? leaf(next.before.at(-2), end) : null;
    for (const words of element.querySelectorAll("[data-leaf]")) words.hidden = words.dataset.leaf !== ended?.kind;
    const value = ended ? make("p", { className: "leaf number", textContent: `${end.name}[${end.at.join(", ")}] = ${exact(ended.value)}${wordOf(end, next.before.at(-2))}` }) : null;
    const refused = next.refused ? make("p", { className: "leaf", textContent: next.refused }) : null;
    part("steps").replaceChildren(...(value ? [value] : []), ...(refused ? [refused] : []), ...steps.map((each, i) => sectionElement(each, next.sections[i], i)));
    const answer = next.sections.at(-1) ?? next.before.findLast(Boolean);
    part("get").href = apiAddress("explain", { ...next.input, ...question({ name: answer?.name ?? end.name, at: answer?.at ?? end.at }) });
    if (answer) Object.assign(part("badge"), { textContent: answer.kind }).setAttribute("data-kind", answer.kind);
    tables();
    draw();
    if (focused >= 0 && !moved) focusable()[focused]?.focus();
  }

  function crumbElement(place, i) {
    const answer = shown.before[i];
    const value = answer ? answer.value : (shown.before[i - 1] && leaf(shown.before[i - 1], place)?.value);
    const text = crumb(place, answer);
    const words = [make("span", { textContent: text }), make("b", { className: "number", textContent: value === undefined ? "" : spoken(value) })];
    const last = i === shown.trail.length - 1;
    const button = make("button", { type: "button", title: `${place.name}[${place.at.join(", ")}]` }, ...words);
    if (last) button.setAttribute("aria-current", "step");
    else button.addEventListener("click", () => go(upTo(shown.trail, i)));
    return make("li", {}, button);
  }

  function sectionElement(each, answer, index) {
    const title = make("h3", {}, make("span", { className: "number", textContent: each.formula }), make("span", { className: "soft small", textContent: each.sentence }));
    const strips = each.strips.map((strip) => stripElement(strip, each, index));
    return make("section", { className: "step" }, title, ...strips, ...each.equations.map(equationElement));
  }

  function stripElement(strip, each, index) {
    const canvas = make("canvas");
    const slider = make("div", { className: "strip", tabIndex: 0 }, canvas);
    slider.setAttribute("role", "slider");
    slider.setAttribute("aria-label", `${strip.label}: ${strip.name}`);
    slider.setAttribute("aria-valuemin", "0");
    slider.setAttribute("aria-valuemax", String(strip.values.length - 1));
    const open = () => strip.places && step(strip.places[cursors[index]]);
    const move = (to) => {
      cursors[index] = Math.max(0, Math.min(strip.values.length - 1, to));
      draw();
    };
    const at = (event) => memberAt(strip, event.clientX - canvas.getBoundingClientRect().left, canvas.clientWidth, palette().tick);
    slider.addEventListener("pointermove", (event) => event.pointerType === "mouse" && move(at(event)));
    slider.addEventListener("click", (event) => {
      const again = at(event) === cursors[index];
      move(at(event));
      if (event.pointerType === "mouse" || again) open();
    });
    slider.addEventListener("keydown", (event) => {
      const from = cursors[index];
      const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: strip.values.length - 1, PageUp: from - 10, PageDown: from + 10 }[event.key];
      if (to !== undefined) move(to);
      else if (event.key === "Enter") open();
      else if (event.key === "ArrowDown" || event.key === "ArrowUp") neighbour(slider, event.key === "ArrowDown" ? 1 : -1)?.focus();
      else return;
      event.preventDefault();
    });
    const whose = strip.kind === "step" ? strip.name : strip.token !== null ? `of ${strip.token}` : strip.name;
    const name = make("span", { title: strip.name }, make("b", { className: "number", textContent: strip.label }), make("span", { className: "soft small number", textContent: whose }));
    const readout = strip.places ? make("button", { type: "button", className: "term" }) : make("span", { className: "term" });
    if (strip.places) readout.addEventListener("click", open);
    const element_ = make("div", { className: "strip-row" }, make("p", {}, name, readout), slider);
    element_.strip = { strip, each, index, canvas, slider, readout };
    return element_;
  }

  function equationElement(equation) {
    const parts = equation.map((part) => {
      if ("sign" in part) return make("span", { className: "sign", textContent: part.sign });
      const words = [make("span", { className: "soft small", textContent: part.label }), make("b", { className: "number", textContent: spoken(part.value), title: exact(part.value) })];
      if (!part.place) return make("span", { className: `term${part.result ? " result" : ""}`, title: part.name }, ...words);
      const button = make("button", { type: "button", className: "term", title: `${part.name}[${part.place.at.join(", ")}]` }, ...words);
      button.addEventListener("click", () => step(part.place));
      return button;
    });
    return make("p", { className: "equation" }, ...parts);
  }

  /** The strip before or after this one, for the arrow keys. */
  function neighbour(slider, by) {
    const all = [...element.querySelectorAll(".strip, .equation button")];
    return all[all.indexOf(slider) + by];
  }

  function draw() {
    const colours = palette();
    for (const row of element.querySelectorAll(".strip-row")) {
      const { strip, each, index, canvas, slider, readout } = row.strip;
      const width = Math.floor(slider.clientWidth);
      if (!width) continue;
      const chosen = Math.min(cursors[index], strip.values.length - 1);
      const twins = each.strips.filter((other) => other.kind === strip.kind && other.positive === strip.positive);
      const height = Math.round(HEIGHT * (colours.tick / 13) + (strip.labels ? colours.tick * 1.5 : 0));
      paint(canvas, bars(strip, chosen, { width, height, palette: colours, limit: Math.max(...twins.map(reach)) }), { fonts: colours.fonts });
      const words = `${memberName(strip, chosen)}: ${spoken(strip.values[chosen])}`;
      slider.setAttribute("aria-valuenow", String(chosen));
      slider.setAttribute("aria-valuetext", words);
      readout.replaceChildren(make("span", { className: "soft small", textContent: `[${memberName(strip, chosen)}]` }), make("b", { className: "number", textContent: spoken(strip.values[chosen]), title: exact(strip.values[chosen]) }));
    }
  }

  return {
    show,
    hide: () => {
      element.hidden = true;
      shown = null;
    },
    focus: () => (element.querySelector(".strip, .equation button") ?? part("up")).focus(),
  };
}

/** Which token a row of the embedding belongs to. */
function wordOf({ name, at }, { axes }) {
  const texts = Object.values(axes).filter((axis) => axis.ids?.includes(at[0]));
  return name === "embedding.token" && texts.length ? `, in the row of “${visible(texts[0].labels[texts[0].ids.indexOf(at[0])])}”` : "";
}

const spoken = (value) => (value === null ? "−∞" : number(value));
const exact = (value) => (value === null ? "−∞, hidden by the mask" : String(value));
