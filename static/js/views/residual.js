// The residual page: one stream, one token, five figures of what happens to it.

import { input } from "../address.js";
import { $, byId, within } from "../common.js";
import { palette } from "../draw/palette.js";
import { boxed } from "../figures/marks.js";
import { figures } from "../figures/show.js";
import { offer } from "../controls.js";
import { start } from "../page.js";
import { card } from "../state.js";
import { askFigures, showOne } from "./frames.js";
import { placed } from "./places.js";
import { guessLine, readLens, tokenLine } from "./residual-lines.js";
import { about } from "./shared.js";
import { say } from "../words.js";

const VIEWS = ["contributions", "norm", "writes", "dependency", "lens"];
const NARROW = 640; // pixels
const LETTER = 0.61; // of the size of a monospaced type is the width of its letters

export default function visit() {
	const ids = ["stream", "tokens", "says", "readout", "windows"];
	const [frame, tokens, says, readout, layers] = ids.map(byId);
	const stage = $(".stage", frame);
	const lensChoice = $("input[name=view][value=lens]");

	/** @type {{stream: StreamNames, page: Page} | undefined} what is drawn, for the keys */
	let drawn;

	const hasTwo = card.family === "encoder-decoder";

	/** @param {State} state */
	const viewOf = ({ view }) => (VIEWS.includes(view) ? view : "lens");

	/** Nothing is read without a head, or where a decoder reads. @param {State} state */
	const isRead = (state) => lensChoice.defaultChecked && !(hasTwo && state.stack === "encoder");

	/** Of a deep stack some layers, and the whole beside. @param {State} state @param {string} [of] */
	const windowed = (state, of = "decoder") => {
		const { size, [of]: depth } = layers?.dataset ?? {};
		const end = Number(depth) - 1;
		const last = end - (end % Number(size));
		return { ...input(state), first_layer: last ? Math.min(+state.first_layer, last) : "" };
	};

	/** @param {State} state */
	const ofStack = (state) => {
		const stack = hasTwo ? state.stack : undefined;
		return { ...windowed(state, stack), stack };
	};

	/**
	 * The figure of a view, and the question about its numbers.
	 * @param {State} state @param {number} position @returns {[string, string, Question]}
	 */
	const figureOf = (state, position) =>
		viewOf(state) === "lens"
			? ["logits", "lens", { ...windowed(state), lens: true }]
			: ["residual", viewOf(state), { ...ofStack(state), position }];

	/**
	 * One guess a step under a figure, ten in the view of the lens.
	 * @param {State} state
	 */
	const lensQuestion = (state) => ({
		...windowed(state),
		lens: true,
		top: viewOf(state) === "lens" ? "" : 1,
		names: "lens.top_probability,lens.rest",
	});

	start({
		async load(state, ask) {
			const guessed = isRead(state) ? ask("logits", lensQuestion(state)) : null;
			guessed?.catch(() => {}); // whoever leaves before it is awaited has no error
			const isLens = viewOf(state) === "lens";
			// Where the token is a number, the figure alone brings all that is shown.
			const numbered = !isLens && /^\d{1,2}$/.test(state.position);
			const first = { ...ofStack(state), position: 0 };
			const told = numbered ? null : await askFigures(ask, "residual", first, "norm");
			const position = told
				? placed(state.position, told.figures.norm.layout.meta.tokens)
				: Number(state.position);
			const [word, name, question] = figureOf(state, position);
			const nothing = isLens && !guessed;
			const [logits, answer] = await Promise.all([
				guessed,
				nothing ? told : askFigures(ask, word, question, name),
			]);
			const figure = nothing ? unread() : answer.figures[name];
			const stream = (told?.figures.norm ?? figure).layout.meta;
			return { stream, lens: logits && readLens(logits, stream), answer, figure, asked: state };
		},
		draw({ stream, lens, answer, figure, asked }, { step }, page) {
			const chosen = choice({ ...asked, step }, stream);
			drawn = { stream, page };
			const { tokens: text, titles } = drawn.stream;
			const [word, name, question] = figureOf(asked, chosen.position);
			const sentences = sentencesOf(figure, chosen);
			showOne(frame, answer, `${word}/${name}`, question, {
				plotly: marked(figure, chosen),
				pick: page.set,
				point({ trace, at, row }) {
					const step = figure.data[trace].meta?.steps?.[at] ?? at;
					readout.textContent = sentencesOf(figure, { ...chosen, position: row })[step] ?? "";
				},
			});
			readout.textContent = sentences[Math.min(chosen.step, sentences.length - 1)] ?? "";
			tokens.hidden = chosen.view === "lens";
			tokenLine(tokens, text, chosen.position, (position) => select(() => ({ position })));
			guesses(stream, lens, chosen);
			about({ view: [chosen.view] });
			offer(lensChoice, Boolean(lens));
			const places = text.map((token, i) => ({ value: i, label: `${i}  ${token}` }));
			page.options("position", places, String(chosen.position));
			if (layers) layers.hidden = question.first_layer === "";
			const steps = titles.map((label, i) => ({ value: stepValue(stream, i), label }));
			page.options("step", steps, stepValue(stream, chosen.step));
		},
		keys: {
			step: (by) => select(({ step }) => ({ step: step + by })),
			layer: (by) => select(({ position }) => ({ position: position + by })),
		},
	});

	/**
	 * One sentence a step: of the chosen token, or of the row of a map.
	 * @param {Figure} figure @param {StreamChoice} choice
	 */
	function sentencesOf({ layout: { meta } }, { position }) {
		const { sentences = [] } = meta;
		const row = sentences[Math.min(position, sentences.length - 1)];
		return Array.isArray(row) ? row : sentences;
	}

	/**
	 * The figure with the chosen step marked, and with numbers where columns have room for them.
	 * @param {Figure} figure @param {StreamChoice} choice @returns {Figure}
	 */
	function marked(figure, { view, position, step }) {
		if (!figure.data.length) return figure;
		const { data, layout } = stage.clientWidth < NARROW ? withoutBar(figure) : figure;
		const { tick, select: fillcolor } = palette();
		const last = layout.xaxis.range[1];
		const at = Math.min(step, last - 0.5);
		const filled = { fillcolor, opacity: 0.6, yref: "y domain", layer: "below" };
		const marks =
			view === "lens"
				? [
						boxed("line focus", 2, -0.5, position - 0.5, last + 0.5),
						boxed("line focus", 4, at - 0.5, position - 0.5),
					]
				: [{ ...boxed("chosen", 0, at - 0.5, 0), ...filled }];
		const { annotations: notes = [], meta } = layout;
		const { notes: looks = [] } = meta;
		const numbers = notes.filter((_, i) => looks[i]?.kind === "step");
		const longest = Math.max(0, ...numbers.map(({ text }) => text.length + 1));
		const roomy = stage.clientWidth > numbers.length * longest * LETTER * tick;
		const stays = (/** @type {any} */ _, /** @type {number} */ i) =>
			roomy || looks[i]?.kind !== "step" || looks[i]?.step === step;
		const said = { annotations: notes.filter(stays), shapes: [...(layout.shapes ?? []), ...marks] };
		const chosen = view === "lens" && { chosen: { xaxis: at, yaxis: position } };
		return {
			data,
			layout: { ...layout, ...said, meta: { ...meta, notes: looks.filter(stays), ...chosen } },
		};
	}

	/**
	 * Beside a narrow map there is no room for a bar of colours; its upright title says what
	 * they are.
	 * @param {Figure} figure @returns {Figure}
	 */
	const withoutBar = ({ data, layout }) => ({
		data: data.map((trace) => ({ ...trace, showscale: false })),
		layout: layout.meta.without_bar
			? { ...layout, yaxis: { ...layout.yaxis, title: { text: layout.meta.without_bar } } }
			: layout,
	});

	/** Where nothing is read, the reason stands in the place of the figure. @returns {Figure} */
	function unread() {
		const { why } = lensChoice.parentElement.dataset;
		const axis = { range: [0, 1], showline: false, showgrid: false, tickvals: [], ticktext: [] };
		const note = { x: 0.5, y: 0.5, text: why ?? "", xref: "x", yref: "y" };
		const meta = { title: say("Top prediction after each step"), description: why };
		return { data: [], layout: { xaxis: axis, yaxis: axis, annotations: [note], meta } };
	}

	/**
	 * What would be said at every step stands under its column; of a cell of the lens, its first
	 * ten guesses.
	 * @param {StreamNames} stream @param {Lens | null} lens @param {StreamChoice} choice
	 */
	function guesses({ titles }, lens, { view, position, step }) {
		if (!lens) return guessLine(says, "", []);
		if (view === "lens") {
			const ranked = lens.guesses[step][position];
			const cells = ranked.map((guess, i) => ({
				guess,
				title: say("prediction {number}", { number: i + 1 }),
			}));
			const after = say("others {share}", { share: lens.rest[step][position].toFixed(3) });
			return guessLine(says, say("predictions"), cells, { after });
		}
		const cells = lens.guesses.map((rows, i) => ({ guess: rows[position][0], title: titles[i] }));
		const { panels = [], size = { width: 0 } } = figures.get(stage)?.arranged ?? {};
		const { x: left, width } = panels[0]?.box ?? { x: 0, width: 0 };
		guessLine(says, say("predicts"), cells, { left, right: size.width - left - width });
	}

	/** @param {State} state @param {StreamNames} stream @returns {StreamChoice} */
	function choice(state, { titles, tokens: text }) {
		const last = titles.length - 1;
		const step = state.step === "end" ? last : within(0, last, Number(state.step) || 0);
		return { view: viewOf(state), position: placed(state.position, text), step };
	}

	/**
	 * The last step keeps its name, whatever the model's depth.
	 * @param {StreamNames} stream @param {number} step
	 */
	const stepValue = ({ titles }, step) => (step === titles.length - 1 ? "end" : String(step));

	/**
	 * From where the address is, which may not be drawn yet: keys come faster than answers.
	 * @param {(now: StreamChoice) => Partial<StreamChoice>} to
	 */
	function select(to) {
		if (!drawn) return;
		const { stream, page } = drawn;
		const now = choice(page.state, stream);
		const { position, step } = { ...now, ...to(now) };
		page.set({
			position: String(within(0, stream.tokens.length - 1, position)),
			step: stepValue(stream, within(0, stream.titles.length - 1, step)),
		});
	}
}
