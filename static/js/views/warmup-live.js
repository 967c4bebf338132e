// The figures of a training that goes on: as they were served, with the steps that have come since.

/**
 * The figure with the steps after its last. What a trace shows is said in its `meta`: an arm's
 * `rate`, its `loss` for one seed, or its mean loss.
 * @param {Figure} figure served without encoding @param {Trained[]} steps from the first on
 */
export function grown({ data, layout }, steps) {
	const goesOn = (/** @type {Trace} */ { meta }) => meta?.arm !== undefined;
	const traces = data.map((trace) => (goesOn(trace) ? lengthened(trace, steps) : trace));
	const named = traces.filter((trace) => goesOn(trace) && trace.meta?.seed === undefined);
	const most = Math.max(...traces.flatMap(({ y }) => y));
	const [low, high] = layout.yaxis.range;
	const { call = "", shape = [] } = layout.meta;
	return {
		data: traces,
		layout: {
			...layout,
			annotations: layout.annotations?.map((note) =>
				atEnd(
					note,
					named.find(({ name }) => name === note.text),
				),
			),
			yaxis: { ...layout.yaxis, range: [low, Math.max(high, most)] },
			meta: {
				...layout.meta,
				call: call.replace(/([?&]steps=)\d+/, `$1${steps.length}`),
				shape: [...shape.slice(0, -1), steps.length],
			},
		},
	};
}

/** @param {any} trace @param {Trained[]} steps */
function lengthened(trace, steps) {
	const more = steps.slice(trace.x.length);
	return {
		...trace,
		x: [...trace.x, ...more.map(({ step }) => step)],
		y: [...trace.y, ...more.map((step) => shownOf(step, trace.meta))],
	};
}

/** @param {Trained} step @param {{of: "rate" | "loss", arm: number, seed?: number}} meta */
const shownOf = ({ rate, loss, mean }, { of, arm, seed }) =>
	of === "rate" ? rate[arm] : seed === undefined ? mean[arm] : loss[arm][seed];

/** The name of a line stands at its end. @param {Note} note @param {Trace} [trace] */
const atEnd = (note, trace) => (trace ? { ...note, x: trace.x.at(-1), y: trace.y.at(-1) } : note);
