// The training page: one slider over the kept steps of two small models. Maps, losses and roles
// come drawn, and with the maps what is said beside them.

import { showFigure } from "../figures/figure.js";
import { start } from "../page.js";

/** @typedef {Record<string, string>} State */

const BEAT = 700;
const HELD_OUT = "held_out.repeat_loss,held_out.induction,held_out.previous";
const by = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));

/** One visit of the page. @param {AbortSignal} signal ends with it */
export default function visit(signal) {
	/** @type {import("../page.js").Page} */ let page;
	/** @type {any} what came with the maps */ let told;
	/** @type {number} the step's place, drawn or about to be */ let here = 0;
	/** @type {ReturnType<typeof setInterval> | undefined} */ let playing;

	/** The letters stand in the bar where its model reads them. @param {State} state */
	const text = (state) => state.letters ?? state.text;

	/** @param {State} state */
	const question = ({ step: at, head, ...state }) => ({ text: text(state), at, head });

	/** The name of each figure and the tensors that it shows. @param {State} state */
	const figuresOf = ({ show }) =>
		Object.entries({
			maps: ["maps", "pattern"],
			loss: ["loss", "loss"],
			time: [`time.${show}`, HELD_OUT],
		});

	start({
		load: (state, ask) =>
			ask("training/figures", {
				...question(state),
				figures: figuresOf(state)
					.map(([, [name]]) => name)
					.join(","),
				encoding: "base64",
			}),
		draw(answer, state, present) {
			const { maps } = answer.figures;
			[page, told, here] = [present, maps.layout.meta, maps.layout.meta.at];
			const step = told.steps[here];
			page.options("head", [{ value: "", label: "all" }, ...told.heads]);
			for (const [id, [name, names]] of figuresOf(state)) {
				const one = id === "maps" ? { step } : {};
				showFigure(by(id), answer.figures[name], {
					answer,
					call: ["training", { text: text(state), ...one, names }],
					drawn: [`training/figures/${name}`, question(state)],
					pick: (chosen) => go(told.steps.indexOf(Number(chosen.step))),
					enter: (at) => id === "maps" && page.set({ head: state.head ? "" : headAt(maps, at) }),
				});
			}
			by("readout").textContent = told.reading;
			by("count").textContent = `step ${step}`;
			Object.assign(by("place"), {
				min: "0",
				max: String(told.steps.length - 1),
				value: String(here),
				ariaValueText: `step ${step}`,
			});
			by("back").disabled = here === 0;
			by("forward").disabled = here === told.steps.length - 1;
			for (const [name, value] of Object.entries(told.formed)) {
				const fact = document.querySelector(`[data-fact="${name}"]`);
				if (fact) fact.textContent = String(value);
			}
		},
		keys: {
			step: (way) => go(here + way),
			play: toggle,
			end: (way) => go(way < 0 ? 0 : Infinity),
			up: () => pause() || (page?.state.head && page.set({ head: "" })),
		},
	});

	/**
	 * The head whose small map was chosen; in a gap none.
	 * @param {import("../figures/arrange.js").Figure} figure @param {{row: number, at: number}} place
	 */
	function headAt(
		{
			data: [
				{
					meta: {
						size: [height, width],
						tiles,
					},
				},
			],
		},
		{ row, at },
	) {
		const found = tiles.findIndex(
			(/** @type {[string, number, number]} */ [, top, left]) =>
				row >= top && row < top + height && at >= left && at < left + width,
		);
		return told.heads[found]?.value ?? "";
	}

	/** @param {number} wanted @param {{push?: boolean}} [how] */
	function go(wanted, how = {}) {
		if (!told) return;
		if (how.push !== false) pause();
		here = Math.min(Math.max(wanted, 0), told.steps.length - 1);
		const step = told.steps[here];
		page.set({ step: step === told.formed.step ? "" : String(step) }, how);
	}

	/** Stops what plays; says whether anything did. */
	function pause() {
		const was = playing !== undefined;
		clearInterval(playing);
		playing = undefined;
		sayPlaying(false);
		return was;
	}

	/** From here to the last step, from the first where this is the last. */
	function toggle() {
		if (pause() || !told) return;
		const last = told.steps.length - 1;
		const next = () => document.body.dataset.state === "drawn" && go(here + 1, { push: false });
		if (here === last) go(0, { push: false });
		playing = setInterval(() => (here === last ? pause() : next()), BEAT);
		sayPlaying(true);
	}

	/** @param {boolean} on */
	function sayPlaying(on) {
		by("play").ariaPressed = String(on);
		by("play").ariaLabel = on ? "Pause" : "Play";
	}

	by("play").addEventListener("click", toggle);
	by("back").addEventListener("click", () => go(here - 1));
	by("forward").addEventListener("click", () => go(here + 1));
	by("place").addEventListener("input", () => go(Number(by("place").value)));
	const changed = (/** @type {any} */ { target }) =>
		target.matches("#input *, #controls *") && pause();
	document.addEventListener("input", changed, { signal });
	signal.addEventListener("abort", pause);
}
