// A page whose figures come drawn, as those of clinics do: asks for them, shows each in its place, and says the words that came with them.

import { cover, list } from "../clinic-words.js";
import { showFigure } from "../figures/figure.js";
import { follow } from "../following.js";
import { start } from "../page.js";
import { progress } from "../progress.js";

/** @typedef {Record<string, string>} State */

/** One visit of the page. */
export default function visit() {
	const word = /** @type {string} */ (document.body.dataset.page);
	const predict = document.getElementById("predict");
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
	/** What only the page knows: which figures are shown, and whether the curtain is down. */
	const OF_THE_PAGE = [
		"curtain",
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

	/** Where a control chooses what several figures show, each is named after both: "stream.off". @param {HTMLElement} frame @param {State} state */
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

	/** Asks, and shows how far it is when it takes long. @type {import("../page.js").How} */
	const followed = (word, question, { cancel, ...options }) =>
		follow(word, question, { ...options, onProgress: (how) => progress(how, cancel) });

	/** @type {import("../page.js").Page | undefined} */ let page;
	const turn = () => page?.set({ curtain: page.state.curtain ? "" : "1" }, { push: false });

	predict?.addEventListener("click", turn);
	start({
		load: (state, ask) =>
			ask(
				`${word}/figures`,
				{
					...question(state),
					figures: frames.map((frame) => nameOf(frame, state)).join(","),
					encoding: "base64",
				},
				trains ? undefined : followed,
			),
		draw(answer, state, present) {
			page = present;
			if (predict) cover(Boolean(state.curtain), predict);
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
			if (answer.findings) findings(answer);
			document.dispatchEvent(new CustomEvent("drawn", { detail: answer })); // for a clinic that does more
		},
		keys: predict ? { predict: turn } : {},
	});

	/** What a clinic says. @param {any} answer */
	function findings(answer) {
		say("reading", answer.reading);
		say("source", [answer.source, answer.init].filter(Boolean).join(". "));
		list(
			/** @type {HTMLElement} */ (document.getElementById("findings")),
			answer.findings,
			answer.finding_titles,
		);
	}

	/** @param {string} id @param {string} sentence */
	function say(id, sentence) {
		Object.assign(/** @type {HTMLElement} */ (document.getElementById(id)), {
			textContent: sentence,
		});
	}
}
