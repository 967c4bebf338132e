// The parts of a Transformer, read off its modules and the names its run recorded: stacks, blocks, sub-layers, and a shape for every arrow.

/** @typedef {{name: string, type: string, parameters: Record<string, number[]>, count: number, modules: Module[]}} Module */
/** @typedef {{name: string, shape: number[], axes?: string[], formula?: string}} Recorded */
/** @typedef {{name: string, kind: "attention" | "cross_attention" | "feed_forward" | "row_attention" | "row_feed_forward", count: number, inner: string, widths: number[], after: string}} SubLayer */
/** @typedef {{name: string, index: number, count: number, enters: string, parts: SubLayer[]}} Block */
/** @typedef {{name: string, axis: string, told: boolean, embedded: string, blocks: Block[], finalNorm: number, leaves: string, count: number}} Stack */
/** @typedef {{kind: "bypass" | "box", reads: string, inner: string, says: string}} Beside */

const SUBLAYERS = /** @type {const} */ ([
	"attention",
	"cross_attention",
	"feed_forward",
	"row_attention",
	"row_feed_forward",
]);

/** 5×128 @param {number[] | undefined} shape */
export const times = (shape) => (shape ? shape.join("×") : "");

/**
 * @param {Module} root the model's module tree @param {Recorded[]} recorded the manifest of a run: on which axis a stack's input lies, too
 * @returns {Stack[]}
 */
export function stacks(root, recorded) {
	const axes = new Map(recorded.map(({ name, axes: on }) => [name, on]));
	const formulas = new Map(recorded.map(({ name, formula }) => [name, formula]));
	const shapes = new Map(recorded.map(({ name, shape }) => [name, shape]));
	const found = root.modules.filter(({ type }) => type === "Stack");
	return found.map((stack) => {
		const blocks = stack.modules
			.filter(({ type }) => type === "Block")
			.map((module, index) => block(module, index, shapes));
		const norm = stack.modules.find(({ name }) => name === `${stack.name}.norm`);
		const last = shapes.get(
			norm ? `${stack.name}.norm.out` : `${blocks.at(-1)?.name}.residual.out`,
		);
		return {
			name: stack.name,
			axis: axes.get(`${stack.name}.embedding.sum`)?.[0] ?? "",
			told: formulas.get(`${stack.name}.embedding.position`) !== "0",
			embedded: times(shapes.get(`${stack.name}.embedding.sum`)),
			blocks,
			finalNorm: norm?.count ?? 0,
			leaves: times(last),
			count: stack.count,
		};
	});
}

/** What is read beside the last stream, and what is said beside the distribution. @param {Module} root @param {Recorded[]} recorded @returns {Beside[]} */
export function besides(root, recorded) {
	const shapes = new Map(recorded.map(({ name, shape }) => [name, shape]));
	const kinds = /** @type {const} */ (["bypass", "box"]).filter((kind) =>
		root.modules.some(({ name }) => name === kind),
	);
	const of = (/** @type {string} */ name) => times(shapes.get(name));
	return kinds.map((kind) => ({
		kind,
		reads: String(shapes.get(`${kind}.numbers`)?.at(-1) ?? ""),
		inner: [`${kind}.post1`, `${kind}.post2`].map(of).join(" → "),
		says: of(`${kind}.out`),
	}));
}

/** @param {Module} module @param {number} index @param {Map<string, number[]>} shapes @returns {Block} */
function block(module, index, shapes) {
	const has = (/** @type {string} */ kind) =>
		module.modules.find(({ name }) => name === `${module.name}.${kind}`);
	const parts = SUBLAYERS.filter(has).map((kind, i, kinds) => ({
		name: `${module.name}.${kind}`,
		kind,
		count: has(kind)?.count ?? 0,
		inner: times(
			shapes.get(`${module.name}.${kind}.${kind.endsWith("feed_forward") ? "post" : "pattern"}`),
		),
		widths: kind.endsWith("feed_forward")
			? ["residual.in", `${kind}.post`, `${kind}.out`].map(
					(name) => shapes.get(`${module.name}.${name}`)?.at(-1) ?? 0,
				)
			: [],
		after: times(
			shapes.get(`${module.name}.residual.${i === kinds.length - 1 ? "out" : `after_${kind}`}`),
		),
	}));
	return {
		name: module.name,
		index,
		count: module.count,
		enters: times(shapes.get(`${module.name}.residual.in`)),
		parts,
	};
}

/** The parameters as a sum whose terms are the parts drawn: blocks that are alike are counted together. @param {Module} root @returns {{name: string, times: number, each: number}[]} */
export function census(root) {
	const leaf = (/** @type {Module} */ module) => {
		const own = Object.values(module.parameters).reduce(
			(sum, shape) => sum + shape.reduce((a, b) => a * b, 1),
			0,
		);
		const blocks = module.modules.filter(({ type }) => type === "Block");
		const others = module.modules.filter(({ type }) => type !== "Block");
		const alike = blocks.length > 0 && blocks.every(({ count }) => count === blocks[0].count);
		if (!blocks.length) return [{ name: module.name, times: 1, each: module.count }];
		return [
			...(own ? [{ name: module.name, times: 1, each: own }] : []),
			...(alike
				? [{ name: `${module.name} block`, times: blocks.length, each: blocks[0].count }]
				: blocks.map(({ name, count }) => ({ name, times: 1, each: count }))),
			...others.map(({ name, count }) => ({ name, times: 1, each: count })),
		];
	};
	const own = Object.values(root.parameters).reduce(
		(sum, shape) => sum + shape.reduce((a, b) => a * b, 1),
		0,
	);
	return [...root.modules.flatMap(leaf), ...(own ? [{ name: "output", times: 1, each: own }] : [])];
}

/** Every module that holds numbers itself: a row of name, shapes and count. @param {Module} module @returns {[string, string, number][]} */
export function holders(module) {
	const own = Object.entries(module.parameters);
	const count = own.reduce((sum, [, shape]) => sum + shape.reduce((a, b) => a * b, 1), 0);
	const row = /** @type {[string, string, number][]} */ (
		own.length
			? [
					[
						module.name || "model",
						own.map(([name, shape]) => `${name} ${times(shape)}`).join(", "),
						count,
					],
				]
			: []
	);
	return [...row, ...module.modules.flatMap(holders)];
}
