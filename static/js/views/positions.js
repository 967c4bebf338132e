// The positions page: what a scheme tells, and beside it one of five figures.

import { input, reads, whole } from "../address.js";
import { showFigure } from "../figures/figure.js";
import { card, start } from "../page.js";
import { showFacts } from "./facts.js";
import { parseChannels, withChannel } from "./positions-channels.js";

/** @typedef {Record<string, string>} State */

const WIDEST = 512;
const by = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** The parameters that are a scheme's own. @type {Record<string, string[]>} */
const OWN = {
	sine: ["period"],
	sinusoidal: ["base"],
	learned: ["seed"],
	shaw: ["most"],
	t5: ["heads", "most"],
	rope: ["base"],
	alibi: ["heads"],
};
const VIEWS = ["shift", "similarity", "norms", "twice", "board"];

/** @param {State} state */
const addsNumbers = ({ scheme }) => ["t5", "alibi"].includes(scheme);

/** A table with a vector for each position can be drawn out or pressed together. @param {State} state */
const isBetween = ({ scheme, interpolated }) =>
	interpolated !== "" && !["shaw", "t5", "rope", "alibi"].includes(scheme);

/** One map shifts every position where there are waves. @param {State} state */
const waves = ({ scheme }) =>
	scheme === "sinusoidal" || (scheme === "own" && card.config.positions === "sinusoidal");

/** @param {State} state */
function viewOf(state) {
	const { show, scheme } = state;
	const alone = isBetween(state) && !["similarity", "norms"].includes(show);
	const missing =
		alone ||
		(show === "shift" && !waves(state)) ||
		(scheme === "own" && ["twice", "board"].includes(show));
	return VIEWS.includes(show) && !missing ? show : "similarity";
}

/** The numbers that are asked for. @param {State} state */
function question(state) {
	const { scheme, length, d_model } = state;
	const interpolated = isBetween(state) ? state.interpolated : "";
	if (scheme === "own")
		return { ...input(state), length: reads(card) === "image" ? "" : length, interpolated }; // patches are as many as they are
	const own = Object.fromEntries((OWN[scheme] ?? []).map((name) => [name, state[name]]));
	const head = addsNumbers(state)
		? { head: String(whole(state.head, 0, whole(state.heads, 1, 64) - 1)) }
		: {};
	return {
		scheme,
		length,
		d_model,
		...own,
		...head,
		interpolated,
		board: viewOf(state) === "board" ? "true" : "",
	};
}

/** What of them is drawn as curves and marked. @param {State} state */
const part = (state) => ({
	channels: parseChannels(state.channels, WIDEST).join(",") || "none",
	position: whole(state.position, 0, WIDEST),
	offset: whole(state.offset, 1, WIDEST),
});

/** The figures of the scheme; the norms are those of the model's own table. @param {State} state @param {import("../page.js").Ask} ask */
async function load(state, ask) {
	const name = viewOf(state);
	const drawn = (
		/** @type {import("../page.js").Question} */ of,
		/** @type {string[]} */ figures,
	) =>
		ask("positions/figures", {
			...of,
			...part(state),
			figures: figures.join(","),
			encoding: "base64",
		});
	const [answer, own] = await Promise.all([
		drawn(
			question(state),
			name === "board" ? [name] : name === "norms" ? ["table"] : ["table", name],
		),
		name === "norms" ? drawn(input(state), [name]) : null,
	]);
	return { answer, from: own ?? answer, asked: own ? input(state) : question(state) };
}

/** @param {any} loaded @param {State} state @param {import("../page.js").Page} page */
function draw({ answer, from, asked }, state, page) {
	const name = viewOf(state);
	const position = whole(state.position, 0, answer.length - 1);
	showControls(state, name, answer.length, position);
	document.querySelector('[name="most"]')?.setAttribute("placeholder", answer.most ?? "");
	const { figures } = answer;
	if (figures.table) {
		const [row, column] = figures.table.layout.meta.tells;
		const chosen = (
			/** @type {{trace: number, row: number, at: number}} */ { trace, row: r, at },
		) => {
			if (trace) return;
			const channels =
				withChannel(parseChannels(state.channels, answer.d_model), r).join(",") || "none";
			page.set(
				row === "head"
					? { head: String(r) }
					: { channels, ...(column === "position" ? { position: String(at) } : {}) },
			);
		};
		const table = by("table");
		show(table, answer, "table", { state, asked: question(state), page, enter: chosen });
		/** @type {HTMLElement} */ (table.querySelector(".formula")).hidden =
			answer.scheme !== "sinusoidal";
	}
	const { schemes } = from.figures[name].layout.meta;
	const enter = (/** @type {{trace: number, row: number, at: number}} */ { trace, row, at }) => {
		if (trace) return;
		if (schemes) page.set({ scheme: schemes[row] });
		else if (name === "similarity")
			page.set({ position: String(row), ...(at > row ? { offset: String(at - row) } : {}) });
	};
	show(by(schemes ? "board" : "view"), from, name, { state, asked, page, enter });
	showFacts(by("facts"), from.facts, from.figures[name].layout.meta.facts ?? {});
	showProse(name, from.relative ? "relative" : from.scheme);
	by("between").hidden = from.interpolated === undefined;
}

/** One figure in its place, under its caption. @param {HTMLElement} element @param {any} answer @param {string} name @param {{state: State, asked: any, page: import("../page.js").Page, enter: (place: {trace: number, at: number, row: number}) => void}} how */
function show(element, answer, name, { state, asked, page, enter }) {
	const figure = answer.figures[name];
	/** @type {HTMLElement} */ (element.querySelector(".figure-head span")).textContent =
		figure.layout.meta.caption;
	showFigure(element, figure, {
		pick: (changes) => page.set(changes),
		enter,
		call: ["positions", asked],
		drawn: [`positions/figures/${name}`, { ...asked, ...part(state) }],
		answer,
	});
}

/** The words of this view and this scheme. @param {string} name @param {string} scheme */
function showProse(name, scheme) {
	for (const words of /** @type {NodeListOf<HTMLElement>} */ (
		document.querySelectorAll(".beside :is([data-view], [data-scheme])")
	)) {
		const { view: of = name, scheme: schemes = scheme } = words.dataset;
		words.hidden = !of.split(" ").includes(name) || !schemes.split(" ").includes(scheme);
	}
}

/** Only the controls that mean something now, within what there is, and the choice that is drawn. @param {State} state @param {string} name @param {number} length @param {number} position */
function showControls(state, name, length, position) {
	const now = [state.scheme, `show-${name}`, ...(waves(state) ? ["waves"] : [])];
	for (const field of /** @type {NodeListOf<HTMLElement>} */ (
		document.querySelectorAll("#controls [data-for]")
	))
		field.hidden = !(field.dataset.for ?? "").split(" ").some((word) => now.includes(word));
	const choice = /** @type {HTMLInputElement | null} */ (
		document.querySelector(`[name="show"][value="${name}"]`)
	);
	if (choice) choice.checked = true;
	document.querySelector('[name="position"]')?.setAttribute("max", String(length - 1));
	document
		.querySelector('[name="offset"]')
		?.setAttribute("max", String(Math.max(1, length - 1 - position)));
}

export default () => start({ load, draw });
