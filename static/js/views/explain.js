// The derivation panel: how one number came about, each number in it a step further back. Every
// step comes as HTML, of step.html; the panel's is explain.html, both in _partials.

import { ApiError } from "../http.js";
import { apiAddress } from "../address.js";
import { $, $$, make, setHtml, within } from "../common.js";
import { tableElement } from "../draw/table-text.js";
import { significant, visible } from "../draw/text.js";
import { isLeaf, ladder, member, question, read, same, upTo, write } from "./explain-trail.js";

export { write };

/** @param {number | null} value */
const spoken = (value) => (value === null ? "−∞" : significant(value));
/** @param {number | null} value */
const exact = (value) => (value === null ? "−∞, hidden by the mask" : String(value));
/** @param {Entry} place */
const placeName = ({ name, at }) => `${name}[${at.join(", ")}]`;

const IN_A_MAP = /\.(scores|masked_scores|pattern)$/;

/**
 * The trail in an address, when it starts at this number, or at one that no map shows; else a new
 * one from there.
 * @param {string | undefined} text @param {Entry} root
 */
export function rooted(text, root) {
	const trail = read(text);
	const [first] = trail;
	return first && (same(first, root) || !IN_A_MAP.test(first.name)) ? trail : [root];
}

/**
 * Everything a trail needs, asked at once: the answers for its last number and, for names, for
 * those before it.
 * @param {Entry[]} trail @param {(word: string, question: any) => Promise<any>} ask
 * @param {State} input model and text, as for every question about a run
 * @returns {Promise<Derivation>}
 */
export async function derive(trail, ask, input) {
	const end = trail[trail.length - 1];
	const explained = (/** @type {Entry} */ place) => {
		const direction = same(place, end) ? "forward" : "";
		return ask("explain/step", { ...input, ...question(place), direction });
	};
	try {
		const [before, sections] = await Promise.all([
			Promise.all(trail.map((place) => (isLeaf(place.name) ? null : explained(place)))),
			Promise.all(isLeaf(end.name) ? [] : ladder(end).map(explained)),
		]);
		return { trail, before, sections, input };
	} catch (error) {
		if (!(error instanceof ApiError && [404, 422].includes(error.status))) throw error;
		return { trail, before: [], sections: [], input, refused: error.message };
	}
}

/**
 * The value of a weight or a mask's cell, read from the answer that used it.
 * @param {Open | null | undefined} answer @param {Entry} place
 */
export function leaf(answer, { name, at }) {
	for (const operand of answer?.operands ?? []) {
		if (operand.name !== name) continue;
		const axis = operand.index.findIndex((/** @type {any} */ i) => i === null || Array.isArray(i));
		const i = axis < 0 ? 0 : at[axis] - (operand.index[axis]?.[0] ?? 0);
		const { kind, short, values } = operand;
		if (member(operand, i).at.join() === at.join())
			return { kind, short, value: axis < 0 ? values : values[i] };
	}
	return null;
}

/**
 * Which token a row of the embedding belongs to.
 * @param {Entry} place @param {Open | null | undefined} answer
 */
function wordOf({ name, at }, answer) {
	const axis = Object.values(answer?.axes ?? {}).find(({ ids }) => ids?.includes(at[0]));
	return name === "embedding.token" && axis
		? `, in the row of “${visible(axis.labels[axis.ids.indexOf(at[0])])}”`
		: "";
}

/**
 * @param {HTMLElement} element
 * @param {{go: (trail: Entry[]) => void}} options `go`: shows a trail; none closes it
 */
