// The positions page: what a scheme tells, and beside it one of five figures.

import { input, whole } from "../address.js";
import { $, $$, byId } from "../common.js";
import { start } from "../page.js";
import { card } from "../state.js";
import { askFigures, showOne } from "./frames.js";
import { about, showFacts, taken } from "./shared.js";

const WIDEST = 512;
const VIEWS = ["shift", "similarity", "norms", "twice", "board"];

/**
 * A table with a vector for each position can be drawn out or pressed together.
 * @param {State} state
 */
const isBetween = ({ scheme, interpolated }) =>
	interpolated !== "" && taken([scheme]).includes("interpolated");

/** One matrix shifts every position where there are waves. @param {State} state */
const waves = ({ scheme }) =>
	scheme === "sinusoidal" || (scheme === "own" && card.config.positions === "sinusoidal");

/** @param {State} state */
function viewOf(state) {
	const { show, scheme } = state;
	const missing =
		(isBetween(state) && !["similarity", "norms"].includes(show)) ||
		(show === "shift" && !waves(state)) ||
		(scheme === "own" && ["twice", "board"].includes(show));
	return VIEWS.includes(show) && !missing ? show : "similarity";
}

/** @param {State} state @returns {Question} */
function question(state) {
	const own = Object.fromEntries(taken([state.scheme]).map((name) => [name, state[name]]));
	if (state.scheme === "own") {
		// A model has a length of its own, which may be shorter than the one that the page opens on.
		const opened = $('[name="length"]')?.defaultValue;
		return { ...input(state), ...own, ...(own.length === opened && { length: "" }) };
	}
	const head = own.heads && whole(state.head, 0, whole(own.heads, 1, 64) - 1);
	return { scheme: state.scheme, ...own, head, board: viewOf(state) === "board" || "" };
}

/** What of them is drawn as curves and marked. @param {State} state */
const part = (state) => ({
	channels: state.channels.match(/\d+/g)?.join() ?? "none",
	position: whole(state.position, 0, WIDEST),
	offset: whole(state.offset, 1, WIDEST),
});

export default () =>
	start({
		/** The figures of the scheme; the norms are those of the model's own table. */
		async load(state, ask) {
			const name = viewOf(state);
			const drawn = (/** @type {Question} */ of, names = "") =>
				askFigures(ask, "positions", { ...of, ...part(state) }, names);
			const beside = name === "norms" ? input(state) : null;
			const names = name === "board" ? name : beside ? "table" : `table,${name}`;
			const [answer, own] = await Promise.all([
				drawn(question(state), names),
				beside && drawn(beside, name),
			]);
			return { answer, from: own ?? answer, asked: beside ?? question(state) };
		},
		draw({ answer, from, asked }, state, page) {
			const [name, last] = [viewOf(state), answer.length - 1];
			const { facts } = from.figures[name].layout.meta;
			const pick = page.set;
			about({
				for: [state.scheme, `show-${name}`, waves(state) && "waves"],
				view: [name],
				scheme: [from.relative ? "relative" : from.scheme],
				of: [answer.scheme],
			});
			for (const choice of $$('[name="show"]')) choice.checked = choice.value === name;
			const limits = { position: last, offset: Math.max(1, last - whole(state.position, 0, last)) };
			for (const [control, max] of Object.entries(limits)) $(`[name="${control}"]`).max = max;
			$('[name="most"]').placeholder = answer.most ?? "";
			if (answer.figures.table)
				showOne(byId("table"), answer, "positions/table", question(state), {
					part: part(state),
					pick,
				});
			/** @param {{trace: number, row: number, at: number}} place */
			const enter = ({ trace, row, at }) => {
				if (trace || name !== "similarity") return;
				page.set({ position: String(row), ...(at > row && { offset: String(at - row) }) });
			};
			const frame = byId(name === "board" ? "board" : "view");
			showOne(frame, from, `positions/${name}`, asked, { part: part(state), pick, enter });
			showFacts(facts);
			byId("between").hidden = from.interpolated === undefined;
		},
	});
