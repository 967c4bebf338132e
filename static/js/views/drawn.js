// A page whose figures come drawn, as those of clinics do: asks for them, and shows each in its
// place.

import { EDITS } from "../address.js";
import { $, $$ } from "../common.js";
import { showFigure } from "../figures/figure.js";
import { besides } from "../controls.js";
import { start } from "../page.js";

export default () => drawn();

/** @param {Drawn} [more] */
export function drawn({ own = [], how, onDraw, keys = {} } = {}) {
	/** Some choices ask another word: `data-word="logits"`. @param {State} state */
	const wordOf = ({ show }) =>
		$(`#controls [data-word][value="${show}"]`)?.dataset.word ?? document.body.dataset.page;
	const frames = $$("[data-figure], [data-figure-from]");
	const fields = $$("#controls [name]").map(({ name }) => name);
	/** Where the events of the word are a training, a visit does not follow them. */
	const trains = $("[data-trains]");
	/** Choices that ask something else than their own name and value: `data-asks="measure=1"`. */
	const asking = $$("#controls [data-asks]");
	/** An option is its select's. @param {HTMLElement} choice @returns {string} */
	const controlOf = (choice) => /** @type {any} */ (choice.closest("[name]")).name;
	/** What only the page knows: which figures are shown. */
	const OF_THE_PAGE = [
		...own,
		...frames.map(({ dataset }) => dataset.figureFrom),
		...asking.map(controlOf),
	];
	/** What is asked under another name than its own: `data-as="text"`. @type {State} */
	const named = Object.fromEntries(
		$$("#controls [data-as]").map(({ name, dataset }) => [name || dataset.input, dataset.as]),
	);
	/** Parts of the input that are asked too: `data-input="text"`. */
	const inputs = $$("#controls [data-input]").map(({ dataset }) => dataset.input);
	const asked = [...new Set([...fields, ...inputs, ...EDITS, "shows"])].filter(
		(name) => !OF_THE_PAGE.includes(name),
	);

	/**
	 * Where a control chooses what several figures show, each is named after both: "stream.off".
	 * @param {HTMLElement} frame @param {State} state
	 */
	const nameOf = ({ dataset: { figure, figureFrom } }, state) =>
		[figureFrom && state[figureFrom], figure].filter(Boolean).join(".");

	/** @param {State} state @returns {State} */
	const question = (state) =>
		Object.fromEntries([
			...Object.entries(besides(state)),
			...asked.filter((name) => state[name]).map((name) => [named[name] ?? name, state[name]]),
			...asking
				.filter((choice) => state[controlOf(choice)] === choice.value)
				.map(({ dataset }) => (dataset.asks ?? "").split("=")),
		]);

	/**
	 * What the numbers are asked with, without what only figures are.
	 * @param {State} state @param {State} known
	 */
	const only = (state, known) =>
		Object.fromEntries(Object.entries(state).filter(([name]) => name in known));

	start({
		load: (state, ask) =>
			ask(
				`${wordOf(state)}/figures`,
				{
					...question(state),
					figures: frames.map((frame) => nameOf(frame, state)).join(","),
					encoding: "base64",
				},
				trains ? undefined : how,
			),
		draw(answer, state, present) {
			onDraw?.(state, present, answer);
			const word = wordOf(state);
			for (const frame of frames) {
				const name = nameOf(frame, state);
				const { names, said = "" } = answer.figures[name].layout.meta;
				const readout = $(".stage > .readout", frame);
				if (readout) readout.textContent = said;
				// Before it is measured how much room is left.
				for (const formula of $$("[data-of]", frame)) formula.hidden = formula.dataset.of !== name;
				showFigure(frame, answer.figures[name], {
					pick: present.set,
					call: [word, { ...only(question(state), answer.question), ...(names && { names }) }],
					drawn: [`${word}/figures/${name}`, question(state)],
					answer,
					below: readout?.offsetHeight,
				});
			}
			// For a clinic that does more.
			document.dispatchEvent(new CustomEvent("drawn", { detail: answer }));
		},
		keys,
	});
}
