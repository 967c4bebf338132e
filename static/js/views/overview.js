// The overview: a sentence, its translation, and the model that made it, drawn with the shapes of
// this run.

import { input } from "../address.js";
import { ask as answerTo } from "../api.js";
import { $, byId } from "../common.js";
import { em, put, size } from "../drawing.js";
import { describe } from "../foot.js";
import { start } from "../page.js";

export default function visit() {
	const frame = byId("architecture");
	const stage = $(".stage", frame);

	const word = "architecture/drawing";
	/** @type {any} the latest question */ let asked;
	/** What is there: a part of it may have the focus. */
	let there = "";

	start({
		load(state, ask) {
			asked = { ...input(state), open: state.open, ...size(stage) };
			return ask(word, asked);
		},
		draw(answer, state, page) {
			const { least, fills, guess } = answer;
			const { width, height } = size(stage);
			const tall = (given = 0) => (fills ? Math.max(given, least) : 0);
			if (width !== asked.width || tall(height) !== tall(asked.height)) page.refresh();
			stage.style.minHeight = `${least * em(stage)}px`;
			if (answer.svg !== there) put(stage, (there = answer.svg));
			describe(frame, stage, {
				drawn: [word, asked],
				table: async () => (await answerTo(word, { ...asked, table: "weights" })).table,
				call: ["architecture", input(state)],
				answer,
				shape: answer.sum,
			});
			const told = { guess, "look-for": page.example()?.look_for ?? "" };
			for (const [id, said] of Object.entries(told)) {
				if (byId(id).textContent !== said) byId(id).textContent = said;
			}
		},
	});
}
