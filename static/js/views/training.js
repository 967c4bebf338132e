// The training page: one slider over the kept steps of two small models.

import { byId } from "../common.js";
import { start } from "../page.js";
import { askFigures, showOne } from "./frames.js";
import { player } from "./shared.js";
import { say } from "../words.js";

const BEAT = 700;
const HELD_OUT = "held_out.repeat_loss,held_out.induction,held_out.previous";

/** @param {AbortSignal} signal */
export default function visit(signal) {
	/** @type {Page} */ let page;
	/** @type {any} what came with the maps */ let told;

	/** The letters stand in the bar where its model reads them. @param {State} state */
	const question = ({ step: at, head, ...state }) => ({
		text: state.letters ?? state.text,
		at,
		head,
	});

	const { at, go, pause, ...keys } = player(signal, BEAT, (place, plays) => {
		const step = told.steps[place];
		page.set({ step: step === told.beside.step ? "" : String(step) }, { push: !plays });
	});

	start({
		load: (state, ask) =>
			askFigures(ask, "training", question(state), `maps,loss,time.${state.show}`),
		draw(answer, state, present) {
			[page, told] = [present, answer.figures.maps.layout.meta];
			const step = told.steps[told.at];
			page.options("head", [{ value: "", label: say("all") }, ...told.heads]);
			const pick = (/** @type {State} */ { step: chosen, ...head }) =>
				chosen ? go(told.steps.indexOf(Number(chosen))) : page.set(head);
			const { text } = question(state);
			for (const [id, name, call] of /** @type {[string, string, any][]} */ ([
				["maps", "maps", { text, step, names: "pattern" }],
				["loss", "loss", { text, names: "loss" }],
				["time", `time.${state.show}`, { text, names: HELD_OUT }],
			]))
				showOne(byId(id), answer, `training/${name}`, question(state), {
					pick,
					call: ["training", call],
				});
			at(told.at, told.steps.length, say("step {step}", { step }));
		},
		keys: {
			...keys,
			up: () => pause() || (page?.state.head && page.set({ head: "" })),
		},
	});
}