export function panel(element, { go }) {
	const part = (/** @type {string} */ name) => $(`[data-part="${name}"]`, element);
	/** @type {Derivation | null} */ let shown = null;

	element.onclick = ({ target }) => {
		const found = /** @type {Element} */ (target).closest("[data-to], [data-back]");
		const { to, back } = /** @type {HTMLElement | null} */ (found)?.dataset ?? {};
		if (shown && back) go(upTo(shown.trail, Number(back)));
		else if (to) step(read(to)[0]);
	};
	part("up").onclick = () => shown && go(upTo(shown.trail, shown.trail.length - 2));
	part("table").onclick = () => {
		part("numbers").hidden = !part("numbers").hidden;
		part("table").ariaExpanded = String(!part("numbers").hidden);
		tables();
	};

	function tables() {
		const sections = part("numbers").hidden ? [] : (shown?.sections ?? []);
		part("numbers").replaceChildren(...sections.map(({ table }) => tableElement(table)));
	}
	/** One step on; a number of the trail is gone back to. @param {Entry} place */
	function step(place) {
		if (!shown) return;
		const { trail } = shown;
		const at = trail.findIndex((known) => same(known, place));
		go(at < 0 ? [...trail, place] : upTo(trail, at));
	}
	/** @returns {HTMLElement[]} */
	const stops = () => $$(".strip, .equation button", element);

	/**
	 * Builds the panel for a trail; an answer that is shown stays, and the focus too.
	 * @param {Derivation} next
	 */
	function show(next) {
		if (next === shown) return;
		const focused = stops().indexOf(/** @type {HTMLElement} */ (document.activeElement));
		const moved = !shown || write(shown.trail) !== write(next.trail);
		shown = next;
		element.hidden = false;
		const { trail, before, sections, refused } = next;
		const end = trail[trail.length - 1];
		const ended = isLeaf(end.name) ? leaf(before.at(-2), end) : null;
		for (const words of $$("[data-leaf]", element))
			words.hidden = words.dataset.leaf !== ended?.kind;
		part("trail").replaceChildren(...trail.map(crumb));
		setHtml(part("steps"), sections.map(({ html }) => html).join(""));
		if (refused) part("steps").append(make("p", { className: "leaf" }, refused));
		if (ended) {
			const value = `${placeName(end)} = ${exact(ended.value)}${wordOf(end, before.at(-2))}`;
			part("steps").prepend(make("p", { className: "leaf number" }, value));
		}
		for (const strip of $$(".strip", element)) walk(strip);
		const answer = sections.at(-1) ?? before.findLast(Boolean);
		const asked = question(/** @type {Entry} */ (answer ?? end));
		part("get").href = apiAddress("explain", { ...next.input, ...asked });
		if (answer) part("badge").textContent = part("badge").dataset.kind = answer.kind;
		tables();
		if (focused >= 0 && !moved) stops()[focused]?.focus();
	}

	/** @param {Entry} place @param {number} i */
	function crumb(place, i) {
		const { trail, before } = /** @type {Derivation} */ (shown);
		const used = leaf(before[i - 1], place);
		const value = (before[i] ?? used)?.value;
		const name = before[i]?.crumb ?? placeName({ ...place, name: used?.short ?? place.name });
		const button = make(
			"button",
			{ type: "button", title: placeName(place) },
			make("span", {}, name),
			make("b", { className: "number" }, value === undefined ? "" : spoken(value)),
		);
		if (i === trail.length - 1) button.setAttribute("aria-current", "step");
		else button.dataset.back = i;
		return make("li", {}, button);
	}

	/**
	 * The arrow keys and the pointer choose a bar, Enter and a click go on to it.
	 * @param {HTMLElement} strip
	 */
	function walk(strip) {
		const { values, names, name, index } = JSON.parse(strip.dataset.strip ?? "");
		const readout = $(".term", /** @type {Element} */ (strip.parentElement));
		let chosen = 0;
		const told = (/** @type {number} */ i) => (names ? visible(names[i]) : String(i));
		const open = () => index && step(member({ name, index }, chosen));
		const move = (/** @type {number} */ to) => {
			chosen = within(0, values.length - 1, to);
			const [value, what] = [values[chosen], told(chosen)];
			$(".chosen", strip).setAttribute("x", chosen);
			strip.ariaValueNow = String(chosen);
			strip.ariaValueText = `${what}: ${spoken(value)}`;
			const of = make("span", { className: "soft small" }, `[${what}]`);
			const said = make("b", { className: "number", title: exact(value) }, spoken(value));
			readout.replaceChildren(of, said);
		};
		const at = (/** @type {MouseEvent} */ { clientX }) => {
			const { left, width } = /** @type {Element} */ (
				strip.firstElementChild
			).getBoundingClientRect();
			return Math.floor(((clientX - left) / width) * values.length);
		};
		strip.onpointermove = (event) => event.pointerType === "mouse" && move(at(event));
		strip.onclick = (event) => {
			const again = at(event) === chosen; // on a touch screen the first tap shows and the second opens
			move(at(event));
			if (/** @type {PointerEvent} */ (event).pointerType === "mouse" || again) open();
		};
		strip.onkeydown = (event) => {
			const to = { Home: 0, End: Infinity }[event.key];
			const along = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
			const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
			if (to !== undefined || along) move(to ?? chosen + Number(along));
			else if (event.key === "Enter") open();
			else if (by) stops()[stops().indexOf(strip) + by]?.focus();
			else return;
			event.preventDefault();
		};
		if (index) readout.onclick = open;
		move(Number(strip.dataset.chosen));
	}

	return {
		show,
		hide: () => {
			element.hidden = true;
			shown = null;
		},
		focus: () => (stops()[0] ?? part("up")).focus(),
	};
}
