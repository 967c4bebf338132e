// Playing: the event stream of /generate, one token a beat. Its reader is loaded for it.

import { failed } from "../status.js";

const BEAT = 900;

/** @type {{stop: () => void} | null} */
let playing = null;

/**
 * Asks for the stream and calls `onBeat` with the number of tokens to show, one more a beat, until
 * all are shown.
 * @param {[string, any]} call @param {object} options
 * @param {number} options.from @param {(shown: number, last: boolean) => void} options.onBeat
 * @param {() => void} options.onStop @param {(error: Error) => void} options.onProblem
 */
export function play(call, { from, onBeat, onStop, onProblem }) {
	const abort = new AbortController();
	let [shown, written, ended] = [from, 0, false];
	const stop = () => {
		if (playing !== mine) return;
		clearInterval(timer);
		abort.abort();
		playing = null;
		onStop();
	};
	const beat = () => {
		if (written > shown) onBeat((shown += 1), ended && shown === written);
		else if (ended) stop();
	};
	const timer = setInterval(beat, BEAT);
	const mine = { stop };
	playing?.stop();
	playing = mine;
	const onStep = () => void ((written += 1) === from + 1 && beat());
	const streaming = import("../events.js").then(({ stream }) =>
		stream(...call, { signal: abort.signal, onStep }),
	);
	streaming.then(
		() => (ended = true),
		(error) => {
			const ours = abort.signal.aborted;
			stop();
			if (ours) return;
			onProblem(error);
			failed(`${error.message} ${error.remedy ?? ""}`);
		},
	);
}

/** Stops what plays; says whether anything did. */
export function pause() {
	const was = playing;
	was?.stop();
	return was !== null;
}
