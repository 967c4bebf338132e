// A small attention worked out in plain JavaScript: queries and keys by a formula, scores, mask and softmax as in the paper.

const wave = (seed, n) =>
	Array.from({ length: n }, (_, i) => Math.sin(1 + seed * 1.7 + i * 2.3) * (1 + (i % 3)));
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);

export function softmax(row) {
	const largest = Math.max(...row.map((value) => value ?? -Infinity));
	const powers = row.map((value) => (value === null ? 0 : Math.exp(value - largest)));
	const sum = powers.reduce((a, b) => a + b, 0);
	return powers.map((value) => value / sum);
}

const SOURCE = ["<s>", "i", "am", "cold", "</s>"];
const TARGET = ["<s>", "j'", "ai", "froid"];
const causal = (n) =>
	Array.from({ length: n }, (_, q) => Array.from({ length: n }, (_, k) => (k <= q ? 1 : 0)));
const full = (n, m) => Array.from({ length: n }, () => Array.from({ length: m }, () => 1));

/** What /attention answers for two layers of two heads with d_head 4. */
export function example(stage = "pattern") {
	const axes = {
		source: { kind: "position", size: 5, labels: SOURCE },
		target: { kind: "position", size: 4, labels: TARGET },
		head: { kind: "head", size: 2 },
	};
	const kinds = [
		["decoder", "cross_attention", "target", "source", full(4, 5)],
		["decoder", "attention", "target", "target", causal(4)],
		["encoder", "attention", "source", "source", full(5, 5)],
	];
	const answer = {
		model: "toy",
		kind: "random initialization",
		axes,
		tensors: {},
		stage,
		entropy: {},
		entropy_limit: {},
		distance: {},
		expected: ["j'", "ai", "froid", "</s>"],
	};
	for (const [stack, sublayer, query, key, mask] of kinds) {
		answer.tensors[`${stack}.${sublayer}.mask`] = { axes: [query, key], data: mask };
		for (const layer of [1, 0]) {
			const name = `${stack}.${layer}.${sublayer}`;
			const heads = [0, 1].map((head) => map(mask, layer * 31 + head * 7 + sublayer.length, stage));
			answer.tensors[`${name}.${stage}`] = {
				axes: ["head", query, key],
				shape: [2, mask.length, mask[0].length],
				data: heads,
			};
			answer.entropy[name] = [0.5, 0.25];
			answer.entropy_limit[name] = Math.log(mask[0].length);
			answer.distance[name] = query === key ? [1, 2] : null;
		}
	}
	return answer;
}

function map(mask, seed, stage) {
	const scores = mask.map((row, q) =>
		row.map((_, k) => dot(wave(seed + q, 4), wave(seed - k, 4)) / Math.sqrt(4)),
	);
	const masked = scores.map((row, q) => row.map((value, k) => (mask[q][k] ? value : null)));
	return { scores, masked_scores: masked, pattern: masked.map(softmax) }[stage];
}

/** The shared colours, as palette() reads them from the style sheet. */
export const PALETTE = {
	paper: "#ffffff",
	sunken: "#f4f1e8",
	ink: "#000000",
	inkSoft: "#555555",
	rule: "#cccccc",
	ruleStrong: "#888888",
	select: "#eeeeee",
	hatch: "#888888",
	query: "#7a3e9d",
	key: "#8a5a00",
	heads: ["#0072b2", "#e69f00"],
	cividis: ["#00224e", "#fee838"],
	signed: ["#0a4a8f", "#3f7fbd", "#fbfaf5", "#cf7220", "#8f4300"],
	fonts: { sans: "sans-serif", mono: "monospace" },
	tick: 13,
	small: 13,
	text: 16,
};
