// Warm-up: a clinic that comes drawn, whose networks train on while somebody looks.

import { ask } from "../api.js";
import { byId } from "../common.js";
import { stream } from "../events.js";
import { busy, failed, quiet } from "../status.js";
import clinic from "./drawn-clinic.js";
import { showOne } from "./frames.js";
import { grown } from "./warmup-live.js";
import { say } from "../words.js";

const LONGEST = 300;
const FIGURES = ["loss", "rate"];
/** @param {AbortSignal} signal */
export default function visit(signal) {
	const [button, count, taken] = ["train", "trained", "steps"].map(byId);

	/** @type {any} what the clinic has drawn */ let answer;
	/** @type {any} its figures, with room for all steps */ let roomy;
	/** @type {Trained[]} all that were seen, from the first on */ let steps = [];
	/** @type {AbortController | undefined} */ let training;

	document.addEventListener(
		"drawn",
		(event) => {
			const { detail } = /** @type {CustomEvent} */ (event);
			if (detail !== answer) forget(detail);
			else draw();
		},
		{ signal },
	);
	signal.addEventListener("abort", stop);
	/** Another question begins with as many steps as it is answered with. */
	document.addEventListener("input", ({ target }) => target !== taken && take("", "input"), {
		signal,
	});

	/** @param {number | string} steps of which the page speaks @param {string} how */
	function take(steps, how) {
		taken.value = steps;
		taken.dispatchEvent(new Event(how, { bubbles: true }));
	}

	const asked = () => {
		const { encoding, ...question } = answer.question;
		return question;
	};

	/** Another question: its curves begin anew. @param {any} given */
	function forget(given) {
		[answer, roomy, steps] = [given, undefined, []];
		stop();
		count.textContent = "";
	}

	function draw() {
		if (!roomy || steps.length <= roomy.question.steps) return;
		const call = { ...asked(), steps: steps.length };
		for (const id of FIGURES) {
			const plotly = grown(roomy.figures[id], steps);
			showOne(byId(id), answer, `warmup/${id}`, call, { plotly });
		}
	}

	async function trainOn() {
		const mine = (training = new AbortController());
		const { signal } = mine;
		button.firstChild?.replaceWith(`${say("Stop")} `);
		quiet();
		const seen = /** @type {Trained[]} */ ([]);
		let due = false;
		const show = () => {
			due = false;
			if (signal.aborted) return;
			if (seen.length > steps.length) steps = [...seen];
			count.textContent = seen.length ? say("step {step}", { step: seen.length }) : say("waiting");
			draw();
		};
		let lost = false;
		const notify = (sentence = "") => ((lost = true), busy(sentence, 0));
		const onStep = (/** @type {any} */ event) => {
			if (lost) quiet();
			lost = false;
			if (event.step > 0) seen.push(event);
			if (!due) requestAnimationFrame(show);
			due = true;
		};
		const makeRoom = async () => {
			const wanted = { ...asked(), figures: FIGURES.join(","), until: LONGEST };
			roomy ??= await ask("warmup/figures", wanted, { signal });
		};
		try {
			await Promise.all([
				makeRoom(),
				stream("warmup", { ...asked(), steps: LONGEST }, { begin: true, signal, notify, onStep }),
			]);
			show();
		} catch (error) {
			const { message, remedy = "" } = /** @type {import("../http.js").ApiError} */ (error);
			if (!signal.aborted) failed(`${message} ${remedy}`);
			else if (lost) quiet();
			if (!seen.length) count.textContent = "";
		} finally {
			if (training === mine) stop();
		}
	}

	/** The server keeps what was seen, and goes on from there; the page speaks of all of it. */
	function stop() {
		training?.abort();
		training = undefined;
		button.firstChild?.replaceWith(`${say("Continue training")} `);
		if (!signal.aborted && steps.length > answer?.question.steps) take(steps.length, "change");
	}

	button.onclick = () => (training ? stop() : answer && trainOn());
	clinic();
}
