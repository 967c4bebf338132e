// The attention page: all heads, one head as map and token lines, one number with its
// derivation. What is pointed at is marked.

import { ask as answerTo } from "../api.js";
import { input, isEdited } from "../address.js";
import { $, $$, byId, isChord } from "../common.js";
import { palette } from "../draw/palette.js";
import { plain } from "../figures/axis.js";
import { decoded, tileAt } from "../figures/traces.js";
import { significant } from "../draw/text.js";
import { boxed, mark, renumber } from "../figures/marks.js";
import { figures } from "../figures/show.js";
import { describe } from "../foot.js";
import { offer } from "../controls.js";
import { start } from "../page.js";
import { card } from "../state.js";
import { chosen, places, question, tileOf } from "./attention-choice.js";
import { arrange, drawn, tokenAt } from "./attention-lines.js";
import { askFigures, showOne } from "./frames.js";
import { about, numbers } from "./shared.js";
import { say } from "../words.js";

/** @param {AbortSignal} signal */
export default function visit(signal) {
	const [REST, LEAST] = [300, 10];

	const frames = ["heads", "map", "lines", "over"];
	/** What the weights of a query are used for. @type {HTMLElement[]} */
	const forward = $$("#values, #importance");
	const [headsFigure, mapFigure, linesFigure, overFigure] = frames.map(byId);
	/** @type {HTMLElement[]} */
	const [headsStage, mapStage, linesStage, overStage] = frames.map((id) => $(`#${id} .stage`));
	const buttons = $$("[data-group]");
	const groups = buttons.map(({ dataset: { group: id, stack, kind, layers } }) => {
		return { id, stack, kind, layers: Number(layers) };
	});

	/** @type {Page} */ let page;
	/** @type {Open} answers and figures that are drawn, their state, what it chooses */ let view;
	/** @type {State} a choice on its way to the address */ let peek = {};
	/** @type {State | undefined} the latest that has got there */ let written;
	/** @type {ReturnType<typeof setTimeout>} */ let resting;
	signal.addEventListener("abort", () => clearTimeout(resting));
	/** @type {LinesLayout} */ let lines;
	/** @type {any} the panel, once asked for */ let derivation;
	/** @type {string=} typed before its field is there */ let typed;
	/** The length of the trail that takes the focus when it comes, or 0. */ let wanted = 0;
	const explaining = () => import("./explain.js");
	const choiceOf = (/** @type {State} */ state) => chosen(state, groups, card.config.n_heads);
	const placesNow = (changes = {}) => places({ ...view.state, ...peek, ...changes }, view.meta);

	/**
	 * Two digits are all a small picture shows; side by side where there is room.
	 * @param {State} state
	 */
	const headsQuestion = (state) => ({
		...input(state),
		decimals: 2,
		role: state.role,
		switches: state.shows === "edited",
		arranged: state.head !== "all" ? "column" : innerWidth > 899 ? "abreast" : "",
	});

	/**
	 * All heads, and an opened one in full: its pattern, and the stage chosen.
	 * @param {State} state @param {Ask} ask
	 */
	async function load(state, ask) {
		const choice = choiceOf(state);
		const drawnBy = (/** @type {any} */ of, /** @type {string} */ names) =>
			askFigures(ask, "attention", of, names);
		const every = drawnBy(headsQuestion(state), "heads");
		if (choice.head === null) return { heads: await every };
		const [heads, own, staged] = await Promise.all([
			every,
			drawnBy(question(state, choice, "pattern"), overFigure ? "map,over" : "map"),
			choice.stage === "pattern" ? null : drawnBy(question(state, choice), "map"),
		]);
		const answer = staged ?? own;
		const { map } = answer.figures;
		const [pattern, trace] = [own, answer].map(({ figures: of }) => decoded(of.map.data[0]));
		const { meta } = map.layout;
		const seen = { heads, answer, map, meta, pattern, trace, over: own.figures.over };
		if (!state.explain) {
			// Those are numbers of the weights of the run as it is without edits.
			for (const frame of forward) frame.hidden = isEdited(state);
			if (isEdited(state)) return seen;
			const { query } = places({ ...state, ...peek }, seen.meta);
			const asked = { ...question(state, choice, "pattern"), forward: String(query) };
			const names = forward.map(({ id }) => id).join();
			return { ...seen, asked, used: await drawnBy(asked, names) };
		}
		const { derive, panel, rooted } = await explaining();
		derivation ??= panel(byId("derivation"), { go: (/** @type {Entry[]} */ trail) => show(trail) });
		const { query, read } = places({ ...state, ...peek }, seen.meta);
		const trail = rooted(state.explain, placeOf(seen.meta, choice, query, read));
		return { ...seen, derived: await derive(trail, ask, input(state)) };
	}

	/**
	 * @param {any} meta @param {HeadChoice} choice @param {number} query @param {number} key
	 * @returns {Entry}
	 */
	const placeOf = ({ map }, { stage, head }, query, key) => ({
		name: `${map}.${stage}`,
		at: [Number(head), query, key],
	});

	/** @param {any} loaded @param {State} state @param {Page} here */
	function draw(loaded, state, here) {
		if (view && (state.query !== view.state.query || state.key !== view.state.key)) update(state);
		page = here;
		const choice = choiceOf(state);
		view = { ...loaded, state, choice };
		page.shows({ ...choice, ...(view.map && places(state, view.meta)) });
		const { heads, answer, map, over, derived } = view;
		headsFigure.parentElement.dataset.mode = derived ? "derivation" : map ? "head" : "all";
		fillControls(choice);
		const below = palette().tick * 2;
		showOne(headsFigure, heads, "attention/heads", headsQuestion(state), {
			call: ["attention", input(state)],
			below,
			pick: page.set,
			point: ({ trace, row, at }) =>
				sayHead(tileAt(figures.get(headsStage)?.traces[trace].meta, row, at)),
		});
		if (map)
			showOne(mapFigure, answer, "attention/map", question(state, choice), {
				below,
				point: ({ row, at }) => choose({ query: String(row), key: String(at) }),
				enter: ({ row, at }) => explain(row, at),
			});
		if (over) {
			const tokens = over.data[0].meta.places;
			showOne(overFigure, answer, "attention/over", question(state, choice, "pattern"), {
				plotly: over,
				enter: ({ row, at }) =>
					tokens[row]?.[at] >= 0 && choose({ query: String(tokens[row][at]) }),
			});
		}
		for (const frame of view.used ? forward : [])
			showOne(frame, view.used, `attention/${frame.id}`, view.asked, { below });
		select();
		if (!derived) return derivation?.hide();
		derivation.show(derived);
		if (wanted !== derived.trail.length) return;
		wanted = 0;
		derivation.focus();
	}

	/** What was chosen since stays, unless the address went elsewhere. @param {State} state */
	function update(state) {
		const own = Object.entries(written ?? {}).every(([name, value]) => state[name] === value);
		if (!written || peek === written || !own) peek = {};
	}

	function select() {
		const { choice, map, over, trace } = view;
		const opened = tileOf(view.heads.figures.heads.data.map(decoded), choice);
		sayHead(opened?.tile);
		mark(headsStage, opened ? [frameOf(opened)] : []);
		if (!map) return;
		const { query, key, read } = placesNow();
		const cell = [
			boxed("line ink", 5, Number(key) - 0.5, query - 0.5),
			boxed("line paper", 2, Number(key) - 0.5, query - 0.5),
		];
		const row = boxed("line query", 3, -0.5, query - 0.5, trace.z[0].length);
		mark(mapStage, [row, ...(key === null ? [] : cell)], { xaxis: key, yaxis: query });
		readOut(query, read);
		if (over) lookOver(query, decoded(over.data[0]).meta);
		drawLines(query, key, opened);
	}

	/** The weights of another query round the patches. @param {number} query @param {any} meta */
	function lookOver(query, { places: tokens, rows }) {
		renumber(overStage, 0, {
			z: tokens.map((/** @type {number[]} */ row) =>
				row.map((token) => (token < 0 ? Number.NaN : rows[query][token])),
			),
		});
		const row = tokens.findIndex((/** @type {number[]} */ each) => each.includes(query));
		const left = tokens[row].indexOf(query) - (query ? 2 : 1.5);
		mark(overStage, [boxed("line focus", 3, left, row)]);
	}

	/** @param {any} opened a head among all */
	function frameOf({ trace: { x, y, meta }, tile: [, top, left, , { head }] }) {
		const [right, end] = [x[left + meta.size[1]], y[top + meta.size[0]]];
		return boxed(`line head:${head}`, 4, x[left], y[top], right - x[left], end - y[top]);
	}

	/** @param {Tile} [tile] */
	const sayHead = (tile) => (byId("heads-readout").textContent = tile?.[3] ?? "");

	/** @param {number} query @param {number} key */
	function readOut(query, key) {
		const { meta, trace } = view;
		const value = trace.z[query][key];
		const amount = Number.isFinite(value)
			? `${trace.colorbar.title.text} ${significant(value)}`
			: say("masked");
		byId("map-readout").textContent = plain(`${meta.asking[query]} → ${meta.keys[key]}: ${amount}`);
	}

	/** @param {number} query @param {number | null} key @param {any} opened */
	function drawLines(query, key, opened) {
		const { clientWidth: width, clientHeight: height } = linesStage;
		if (!width) return;
		const { state, choice, trace, answer, pattern, meta } = view;
		const row = trace.z[query];
		const shown = {
			...meta,
			query,
			key,
			row,
			head: Number(choice.head),
			pattern: pattern.z,
			before: pattern.meta.before,
			measure: trace.colorbar.title.text,
			signed: choice.stage !== "pattern" || state.shows === "difference",
			reach: trace.zmax,
			heads: rowsOf(opened, query),
			threshold: Number(state.threshold),
		};
		const { tick } = palette();
		lines = arrange(shown, width, height, tick, page.state.present ? tick : LEAST);
		const drawing = drawn(shown, lines);
		$("svg", linesStage)?.remove();
		linesStage.append(drawing);
		if (!linesStage.matches(":hover"))
			linesStage.scrollTop = lines.top + query * lines.row - height / 2;
		byId("lines-title").textContent = say("Query “{token}”", { token: plain(meta.asking[query]) });
		const asked = question(state, choice, "pattern");
		describe(linesFigure, linesStage, {
			drawing,
			answer,
			kind: meta.kind,
			call: ["attention", asked],
			shape: `[${row.length}]`,
			table: () => rowTable(asked, query),
		});
	}

	/**
	 * The query's row in every head of the layer, where small maps have a cell for every weight.
	 * @param {any} opened @param {number} query
	 */
	function rowsOf({ trace: { z, meta }, tile: [, top] }, query) {
		const [high, wide] = meta.size;
		if (high !== view.meta.queries.length) return [];
		return meta.tiles
			.filter((/** @type {any} */ tile) => tile[1] === top)
			.map((/** @type {any} */ [, , left]) => z[top + query].slice(left, left + wide));
	}

	/** @param {any} asked @param {number} query */
	async function rowTable(asked, query) {
		const { map, keys, queries } = view.meta;
		const { tensors } = await answerTo("attention", { ...asked, head: "" });
		const heads = /** @type {number[][][]} */ (tensors[`${map}.pattern`].data);
		return {
			caption: say("Row of query {query} in every head", { query: plain(queries[query]) }),
			head: [say("key"), ...heads.map((_, number) => say("head {number}", { number }))],
			rows: keys.map((/** @type {string} */ name, /** @type {number} */ k) => [
				plain(name),
				...heads.map((rows) => rows[query][k]),
			]),
		};
	}

	/** @param {HeadChoice} choice */
	function fillControls({ id, layers, layer, head, stage }) {
		page.options("layer", numbers(layers), String(layer));
		page.options(
			"head",
			[...numbers(card.config.n_heads), { value: "all", label: say("all") }],
			String(head ?? "all"),
		);
		const masked = $('[value="masked_scores"]');
		for (const button of buttons) {
			const own = button.dataset.group === id;
			button.ariaPressed = String(own);
			if (own) offer(masked, "masked" in button.dataset);
		}
		about({ for: [id], stage: [stage] });
		const { heads } = view.heads.figures;
		const { pick, hollow = [] } = heads.data.at(-1).meta;
		const at = heads.data
			.flatMap((/** @type {any} */ { meta }) => meta.tiles)
			.indexOf(tileOf(heads.data, view.choice)?.tile);
		Object.assign(byId("turn"), {
			disabled: at < 0 || !pick,
			textContent: hollow[at] ? say("turn on") : say("turn off"),
			onclick: () => page.set({ edits: pick.edits[at] }),
		});
		byId("example").textContent = page.example()?.look_for ?? "";
	}

	/**
	 * Marks a choice at once and writes it in the address when it has come to rest. An open
	 * derivation follows the keys, not the pointer.
	 * @param {State} changes
	 */
	function choose(changes) {
		const { query, read } = placesNow(changes);
		if (view.derived && mapStage.matches(":hover")) return readOut(query, read);
		peek = { ...peek, ...changes };
		select();
		clearTimeout(resting);
		resting = setTimeout(() => page.set((written = peek), { push: false }), REST);
	}

	/**
	 * Shows a trail in the panel; an empty one closes it.
	 * @param {Entry[]} trail @param {State} [changes]
	 */
	async function show(trail, changes = {}) {
		const { write } = await explaining();
		clearTimeout(resting);
		written = peek = { ...peek, ...changes };
		page.set({ ...peek, explain: write(trail) });
		wanted = trail.length;
		if (!trail.length) mapStage.focus();
	}

	/** @param {number} query @param {number} key */
	const explain = (query, key) =>
		show([placeOf(view.meta, view.choice, query, key)], { query: String(query), key: String(key) });

	/** A number for the cell. @param {string} [key] its first */
	async function type(key = "") {
		const late = typed; // a second would take the focus
		typed = (late ?? "") + key;
		if (late !== undefined) return;
		try {
			const { askNumber } = await import("./attention-cell.js");
			const { query, read } = placesNow();
			askNumber(byId("set-cell"), typed, placeOf(view.meta, view.choice, query, read), page, peek);
		} finally {
			typed = undefined;
		}
	}

	/** @param {MouseEvent} event */
	function look({ clientX, clientY }) {
		const { left, top } = linesStage.getBoundingClientRect();
		const found = view?.map && tokenAt(lines, clientX - left, clientY - top + linesStage.scrollTop);
		if (found && /** @type {any} */ (placesNow())[found.side] !== found.index)
			choose({ [found.side]: String(found.index) });
	}

	/** Whether there is one. @param {number} way */
	function step(way) {
		const to = view.map && placesNow().query + way;
		if (!view.meta?.queries[to]) return false;
		choose({ query: String(to) });
		return true;
	}

	function up() {
		if (view.derived) show(view.derived.trail.slice(0, -1));
		else if (view.map) page.set({ head: "all" });
	}

	function open() {
		if (!view.map) return page.set({ head: "0" });
		const { query, read } = placesNow();
		explain(query, read);
	}

	byId("set-cell").onclick = () => type();
	byId("find").onchange = () => {
		const [layer, head] = byId("find").value.split(".");
		page.set({ layer, head });
	};
	mapStage.addEventListener("keydown", (event) => {
		if (event.target !== mapStage || isChord(event) || !/^[-\d.]$/.test(event.key)) return;
		event.preventDefault(); // no example is meant
		type(event.key);
	});
	linesStage.onpointermove = linesStage.onclick = look;
	buttons.forEach((button, i) => {
		const { stack, kind } = groups[i];
		button.onclick = () =>
			page.set({ stack, kind, explain: view.derived ? page.state.explain.split("*")[0] : "" });
	});
	start({ load, draw, keys: { up, step, open } });
}
