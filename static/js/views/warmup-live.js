// The figures of a training that goes on: as they were served, with the steps that have come since.

/** @typedef {{step: number, rate: number[], loss: number[][]}} Step one step as the stream tells it: rates by arm, losses by arm and seed */
/** @typedef {import("../figures/arrange.js").Figure} Figure */

/**
 * The figure with the steps after its last. What a trace shows is said in its `meta`: an arm's `rate`, its
 * `loss` for one seed, or its mean loss.
 * @param {Figure} figure served without encoding @param {Step[]} steps from the first on @returns {Figure}
 */
export function grown({ data, layout }, steps) {
  const traces = data.map((trace) => (trace.meta.arm === undefined ? trace : lengthened(trace, steps)));
  const named = traces.filter(({ meta }) => meta.arm !== undefined && meta.seed === undefined);
  const most = Math.max(...traces.flatMap(({ y }) => y));
  const [low, high] = layout.yaxis.range;
  return {
    data: traces,
    layout: {
      ...layout,
      annotations: layout.annotations.map((/** @type {any} */ note) => atEnd(note, named.find(({ name }) => name === note.text))),
      yaxis: { ...layout.yaxis, range: [low, Math.max(high, most)] },
      meta: {
        ...layout.meta,
        call: layout.meta.call.replace(/([?&]steps=)\d+/, `$1${steps.length}`),
        shape: [...layout.meta.shape.slice(0, -1), steps.length],
      },
    },
  };
}

/** @param {any} trace @param {Step[]} steps */
function lengthened(trace, steps) {
  const more = steps.slice(trace.x.length);
  return {
    ...trace,
    x: [...trace.x, ...more.map(({ step }) => step)],
    y: [...trace.y, ...more.map((step) => shownOf(step, trace.meta))],
  };
}

/** @param {Step} step @param {{of: string, arm: number, seed?: number}} meta */
function shownOf({ rate, loss }, { of, arm, seed }) {
  if (of === "rate") return rate[arm];
  return seed === undefined ? average(loss[arm]) : loss[arm][seed];
}

/** The stream tells the losses of the seeds and not their mean. @param {number[]} values */
const average = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The name of a line stands at its end. @param {any} note @param {any} [trace] */
const atEnd = (note, trace) => (trace ? { ...note, x: trace.x.at(-1), y: trace.y.at(-1) } : note);
