// The residual page: one stream, one token, five figures of what happens to it.

import { input } from "../address.js";
import { palette } from "../draw/palette.js";
import { showFigure } from "../figures/figure.js";
import { figures } from "../figures/show.js";
import { card, start } from "../page.js";
import { placed } from "./places.js";
import { guessLine, tokenLine } from "./residual-lines.js";
import { readLens, readStream, stepTitle, tokensOf } from "./residual-stream.js";

/** @typedef {import("./residual-stream.js").Stream} Stream */
/** @typedef {import("./residual-stream.js").Lens} Lens */
/** @typedef {import("../figures/arrange.js").Figure} Figure */
/** @typedef {Record<string, string>} State */
/** @typedef {{view: string, position: number, step: number}} Choice */

const VIEWS = ["contributions", "norm", "writes", "dependency", "lens"];
const NARROW = 640; // pixels
const LETTER = 0.61; // of the size of a monospaced type is the width of its letters

/** One visit of the page. */
export default function visit() {
	/** @param {string} id */
	const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
	const [frame, tokens, says, readout] = ["stream", "tokens", "says", "readout"].map(element);
	const stage = /** @type {HTMLElement} */ (frame.querySelector(".stage"));
	const lensChoice = /** @type {HTMLInputElement} */ (
		document.querySelector("input[name=view][value=lens]")
	);

	/** @type {{stream: Stream, page: import("../page.js").Page} | undefined} what is drawn, for the keys */
	let drawn;

	/** A model of one stack has no choice. */
	const hasTwo = card.family === "encoder-decoder";

	/** @param {State} state */
	const viewOf = ({ view }) => (VIEWS.includes(view) ? view : "contributions");

	/** Nothing is read from an encoder that a decoder attends to. @param {State} state */
	const isRead = (state) => !(hasTwo && state.stack === "encoder");

	/** @param {State} state */
	const about = (state) => ({ ...input(state), stack: hasTwo ? state.stack : undefined });

	/** The figure of a view, and the question about its numbers. @param {State} state @param {number} position @returns {{word: string, name: string, question: import("../address.js").Question}} */
	const figureOf = (state, position) =>
		viewOf(state) === "lens"
			? { word: "logits", name: "lens", question: { ...input(state), lens: true } }
			: { word: "residual", name: viewOf(state), question: { ...about(state), position } };

	/** One guess a step to stand under a figure, ten for the view that is about them. @param {State} state */
	const lensQuestion = (state) => ({
		...input(state),
		lens: true,
		top: viewOf(state) === "lens" ? "" : 1,
		names: "lens.top_probability,lens.rest",
	});

	start({
		async load(state, ask) {
			const guessed = isRead(state) ? ask("logits", lensQuestion(state)) : null;
			const view = viewOf(state);
			// Where the token is told by its number, the figure alone brings all that is shown.
			const numbered = view !== "lens" && /^\d{1,2}$/.test(state.position);
			const residual = numbered ? null : await ask("residual", { ...about(state), names: "norm" });
			const position = residual
				? placed(state.position, tokensOf(residual))
				: Number(state.position);
			const { word, name, question } = figureOf(state, position);
			const nothing = view === "lens" && !isRead(state);
			const [logits, answer] = await Promise.all([
				guessed,
				nothing
					? residual
					: ask(`${word}/figures`, { ...question, figures: name, encoding: "base64" }),
			]);
			const figure = nothing ? unread() : answer.figures[name];
			const stream = readStream(
				residual ?? answer,
				residual ? tokensOf(residual) : figure.layout.meta.tokens,
			);
			return { stream, lens: logits && readLens(logits, stream), answer, figure, asked: state };
		},
		draw({ stream, lens, answer, figure, asked }, { step }, page) {
			const chosen = choice({ ...asked, step }, stream);
			drawn = { stream, page };
			const { word, name, question } = figureOf(asked, chosen.position);
			const sentences = sentencesOf(figure, chosen);
			showFigure(frame, marked(figure, chosen), {
				pick: (changes) => page.set(changes),
				point: ({ trace, at, row }) =>
					(readout.textContent =
						sentencesOf(figure, { ...chosen, position: row })[
							figure.data[trace].meta?.steps?.[at] ?? at
						] ?? ""),
				call: [word, question],
				drawn: [`${word}/figures/${name}`, question],
				answer,
			});
			readout.textContent = sentences[Math.min(chosen.step, sentences.length - 1)] ?? "";
			tokens.hidden = chosen.view === "lens";
			tokenLine(tokens, stream.tokens, chosen.position, (position) => select({ position }));
			guesses(stream, lens, chosen);
			words(chosen, stream.placement, lens !== null);
			page.options(
				"position",
				stream.tokens.map((token, i) => ({ value: i, label: `${i}  ${token}` })),
				String(chosen.position),
			);
			page.options(
				"step",
				stream.steps.map((each, i) => ({ value: stepValue(stream, i), label: stepTitle(each) })),
				stepValue(stream, chosen.step),
			);
		},
		keys: {
			step: (by) => move({ step: by }),
			layer: (by) => move({ position: by }),
		},
	});

	/** One sentence a step: of the chosen token, or of the row of a map. @param {Figure} figure @param {Choice} choice @returns {string[]} */
	function sentencesOf({ layout: { meta } }, { view, position }) {
		const { sentences = [] } = meta;
		return view === "lens"
			? (sentences[Math.min(position, sentences.length - 1)] ?? [])
			: sentences;
	}

	/** The figure with the chosen step marked, and with numbers where columns have room for them. @param {Figure} figure @param {Choice} choice @returns {Figure} */
	function marked(figure, { view, position, step }) {
		if (!figure.data.length) return figure;
		const { data, layout } = stage.clientWidth < NARROW ? withoutBar(figure) : figure;
		const [colours, last] = [palette(), layout.xaxis.range[1]];
		const at = Math.min(step, last - 0.5);
		const here = { x0: at - 0.5, x1: at + 0.5, xref: "x", type: "rect" };
		const marks =
			view === "lens"
				? [
						{
							...here,
							x0: -0.5,
							x1: last,
							y0: position - 0.5,
							y1: position + 0.5,
							yref: "y",
							line: { width: 2 },
							layer: "above",
							name: "line focus",
						},
						{
							...here,
							y0: position - 0.5,
							y1: position + 0.5,
							yref: "y",
							line: { width: 4 },
							layer: "above",
							name: "line focus",
						},
					]
				: [
						{
							...here,
							y0: 0,
							y1: 1,
							yref: "y domain",
							fillcolor: colours.select,
							opacity: 0.6,
							line: { width: 0 },
							layer: "below",
							name: "chosen",
						},
					];
		const numbers = (layout.annotations ?? []).filter((/** @type {any} */ { name }) =>
			name?.startsWith("step "),
		);
		const longest = Math.max(0, ...numbers.map((/** @type {any} */ { text }) => text.length + 1));
		const roomy = stage.clientWidth > numbers.length * longest * LETTER * colours.tick;
		const annotations = (layout.annotations ?? []).filter(
			(/** @type {any} */ note) => roomy || !numbers.includes(note) || note.name === `step ${step}`,
		);
		return {
			data,
			layout: {
				...layout,
				annotations,
				shapes: [...(layout.shapes ?? []), ...marks],
				meta: {
					...layout.meta,
					...(view === "lens" && { chosen: { xaxis: at, yaxis: position } }),
				},
			},
		};
	}

	/** Beside a narrow map there is no room for a bar of colours; its upright title says what they are. @param {Figure} figure @returns {Figure} */
	const withoutBar = ({ data, layout }) => ({
		data: data.map((trace) => ({ ...trace, showscale: false })),
		layout: layout.meta.without_bar
			? { ...layout, yaxis: { ...layout.yaxis, title: { text: layout.meta.without_bar } } }
			: layout,
	});

	/** Where nothing is read, the reason stands in the place of the figure. @returns {Figure} */
	function unread() {
		const { why } = /** @type {HTMLElement} */ (lensChoice.closest("label")).dataset;
		const axis = { range: [0, 1], showline: false, showgrid: false, tickvals: [], ticktext: [] };
		const note = { x: 0.5, y: 0.5, text: why ?? "", xref: "x", yref: "y" };
		return {
			data: [],
			layout: {
				xaxis: axis,
				yaxis: axis,
				annotations: [note],
				meta: { title: "What the stream would say", description: why },
			},
		};
	}

	/** What would be said at every step stands under its column; of a cell of the lens, its first ten guesses. @param {Stream} stream @param {Lens | null} lens @param {Choice} choice */
	function guesses(stream, lens, { view, position, step }) {
		if (!lens) return guessLine(says, "", []);
		if (view === "lens") {
			const cells = lens.guesses[step][position].map((guess, i) => ({
				guess,
				title: `guess ${i + 1}`,
			}));
			return guessLine(says, "guesses", cells, {
				after: `others ${lens.rest[step][position].toFixed(3)}`,
			});
		}
		const cells = lens.guesses.map((rows, i) => ({
			guess: rows[position][0],
			title: stepTitle(stream.steps[i]),
		}));
		const {
			arranged: {
				panels: [{ box }],
				size,
			} = { panels: [{ box: { x: 0, width: 0 } }], size: { width: 0 } },
		} = figures.get(stage) ?? {};
		guessLine(says, "says", cells, { left: box.x, right: size.width - box.x - box.width });
	}

	/** The state as numbers, within what there is. @param {State} state @param {Stream} stream @returns {Choice} */
	function choice(state, { steps, tokens: text }) {
		const last = steps.length - 1;
		const step = state.step === "end" ? last : Math.min(Math.max(Number(state.step) || 0, 0), last);
		return { view: viewOf(state), position: placed(state.position, text), step };
	}

	/** The last step keeps its name, whatever the model's depth. @param {Stream} stream @param {number} step */
	const stepValue = ({ steps }, step) => (step === steps.length - 1 ? "end" : String(step));

	/** From where the address is, which may not be drawn yet: keys come faster than answers. @param {{position?: number, step?: number}} by */
	function move({ position = 0, step = 0 }) {
		if (!drawn) return;
		const now = choice(drawn.page.state, drawn.stream);
		select({ position: now.position + position, step: now.step + step });
	}

	/** @param {{position?: number, step?: number}} wanted */
	function select({ position, step }) {
		if (!drawn) return;
		const { stream, page } = drawn;
		const now = choice(page.state, stream);
		const clamp = (/** @type {number} */ value, /** @type {number} */ length) =>
			Math.min(Math.max(value, 0), length - 1);
		page.set({
			position: String(clamp(position ?? now.position, stream.tokens.length)),
			step: stepValue(stream, clamp(step ?? now.step, stream.steps.length)),
		});
	}

	/** What belongs to the view shown: its words and its formula; and why there may be no lens. @param {Choice} chosen @param {string} placement @param {boolean} lens */
	function words({ view }, placement, lens) {
		for (const part of /** @type {NodeListOf<HTMLElement>} */ (
			document.querySelectorAll("[data-placement]")
		))
			part.hidden = !part.dataset.placement?.split(" ").includes(placement);
		for (const section of /** @type {NodeListOf<HTMLElement>} */ (
			document.querySelectorAll("[data-view]")
		))
			section.hidden = section.dataset.view !== view;
		lensChoice.disabled = !lens;
		const label = /** @type {HTMLElement} */ (lensChoice.closest("label"));
		label.title = lens ? "" : (label.dataset.why ?? "");
	}
}
