// What the state of the attention page means: which head of which attention, which place in it.

import { input, whole } from "../address.js";
import { plain } from "../figures/axis.js";
import { placed } from "./places.js";

const STAGES = ["scores", "masked_scores", "pattern"];

/** @param {State} state @param {HeadGroup[]} groups @param {number} heads @returns {HeadChoice} */
export function chosen({ kind, stack, layer, head, stage }, groups, heads) {
	const group =
		groups.find((known) => known.kind === kind && known.stack === stack) ??
		groups.find((known) => known.kind === kind) ??
		groups[groups.length - 1];
	return {
		...group,
		layer: whole(layer, 0, group.layers - 1),
		head: head === "all" ? null : whole(head, 0, heads - 1),
		stage: STAGES.includes(stage) ? stage : "pattern",
	};
}

/**
 * The places of a state that exist in a map; without a key the one that the query looks at most.
 * @param {State} state @param {MapNames} map
 */
export function places({ query: asked, key: given }, { queries, keys, strongest = [] }) {
	const query = placed(asked, queries.map(plain));
	const key = given ? whole(given, 0, keys.length - 1) : null;
	return { query, key, read: key ?? strongest[query] ?? 0 };
}

/** @param {State} state @param {HeadChoice} choice @param {string} [stage] */
export const question = (state, { kind, stack, layer, head, stage: own }, stage = own) => ({
	...input(state),
	...{ kind, stack, layer, head, stage },
});

/** The small map of a head: its trace and its tile. @param {any[]} traces @param {HeadChoice} choice */
export function tileOf(traces, { kind, stack, layer, head }) {
	const wanted = String(Object.values({ kind, stack, layer, head }));
	const all = traces.flatMap((trace) =>
		trace.meta.tiles.map((/** @type {any} */ tile) => ({ trace, tile })),
	);
	return all.find(({ tile }) => String(Object.values(tile[4])) === wanted);
}
