// Playing: the event stream of /generate, one token a beat. The reader of streams is loaded for it.

import { failed } from "../status.js";

/** @typedef {import("./generate-question.js").Step} Step */

const BEAT = 900;

/** @type {{steps: Step[], stop: () => void} | null} */
let playing = null;

/** The steps that have come so far, while it plays. */
export const streamed = () => playing?.steps ?? null;

/**
 * Asks for the stream and calls `onBeat` with the number of tokens to show, one more a beat, until all are shown.
 * @param {[string, any]} call @param {{from: number, onBeat: (shown: number, last: boolean) => void, onStop: () => void, onProblem: (error: Error) => void}} options
 */
export function play(call, { from, onBeat, onStop, onProblem }) {
  const abort = new AbortController();
  /** @type {Step[]} */ const steps = [];
  let shown = from;
  let ended = false;
  const stop = () => {
    if (playing?.steps !== steps) return;
    clearInterval(timer);
    abort.abort();
    playing = null;
    onStop();
  };
  const beat = () => {
    if (steps.length > shown) onBeat((shown += 1), ended && shown === steps.length);
    else if (ended) stop();
  };
  const timer = setInterval(beat, BEAT);
  playing?.stop();
  playing = { steps, stop };
  const onStep = (/** @type {Step} */ step) => void (steps.push(step) === from + 1 && beat());
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
