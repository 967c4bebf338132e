// The generate page: a text is written token by token. One step, the probabilities along the text,
// the tree of a beam search, or teacher forcing beside generation.

import { ApiError } from "../api.js";
import { number } from "../draw/text.js";
import { start } from "../page.js";
import { pause, play } from "./generate-play.js";
import * as question from "./generate-question.js";

/** @typedef {import("./generate-question.js").Step} Step */
/** @typedef {Record<string, string>} State */

/** One visit of the page. @param {AbortSignal} signal ends with it */
export default function visit(signal) {
	const by = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
	const all = (/** @type {string} */ selector) =>
		/** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(selector));

	/** @type {{index: number, count: number, page: import("../page.js").Page} | undefined} */
	let drawn; // or about to be: keys come faster than answers

	/** What draws, loaded when it is first needed. @type {Record<string, () => Promise<any>>} */
	const MODULES = {
		figure: () => import("../figures/figure.js"),
		lines: () => import("./generate-lines.js"),
		tree: () => import("./generate-tree.js"),
	};
	/** @type {Record<string, string[]>} */
	const NEEDS = {
		step: ["figure", "lines"],
		text: ["figure"],
		forcing: ["figure"],
		tree: ["tree"],
	};

	start({
		async load(state, ask) {
			const { silent, remedy } = by("texts").dataset;
			if (silent) throw new ApiError({ status: 422, detail: silent, errors: [{ hint: remedy }] });
			const plain = ask(...question.greedyCall(state));
			// Without a reference of the reader's, the text that greedy decoding writes is one.
			const own = state.show === "forcing" && !state.target && state.source;
			const reference = own ? (await plain).text : "";
			const call = question.call(reference ? { ...state, target: reference } : state);
			const same = state.strategy === "greedy" && !reference;
			const [answer, greedy] = await Promise.all([same ? plain : ask(...call), plain]);
			const show = question.shown(answer, state.show);
			const count = question.stepCount(answer, show);
			const index = question.stepIndex(state.step, count);
			const at = { ...call[1], at: index + 1 };
			const draws = Object.assign(
				{},
				...(await Promise.all(NEEDS[show].map((name) => MODULES[name]()))),
			);
			const [form, asked] =
				show === "tree"
					? ["drawing", { ...at, ...draws.roomOf(by("tree")) }]
					: ["figures", { ...at, figures: show, encoding: "base64" }];
			const drawing = await ask(`generate/${form}`, asked);
			return { answer, greedy, call, show, count, index, at, asked, drawing, draws };
		},
		draw({ answer, greedy, call, show, count, index, at, asked, drawing, draws }, state, page) {
			drawn = { index, count, page };
			by("tree").hidden = show !== "tree";
			by("looked").hidden = show !== "step";
			controls(answer, state, show, page);
			beside(answer, greedy, state, show);
			player(index, count);
			const readout = (/** @type {string} */ said) => (by("readout").textContent = said);
			if (show === "tree") {
				draws.showTree(by("tree"), { answer, drawing, call, asked }, go, readout, page.refresh);
				return;
			}
			readout(summary(answer.steps[index]));
			if (show === "step") {
				const first = answer.input.source ? "<s>" : "…"; // what was read before the first step
				const steps = /** @type {Step[]} */ (answer.steps).slice(0, index + 1);
				const text = [first, ...steps.map(({ token }) => token.text)];
				draws.showLines(question.look(answer, index, state), text, go);
			}
			draws.showFigure(by("writing"), drawing.figures[show], {
				pick: (/** @type {State} */ { step }) => go(Number(step) - 1),
				call,
				drawn: [`generate/figures/${show}`, at],
				answer,
			});
		},
		keys: {
			step: (way) => go((drawn?.index ?? 0) + way),
			play: () => toggle(),
			up: () => void pause(),
		},
	});

	/** @param {Step} step */
	function summary({ text, token, sum }) {
		const ended = token.text === "</s>" ? "ended · " : "";
		return `${text || "(nothing yet)"} · ${ended}sum of ln p ${number(sum)}`;
	}

	/** @param {number} index */
	function go(index) {
		if (!drawn) return;
		pause();
		const { count, page } = drawn;
		drawn.index = Math.min(Math.max(index, 0), count - 1);
		page.set({ step: question.stepValue(drawn.index, count) });
	}

	function toggle() {
		if (pause() || !drawn) return;
		const { index, count, page } = drawn;
		const show = (/** @type {number} */ at) =>
			page.set({ step: question.stepValue(at, count) }, { push: false });
		play(question.call(page.state), {
			from: index >= count - 1 ? 0 : index,
			onBeat: (tokens, last) => show(last ? count - 1 : tokens - 1),
			onStop: () => sayPlaying(false),
			onProblem: (error) => page.announce(error.message),
		});
		sayPlaying(true);
	}

	/** @param {boolean} on */
	function sayPlaying(on) {
		by("play").setAttribute("aria-pressed", String(on));
		by("play").setAttribute("aria-label", on ? "Pause" : "Play");
	}

	by("play").addEventListener("click", toggle);
	by("back").addEventListener("click", () => go((drawn?.index ?? 0) - 1));
	by("forward").addEventListener("click", () => go((drawn?.index ?? 0) + 1));
	by("place").addEventListener("input", ({ target }) =>
		go(Number(/** @type {HTMLInputElement} */ (target).value) - 1),
	);
	document.addEventListener(
		"input",
		({ target }) => /** @type {HTMLElement} */ (target).matches("#input *, #controls *") && pause(),
		{ signal },
	);
	signal.addEventListener("abort", pause);

	/** @param {number} index @param {number} count */
	function player(index, count) {
		Object.assign(by("place"), { max: String(count), value: String(index + 1) });
		by("count").textContent = `${index + 1} / ${count}`;
		Object.assign(by("back"), { disabled: index === 0 });
		Object.assign(by("forward"), { disabled: index >= count - 1 });
	}

	/**
	 * @param {any} answer @param {State} state @param {string} show
	 * @param {import("../page.js").Page} page
	 */
	function controls(answer, state, show, page) {
		for (const part of all("[data-for]")) {
			const names = part.dataset.for?.split(" ") ?? [];
			part.hidden = !names.includes(state.strategy) && !names.includes(show);
		}
		const there = { tree: answer.tree, forcing: answer.input.source, [show]: true };
		for (const radio of /** @type {NodeListOf<HTMLInputElement>} */ (all("input[name=show]"))) {
			const label = /** @type {HTMLElement} */ (radio.closest("label"));
			if (label.dataset.why) {
				radio.disabled = !there[radio.value];
				label.title = radio.disabled ? label.dataset.why : "";
			}
			radio.checked = radio.value === show;
		}
		const numbered = (/** @type {number} */ n) =>
			Array.from({ length: n }, (_, i) => ({ value: i, label: `${i}` }));
		page.options("layer", numbered(question.layers(answer)));
		const heads = numbered(answer.axes.head.size);
		page.options("head", [{ value: "mean", label: "mean" }, ...heads]);
	}

	/** @param {any} answer @param {any} greedy @param {State} state @param {string} show */
	function beside(answer, greedy, state, show) {
		const found = answer.text === greedy.text ? "same" : "better";
		for (const part of all("[data-show]")) {
			const wanted = (part.dataset.found ?? found) === found;
			part.hidden = !(part.dataset.show?.split(" ").includes(show) && wanted);
		}
		const forcing = answer.teacher_forcing;
		const reference = state.target ? "reference" : "reference: greedy’s own";
		const facts = [
			[nameOf(state), answer.text, answer.log_probability],
			...(state.strategy === "greedy" ? [] : [["greedy", greedy.text, greedy.log_probability]]),
			...(forcing ? [[reference, answer.input.target, forcing.log_probability]] : []),
		];
		by("texts").replaceChildren(
			...facts.flatMap(([name, text, score]) => {
				const term = Object.assign(document.createElement("dt"), { textContent: name });
				const words = Object.assign(document.createElement("dd"), {
					textContent: text || "(nothing)",
				});
				const sum = document.createElement("span");
				words.append(
					" ",
					Object.assign(sum, { className: "number soft", textContent: number(score) }),
				);
				return [term, words];
			}),
		);
		const limit = `Stopped at the limit of ${answer.settings.max_new_tokens} tokens.`;
		by("stopped").textContent = answer.stopped === "end" ? "" : limit;
		if (!forcing) return;
		const { first_difference: first, rows, largest_difference: largest } = forcing;
		by("largest").textContent = number(largest);
		const next = rows[first]?.expected.text;
		by("differs").textContent =
			first === null
				? "No row differs: parallel and one by one, the same words come out."
				: `Row ${first + 1} is the first that differs: the reference goes on with ${next}.`;
	}

	/** @param {State} state */
	const nameOf = ({ strategy, beams }) =>
		({ greedy: "greedy", beam: `beam, ${beams}` })[strategy] ?? "sampled";
}
