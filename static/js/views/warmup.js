// Warm-up: four networks learn the same task at the same rate, and one is led up to it. They train on while somebody looks.

import { stream } from "../events.js";
import { clinic, hang, measured } from "../clinic.js";
import { palette } from "../draw/colours.js";
import { figure } from "../figure.js";
import { busy, failed, quiet } from "../status.js";
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

/** The question with numbers as JSON has them. */
const asked = () =>
  Object.fromEntries(
    [...PARAMETERS, "seed", "seeds"]
      .filter((name) => state[name])
      .map((name) => [name, numeric(state[name])]),
  );

/** What is no number is for the server to refuse. @param {string} text */
const numeric = (text) => (Number.isFinite(Number(text)) ? Number(text) : text);

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
  quiet();
  const seen = /** @type {typeof steps} */ ([]);
  let due = false;
  const show = () => {
    due = false;
    if (mine.signal.aborted) return;
    if (seen.length > steps.length) steps = [...seen];
    count.textContent = seen.length ? `step ${seen.length}` : "waiting";
    if (steps.length > answer.axes.step.size) draw();
  };
  let lost = false;
  const notify = (/** @type {string} */ sentence) => ((lost = true), busy(sentence, 0));
  const onStep = (/** @type {any} */ event) => {
    if (lost) quiet();
    lost = false;
    if (event.step > 0) seen.push(event);
    if (!due) requestAnimationFrame(show);
    due = true;
  };
  try {
    const options = { begin: true, signal: mine.signal, notify, onStep };
    await stream("warmup", { ...asked(), steps: LONGEST }, options);
    show();
  } catch (error) {
    const { message, remedy = "" } = /** @type {import("../api.js").ApiError} */ (error);
    if (!mine.signal.aborted) failed(`${message} ${remedy}`);
    else if (lost) quiet();
    if (!seen.length) count.textContent = "";
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
  trains: true,
  figures: { loss: followed("loss"), rate: followed("rate") },
  reading: (given, finding) =>
    `After ${given.axes.step.size} steps, of the cost of guessing: ${percent(measured(finding("left.post")))} left in Post-LN, ${percent(measured(finding("left.post_warmup")))} with warm-up, ${percent(measured(finding("left.pre")))} in Pre-LN.`,
  findings: {
    "left.post": "Left of guessing, Post-LN", "left.post_warmup": "Left, Post-LN with warm-up", "left.pre": "Left, Pre-LN", "left.admin": "Left, Admin", gain: "What warm-up alone gains",
  },
});
