// What was seen of a longer training: the answer's own curves, and the steps after them as the stream told them.

/** @typedef {import("./warmup-figures.js").Step} Step */

/** The answer with the steps that came after its own. @param {any} answer @param {Step[]} steps from the first on */
export function longer(answer, steps) {
  const had = answer.axes.step.size;
  const more = steps.slice(had);
  if (!more.length) return answer;
  const { loss, mean, rate } = answer.tensors;
  const arms = /** @type {string[]} */ (answer.axes.arm.labels).map((_, i) => i);
  const size = had + more.length;
  const of = (/** @type {any} */ tensor, /** @type {any} */ data) => ({ ...tensor, data, shape: [...tensor.shape.slice(0, -1), size] });
  return {
    ...answer,
    axes: { ...answer.axes, step: { ...answer.axes.step, size } },
    tensors: {
      loss: of(loss, loss.data.map((/** @type {number[][]} */ seeds, /** @type {number} */ i) => seeds.map((one, j) => [...one, ...more.map((step) => step.loss[i][j])]))),
      mean: of(mean, arms.map((i) => [...mean.data[i], ...more.map((step) => average(step.loss[i]))])),
      rate: of(rate, arms.map((i) => [...rate.data[i], ...more.map((step) => step.rate[i])])),
    },
  };
}

/** @param {number[]} values */
const average = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
