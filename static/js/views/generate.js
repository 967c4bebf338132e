// The generate page: a text is written token by token, as steps, as a tree, or beside a reference.

import { ApiError } from "../http.js";
import { $$, byId, make } from "../common.js";
import { significant } from "../draw/text.js";
import { offer } from "../controls.js";
import { start } from "../page.js";
import { card } from "../state.js";
import { askFigures, showOne } from "./frames.js";
import * as question from "./generate-question.js";
import { about, player } from "./shared.js";
import { say } from "../words.js";

const BEAT = 900;

/** @param {AbortSignal} signal */
export default function visit(signal) {
	/** @type {Page} */ let page;
	let steps = 0;

	const { at, go, pause, ...keys } = player(signal, BEAT, (place, plays) =>
		page.set({ step: question.stepValue(place, steps) }, { push: !plays }),
	);

	start({
		async load(state, ask) {
			const { silent, remedy, most } = byId("texts").dataset;
			if (silent) throw new ApiError({ status: 422, detail: silent, errors: [{ hint: remedy }] });
			const plain = ask(...question.greedyCall(state));
			// Without a reference of the reader's, the text that greedy decoding writes is one.
			const own = state.show === "forcing" && !state.target && state.source;
			const reference = own ? (await plain).text : "";
			const call = question.call(reference ? { ...state, target: reference } : state);
			if (state.show === "tree" && state.strategy === "beam") {
				const draws = await import("./generate-tree.js");
				const at = question.stepAsked(state.step, Number(most));
				const asked = { ...call[1], at, ...draws.sizeOf(byId("tree")) };
				const [answer, greedy] = await Promise.all([ask("generate/drawing", asked), plain]);
				return { answer, greedy, call, show: "tree", asked, draws };
			}
			const same = state.strategy === "greedy" && !reference;
			const [answer, greedy] = await Promise.all([same ? plain : ask(...call), plain]);
			const show = question.shown(answer, state.show);
			const at = question.stepIndex(state.step, answer.steps.length) + 1;
			const part = { at, ...(show === "step" && question.whose(state, card.config)) };
			const [{ figures }, draws] = await Promise.all([
				askFigures(ask, "generate", { ...call[1], ...part }, show),
				show === "step" && import("./generate-lines.js"),
			]);
			return { answer, greedy, call, show, part, plotly: figures[show], draws };
		},
		draw({ answer, greedy, call, show, asked, part, plotly, draws }, state, present) {
			const count = question.stepCount(answer, show);
			const index = question.stepIndex(state.step, count);
			[page, steps] = [present, count];
			page.shows({ step: index + 1 });
			byId("tree").hidden = show !== "tree";
			byId("looked").hidden = show !== "step";
			const found = answer.text === greedy.text ? "same" : "better";
			about({
				for: [state.strategy, show],
				show: [show],
				found: [found],
				stopped: [answer.stopped],
			});
			byId("limit").textContent = answer.settings.max_new_tokens;
			controls(answer, show);
			beside(answer, greedy, state);
			at(index, count, `${index + 1} / ${count}`);
			const readout = (/** @type {string} */ said) => (byId("readout").textContent = said);
			const tree = { answer, index, call, asked };
			if (show === "tree") return draws.showTree(byId("tree"), tree, go, readout, page.refresh);
			const { look, read } = plotly.layout.meta;
			if (look) draws.showLines(look, read, go);
			const pick = (/** @type {State} */ { step }) => go(Number(step) - 1);
			showOne(byId("writing"), answer, `generate/${show}`, call[1], { part, pick, plotly });
		},
		keys: { ...keys, up: () => void pause() },
	});

	/** @param {any} answer @param {string} show */
	function controls(answer, show) {
		/** @type {State} */
		const there = { tree: answer.tree, forcing: answer.input.source, [show]: "it" };
		for (const radio of $$("input[name=show]")) {
			if (radio.parentElement.dataset.why) offer(radio, Boolean(there[radio.value]));
			radio.checked = radio.value === show;
		}
	}

	/** @param {any} answer @param {any} greedy @param {State} state */
	function beside(answer, greedy, { strategy, beams, target }) {
		const { teacher_forcing: forcing, without_edits: plain } = answer;
		const names = /** @type {State} */ ({
			greedy: say("greedy"),
			beam: say("beam, {beams}", { beams }),
		});
		const facts = [[names[strategy] ?? say("sampled"), answer]];
		if (strategy !== "greedy") facts.push([say("greedy"), greedy]);
		if (plain) facts.push([say("without edits"), plain]);
		if (forcing) {
			const name = target ? say("reference") : say("reference: the greedy output");
			facts.push([name, { ...forcing, text: answer.input.target }]);
		}
		byId("texts").replaceChildren(
			...facts.flatMap(([name, { text, log_probability: score }]) => {
				const sum = make("span", { className: "number soft" }, significant(score));
				return [make("dt", {}, name), make("dd", {}, text || say("(nothing)"), " ", sum)];
			}),
		);
	}
}
