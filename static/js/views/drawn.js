// A page whose figures come drawn, as those of clinics do: asks for them, and shows each in its place.

import { showFigure } from "../figures/figure.js";
import { start } from "../page.js";

/** One visit of a page that is no clinic. */
export default () => drawn();

/**
 * @param {object} [more] what a clinic adds
 * @param {string[]} [more.own] names in its state that nobody asks the server
 * @param {How} [more.how] how it asks
 * @param {(state: State, page: Page, answer: any) => void} [more.said] told whenever it is drawn
 * @param {Record<string, () => void>} [more.keys]
 */
export function drawn({ own = [], how, said: tell, keys = {} } = {}) {
	const word = /** @type {string} */ (document.body.dataset.page);
	const frames = [
		.../** @type {NodeListOf<HTMLElement>} */ (
			document.querySelectorAll("[data-figure], [data-figure-from]")
		),
	];
	const fields = /** @type {NodeListOf<HTMLInputElement>} */ (
		document.querySelectorAll("#controls [name]")
	);
	/** Where the events of the word are a training, a visit does not follow them. */
	const trains = document.querySelector("[data-trains]") !== null;
	/** Choices that ask something else than their own name and value: `data-asks="measure=1"`. */
	const asking = [
		.../** @type {NodeListOf<HTMLInputElement | HTMLOptionElement>} */ (
			document.querySelectorAll("#controls [data-asks]")
		),
	];
	/** @param {HTMLInputElement | HTMLOptionElement} choice */
	const controlOf = (choice) =>
		(choice instanceof HTMLInputElement
			? choice
			: /** @type {HTMLSelectElement} */ (choice.closest("select"))
		).name;
	/** What only the page knows: which figures are shown. */
	const OF_THE_PAGE = [
		...own,
		...frames.map(({ dataset }) => dataset.figureFrom),
		...asking.map(controlOf),
	];
	/** What is asked under another name than its own: `data-as="text"`. @type {State} */
	const named = Object.fromEntries(
		[
			.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#controls [data-as]")),
		].map((of) => [of.getAttribute("name") ?? of.dataset.input, of.dataset.as]),
	);
	/** Parts of the input that are asked too: `data-input="text"`. */
	const inputs = [
		.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#controls [data-input]")),
	].map(({ dataset }) => dataset.input ?? "");
	const asked = [...new Set([...[...fields].map(({ name }) => name), ...inputs])].filter(
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
			...asked.filter((name) => state[name]).map((name) => [named[name] ?? name, state[name]]),
			...asking
				.filter((choice) => state[controlOf(choice)] === choice.value)
				.map(({ dataset }) => (dataset.asks ?? "").split("=")),
		]);

	/** What the numbers are asked with, without what only figures are. @param {State} state @param {State} known */
	const only = (state, known) =>
		Object.fromEntries(Object.entries(state).filter(([name]) => name in known));

	start({
		load: (state, ask) =>
			ask(
				`${word}/figures`,
				{
					...question(state),
					figures: frames.map((frame) => nameOf(frame, state)).join(","),
					encoding: "base64",
				},
				trains ? undefined : how,
			),
		draw(answer, state, present) {
			tell?.(state, present, answer);
			for (const frame of frames) {
				const name = nameOf(frame, state);
				const { names, said = "" } = answer.figures[name].layout.meta;
				const readout = /** @type {HTMLElement | null} */ (
					frame.querySelector(".stage > .readout")
				);
				if (readout) readout.textContent = said;
				showFigure(frame, answer.figures[name], {
					pick: (changes) => present.set(changes),
					call: [word, { ...only(question(state), answer.question), ...(names && { names }) }],
					drawn: [`${word}/figures/${name}`, question(state)],
					answer,
					below: readout?.offsetHeight,
				});
				for (const formula of /** @type {NodeListOf<HTMLElement>} */ (
					frame.querySelectorAll("[data-of]")
				))
					formula.hidden = formula.dataset.of !== name;
			}
			document.dispatchEvent(new CustomEvent("drawn", { detail: answer })); // for a clinic that does more
		},
		keys,
	});
}
