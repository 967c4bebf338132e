// Warm-up: four networks learn the same task at the same rate, and one is led up to it. They train on while somebody looks.

import { stream } from "../events.js";
import { clinic, hang, measured } from "../clinic.js";
import { palette } from "../draw/colours.js";
import { figure } from "../figure.js";
import { loss, rate } from "./warmup-figures.js";
import { longer } from "./warmup-live.js";

const PARAMETERS = ["warmup_steps", "peak", "layers"];
const LONGEST = 200;
const DRAWINGS = /** @type {Record<string, typeof loss>} */ ({ loss, rate });
const button = /** @type {HTMLButtonElement} */ (document.getElementById("train"));
const count = /** @type {HTMLElement} */ (document.getElementById("trained"));

/** @type {any} */ let answer;
/** @type {Record<string, string>} */ let state = {};
/** @type {import("./warmup-figures.js").Step[]} every step seen so far, from the first on */ let steps = [];
/** @type {AbortController | undefined} */ let training;

const percent = (/** @type {number} */ share) => `${Math.round(100 * share)} %`;
const asked = () => Object.fromEntries([...PARAMETERS, "seed", "seeds"].map((name) => [name, state[name]]));

/** A figure of the answer and of what has been seen beyond it. @param {string} id */
const followed = (id) => (/** @type {any} */ given, /** @type {import("../clinic.js").Space} */ space) => {
  if (given !== answer) forget(given);
  state = space.state;
  return DRAWINGS[id](longer(answer, steps), space);
};

/** Another question: its curves begin anew. @param {any} given */
function forget(given) {
  [answer, steps] = [given, []];
  stop();
  count.textContent = "";
}

function draw() {
  const shown = longer(answer, steps);
  for (const [id, picture] of Object.entries(DRAWINGS)) {
    const frame = figure(id);
    hang(frame, picture(shown, { ...frame.size(), colours: palette(), state }), ["warmup", { ...asked(), steps: shown.axes.step.size }], shown);
  }
}

async function trainOn() {
  const mine = (training = new AbortController());
  button.firstChild?.replaceWith("Stop ");
  const seen = /** @type {typeof steps} */ ([]);
  let due = false;
  const show = () => {
    due = false;
    if (mine.signal.aborted) return;
    if (seen.length > steps.length) steps = [...seen];
    count.textContent = seen.length ? `step ${seen.length}` : "waiting";
    if (steps.length > answer.axes.step.size) draw();
  };
  const onStep = (/** @type {any} */ event) => {
    if (event.step > 0) seen.push(event);
    if (!due) requestAnimationFrame(show);
    due = true;
  };
  try {
    await stream("warmup", { ...asked(), steps: LONGEST }, { signal: mine.signal, onStep });
    show();
  } catch (error) {
    if (!mine.signal.aborted) count.textContent = /** @type {Error} */ (error).message;
  } finally {
    if (training === mine) stop();
  }
}

/** What was seen stays; the server keeps what it has taken, and goes on from there. */
function stop() {
  training?.abort();
  training = undefined;
  button.firstChild?.replaceWith(steps.length && steps.length < LONGEST ? "Go on " : "Train on ");
}

button.addEventListener("click", () => (training ? stop() : answer && trainOn()));

clinic({
  word: "warmup",
  parameters: PARAMETERS,
  figures: { loss: followed("loss"), rate: followed("rate") },
  reading: (given, finding) =>
    `After ${given.axes.step.size} steps, of the cost of guessing: ${percent(measured(finding("left.post")))} left in Post-LN, ${percent(measured(finding("left.post_warmup")))} with warm-up, ${percent(measured(finding("left.pre")))} in Pre-LN.`,
  findings: {
    "left.post": "Left of guessing, Post-LN", "left.post_warmup": "Left, Post-LN with warm-up", "left.pre": "Left, Pre-LN", "left.admin": "Left, Admin", gain: "What warm-up alone gains",
  },
});
