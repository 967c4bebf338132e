// The masks page: a mask that can be painted, and what it does to the sentence.

import { input, whole } from "../address.js";
import { $, $$, byId, emptied, setHtml } from "../common.js";
import { boxed, mark } from "../figures/marks.js";
import { decoded } from "../figures/traces.js";
import { figures, valueAt } from "../figures/show.js";
import { start } from "../page.js";
import { card } from "../state.js";
import { askFigures, showOne } from "./frames.js";
import { NONE, parseStrokes, turn, writeStrokes } from "./masks-strokes.js";
import { about, numbers, showFacts, taken } from "./shared.js";
import { say } from "../words.js";

const EFFECTS = ["leak", "weights", "loss", "sums"];
const GRID = { alone: "1", length: "24" }; // a sentence stands on no grid

export default function visit() {
	const [mask, effect] = ["mask", "effect"].map(byId);
	/** @type {HTMLElement[]} */
	const [matrix, beside] = $$("#mask .stage, #effect .stage");
	const lists = ["first", "join", "second"].map(byId);

	/** @type {any} the figures, and what was left out of the question */ let drawn;
	/** @type {State} */ let shown = {};
	/** @type {Page} */ let page;
	/** @type {Cell | null} where the keyboard or the pointer is */ let pointed = null;
	/** @type {number | ""} the query that was pointed at last, which a grid shows */ let looked = "";
	/** @type {Set<string>[]} cells turned over: as drawn, and with what is painted since */
	let [before, now] = [new Set(), new Set()];

	/** @param {string} stack @returns {number} */
	const layersOf = (stack) => card.config[`n_${stack}_layers`];

	/** @param {State} state */
	function question(state) {
		const { pattern, flip, layers, alone, length } = state;
		const own = Object.fromEntries(taken(pattern.split(" ")).map((name) => [name, state[name]]));
		// The address may speak of another model's stack and layer.
		const stack = [state.stack, "encoder", "decoder"].find(layersOf) ?? "";
		const run = { ...input(state), stack, layer: whole(state.layer, 0, layersOf(stack) - 1) };
		const turned = flip === NONE ? "" : flip;
		return { pattern, ...own, flip: turned, layers, ...(alone ? { length } : run) };
	}

	/** Which part of the answer the figures show. @param {State} state */
	const part = ({ head, sequence }) => ({
		head: whole(head, 0, card.config.n_heads - 1),
		sequence: whole(sequence, 0, 127),
		query: looked,
	});

	/**
	 * Without a sentence there is only the depth, and on a grid it is drawn there.
	 * @param {State} state
	 */
	function effectOf({ alone, show, pattern }) {
		const unread = show === "loss" && !card.config.n_decoder_layers;
		if (!alone && !unread && EFFECTS.includes(show)) return show;
		return pattern.includes("window_2d") ? "grid" : "depth";
	}

	/**
	 * A sentence may be too short for what was painted or chosen: then that is left out, and it is
	 * said.
	 * @param {State} state @param {Ask} ask @param {string[]} [left]
	 * @returns {Promise<any>}
	 */
	async function load(state, ask, left = []) {
		const [asked, name] = [question(state), effectOf(state)];
		const drawing = { ...asked, ...part(state) };
		try {
			return { answer: await askFigures(ask, "masks", drawing, `mask,${name}`), name, asked, left };
		} catch (error) {
			const wrong = /** @type {{fields?: string[]}} */ (error).fields ?? [];
			const own = ["flip", ...taken(state.pattern.split(" "))];
			const misfits = wrong.filter((of) => state[of] && own.includes(of));
			if (!misfits.length) throw error;
			return load({ ...state, ...emptied(misfits) }, ask, [...left, ...misfits]);
		}
	}

	/** @param {any} loaded @param {State} state @param {Page} present */
	function draw(loaded, state, present) {
		[drawn, shown, page] = [loaded, state, present];
		const { answer, name, left } = drawn;
		const { meta } = answer.figures.mask.layout;
		before = parseStrokes(left.includes("flip") ? NONE : state.flip);
		now = page.state.flip === state.flip ? before : parseStrokes(page.state.flip);
		showControls(answer, name, meta.sequences);
		show(mask, "mask", {
			enter: (cell) => stroke([cell]),
			point(cell) {
				pointed = cell;
				framed(beside, matrix, cell);
				if (answer.columns) look(cell.row);
			},
		});
		if (cells.length || before !== now) cover();
		if (answer.columns && looked !== "") look(Math.min(looked, answer.length - 1));
		else showEffect();
		showFacts(answer.figures[name].layout.meta.facts);
		const misfits = left.join(", ").replace("flip", say("painted cells"));
		byId("count").textContent = misfits
			? say("Not shown, because of the {positions} positions: {misfits}.", {
					positions: answer.length,
					misfits,
				})
			: meta.count;
		byId("at").textContent = meta.summary;
	}

	function showEffect() {
		const { answer, name } = drawn;
		const { across, sentences, summary, explained } = answer.figures[name].layout.meta;
		show(effect, name, {
			...(across && looked !== "" && { plotly: ofQuery(looked, across) }),
			enter: ({ row, at }) => across && look(row * across + at),
			point: (cell) => framed(matrix, beside, cell),
		});
		byId("effect-at").textContent = sentences?.[looked] ?? summary;
		if (explained) setHtml($(`[data-view="${name}"] .look-for`), explained);
	}

	/** @param {HTMLElement} frame @param {string} name @param {Partial<Shown>} told */
	function show(frame, name, told) {
		const { answer, asked } = drawn;
		showOne(frame, answer, `masks/${name}`, asked, { part: part(shown), ...told });
	}

	/**
	 * The grid of another query is a row of the mask.
	 * @param {number} query @param {number} across
	 */
	function ofQuery(query, across) {
		const { mask, grid } = drawn.answer.figures;
		const fold = (/** @type {any} */ all) =>
			all &&
			Array.from({ length: all[query].length / across }, (_, r) =>
				all[query].slice(r * across, (r + 1) * across),
			);
		const [row, at] = [Math.floor(query / across), query % across];
		const frame = { y0: row - 0.5, y1: row + 0.5, x0: at - 0.5, x1: at + 0.5 };
		const shapes = grid.layout.shapes.map((/** @type {Shape} */ shape) =>
			shape.name === "line query" ? { ...shape, ...frame } : shape,
		);
		const data = mask.data.map(decoded).map((/** @type {any} */ trace, i = 0) => {
			const { z, text, customdata, meta } = trace;
			const more = { z: fold(z), text: fold(text), customdata: fold(customdata) };
			return { ...grid.data[i], ...more, meta: { ...meta, said: fold(meta.ways) } };
		});
		return { data, layout: { ...grid.layout, shapes } };
	}

	/** Another query is looked at: its frame moves, and the grid follows. @param {number} query */
	function look(query) {
		looked = query;
		const { served, arranged } = /** @type {any} */ (figures.get(matrix));
		for (const shape of arranged.layout.shapes)
			if (shape.name === "line query") Object.assign(shape, { y0: query - 0.5, y1: query + 0.5 });
		served.layout.meta.chosen.yaxis = query;
		cover();
		showEffect();
	}

	/** @param {Cell} cell */
	const isOpen = ({ row, at }) =>
		Number.isFinite(figures.get(matrix)?.traces[0].z[row]?.[at]) !==
		(before.has(`${row}.${at}`) !== now.has(`${row}.${at}`));

	/** Gives cells one state; a place to go Back to. @param {Cell[]} cells @param {boolean} [open] */
	function stroke(cells, open = !isOpen(cells[0])) {
		const { meta, xaxis, yaxis } = drawn.answer.figures.mask.layout;
		if (meta.sequences) return cover(); // of several, none is painted
		const turned = cells.filter((cell) => isOpen(cell) !== open);
		now = new Set(now);
		for (const { row, at } of turned) turn(now, `${row}.${at}`);
		cover();
		const [{ row, at }] = cells;
		const where = { query: yaxis.ticktext[row], key: xaxis.ticktext[at] };
		page.announce(
			open
				? say("query {query}, key {key}: opened", where)
				: say("query {query}, key {key}: masked", where),
		);
		page.set({ flip: writeStrokes(now) });
	}

	/** A mark of a cell. @param {Cell} cell @param {string} name @param {number} [width] */
	const marked = ({ row, at }, name, width = 0) => boxed(name, width, at - 0.5, row - 0.5);

	/** @param {HTMLElement} stage @returns {any[] | undefined} */
	const matrixOf = (stage) => figures.get(stage)?.traces[0]?.z;

	/** @param {HTMLElement} stage @param {MouseEvent | Touch} event */
	function under(stage, event) {
		const rows = matrixOf(stage);
		if (!rows) return null;
		const { x, y } = valueAt(stage, /** @type {MouseEvent} */ (event));
		const [row, at] = [Math.round(y), Math.round(x)];
		return rows[row]?.[at] === undefined ? null : { row, at };
	}

	/**
	 * A frame around the cell of a matrix while the same cell is pointed at in another of its size.
	 * @param {HTMLElement} stage @param {HTMLElement} other @param {Cell} cell
	 */
	function framed(stage, other, cell) {
		const [rows, theirs] = [stage, other].map(matrixOf);
		if (rows?.length !== theirs?.length || rows?.[0].length !== theirs?.[0].length) return;
		mark(stage, [marked(cell, "line paper", 6), marked(cell, "line focus", 3)]);
		other.addEventListener("pointerleave", () => mark(stage, []), { once: true });
	}

	/** @type {Cell[]} under the stroke that is being painted */ let cells = [];
	let open = true;
	/** What is painted is marked until the figure shows it. */
	function cover() {
		const patch = (/** @type {Cell} */ cell, is = isOpen(cell)) =>
			marked(cell, `fill ${is ? "attention" : "paper"}`);
		const painted = [...before.symmetricDifference(now)].map((cell) => {
			const [row, at] = cell.split(".").map(Number);
			return patch({ row, at });
		});
		const { meta } = /** @type {any} */ (figures.get(matrix)).served.layout;
		mark(matrix, [...painted, ...cells.map((cell) => patch(cell, open))], meta.chosen);
	}
	const end = () => cells.splice(0);
	/** Whether the area between the axes is touched. @param {any} event */
	const isMatrix = ({ target }) => target.matches(".nsewdrag, canvas");

	matrix.classList.add("paintable");
	/** @param {PointerEvent} event */
	const begin = (event) => {
		const cell = event.button || event.shiftKey || !isMatrix(event) ? null : under(matrix, event);
		if (!cell) return;
		event.preventDefault(); // Plotly would begin to zoom
		matrix.setPointerCapture(event.pointerId);
		matrix.focus({ preventScroll: true });
		Object.assign(figures.get(matrix)?.cursor ?? {}, cell, { trace: 0 });
		[cells, open] = [[cell], !isOpen(cell)];
		cover();
	};
	matrix.addEventListener("pointerdown", begin, { capture: true });
	matrix.onpointermove = (event) => {
		const cell = cells.length ? under(matrix, event) : null;
		if (!cell || cells.some(({ row, at }) => row === cell.row && at === cell.at)) return;
		cells.push(cell);
		cover();
	};
	matrix.onpointerup = () => cells.length && stroke(end(), open);
	matrix.onpointercancel = () => (end(), cover());
	const touch = (/** @type {Event} */ event) => isMatrix(event) && event.stopPropagation();
	matrix.addEventListener("touchstart", touch, { capture: true, passive: true });

	/**
	 * Only the controls that mean something now.
	 * @param {any} answer @param {string} name @param {number} sequences
	 */
	function showControls(answer, name, sequences) {
		const { alone, show: wanted } = shown;
		const names = answer.pattern.split(" ");
		lists.forEach((list, i) => (list.value = names[i] ?? (i === 1 ? "" : list.value)));
		const run = alone ? ["alone"] : ["run", `show-${wanted}`];
		about({ for: [...names, sequences && "batch", ...run], view: [name] });
		for (const number of $$('[data-for] [type="number"]:not([name="length"])'))
			number.max = answer.length;
		page.options("sequence", numbers(sequences || 1));
		page.options("head", numbers(card.config.n_heads));
		if (answer.model) page.options("layer", numbers(layersOf(answer.stack)), String(answer.layer));
		for (const name of ["columns", "lengths"])
			$(`[name="${name}"]`).placeholder = answer[name] ?? "";
	}

	/** What the three lists say together, "causal and block"; another mask starts unpainted. */
	function choose() {
		const [first, join, second] = lists.map(({ value }) => value);
		const pattern = join ? `${first} ${join} ${second}` : first;
		const [onGrid, { alone }] = [pattern.includes("window_2d"), page?.state ?? shown];
		const back = !onGrid && shown.pattern.includes("window_2d") && $('[name="alone"]').checked;
		/** @type {State} */
		const sentence = onGrid ? (alone ? {} : GRID) : back ? { alone: "" } : {};
		page?.set({ pattern, flip: NONE, ...sentence });
	}

	for (const list of lists) list.onchange = choose;
	for (const button of $$("[data-flip]"))
		button.onclick = () => page?.set({ flip: button.dataset.flip });

	start({
		load,
		draw,
		keys: { play: () => pointed && stroke([pointed]) },
	});
}
