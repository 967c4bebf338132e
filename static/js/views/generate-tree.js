// The tree of a beam search: a column for each step, the best hypothesis on top; what was kept is
// boxed, what was dropped is crossed out. A long search is scrolled.

import { palette } from "../draw/palette.js";
import { link, rect, scene, text } from "../draw/scene.js";
import { svgElement } from "../draw/svg.js";
import { number, shorten, visible } from "../draw/text.js";
import { walkable } from "../draw/walk.js";
import { describe } from "../foot.js";

/** @typedef {import("../draw/palette.js").Palette} Palette */
/** @typedef {any} Node number, parent, step, token, score, log_probability, finished */
/** @typedef {{nodes: Node[], kept: number[][], hypotheses: any[]}} Tree */
/** @typedef {{node: Node, rank: number, stands: boolean, waits: boolean}} Entry of a column */

/**
 * What stood in the beam after each step and what was considered, the best first. A text that had
 * ended before the step waits.
 * @param {Tree} tree @returns {Entry[][]}
 */
export const columns = ({ kept, nodes }) =>
	kept.map((standing, step) => {
		const dropped = nodes.filter((node) => node.step === step && !standing.includes(node.number));
		dropped.sort((a, b) => b.score - a.score);
		return [...standing.map((n) => nodes[n]), ...dropped].map((node, rank) => ({
			node,
			rank,
			stands: rank < standing.length,
			waits: node.step < step,
		}));
	});

/** The numbers of the texts from the prompt to one. @param {Tree} tree @param {number} number */
export function lineage({ nodes }, number) {
	const path = [number];
	while (nodes[path[0]].parent !== null) path.unshift(nodes[path[0]].parent);
	return path;
}

/** The part of a text that the tree considered. @param {Tree} tree @param {number[]} ids */
export function follow({ nodes }, ids) {
	const path = [0];
	for (const id of ids) {
		const next = nodes.find(({ parent, token }) => parent === path.at(-1) && token.id === id);
		if (!next) break;
		path.push(next.number);
	}
	return path;
}

/**
 * @param {object} options
 * @param {Tree} options.tree @param {number} options.index the step in focus; later ones are faint
 * @param {number[]} options.greedy tokens that greedy decoding writes
 * @param {Palette} options.colours @param {number} options.width @param {number} options.height
 */
export function treePicture({ tree, index, greedy, colours, width, height }) {
	const { tick: size, ink, inkSoft, ruleStrong, sunken } = colours;
	const every = columns(tree);
	const beams = Math.max(...tree.kept.map((kept) => kept.length));
	const [top, left] = [size * 2.2, size * 4.5];
	const tall = Math.min(size * 3.2, ((height - top) * 0.62) / beams);
	const short = size * 1.35;
	const room = Math.max(0, Math.floor((height - top - tall * beams - size * 2.5) / short));
	const wide = Math.max(size * 7.5, Math.min((width - left - 2) / every.length, size * 18));
	const best = new Set(lineage(tree, tree.kept[index][0]));
	const greedily = new Set(follow(tree, greedy).slice(1));
	const entries = every.map((all, step) => all.slice(0, tree.kept[step].length + room));
	const middle = (/** @type {Entry} */ { rank, stands }) =>
		stands ? top + (rank + 0.5) * tall : top + beams * (tall - short) + (rank + 1) * short;
	const boxOf = (/** @type {Entry} */ entry, /** @type {number} */ step) => {
		const high = entry.stands ? tall * 0.8 : short;
		const y = middle(entry) - high / 2;
		return { x: left + (step + 0.2) * wide, y, width: wide * 0.8, height: high };
	};
	const linked = (/** @type {Entry} */ entry, /** @type {number} */ step) => {
		const { node, stands, waits } = entry;
		const from = waits ? node.number : node.parent;
		const parent = every[step - 1]?.find((other) => other.node.number === from);
		const x = parent ? left + step * wide : left - size * 0.8;
		const y = parent ? middle(parent) : top + tall / 2;
		const thick = stands ? (best.has(node.number) ? 3.5 : 1.5) : 0.75;
		const dash = stands ? (waits ? [2, 4] : undefined) : [3, 5];
		const stroke = thick > 3 ? ink : ruleStrong;
		return link(x, y, boxOf(entry, step).x, middle(entry), { stroke, line: thick, dash });
	};
	const quiet = { fill: inkSoft, size, font: /** @type {"mono"} */ ("mono") };
	const mono = { ...quiet, fill: ink };
	const drawn = (/** @type {Entry} */ entry, /** @type {number} */ step) => {
		const { node, stands } = entry;
		const box = boxOf(entry, step);
		const y = middle(entry);
		const [onBest, two] = [best.has(node.number), box.height > size * 2.2];
		const marked = greedily.has(node.number);
		const most = Math.floor(box.width / (size * 0.61)) - (marked ? 3 : 1);
		const name = shorten(`${stands ? "" : "× "}${visible(node.token.text)}`, Math.max(2, most));
		const at = box.x + (stands ? size * 0.6 : 0);
		const look = { ...(stands ? mono : quiet), weight: onBest && stands ? 700 : 400 };
		const of = onBest ? { fill: colours.select, stroke: ink, line: 2 } : { stroke: ruleStrong };
		const [end, square] = [box.x + box.width, size * 0.6];
		const orange = { fill: colours.heads[5], stroke: ink };
		return [
			linked(entry, step),
			...(stands ? [{ ...rect(0, 0, 0, 0, { fill: colours.paper, ...of }), ...box }] : []),
			...(stands && node.finished ? [rect(end - 4, box.y, 4, box.height, { fill: ink })] : []),
			text(at, two ? y - box.height * 0.18 : y, name, look),
			...(two ? [text(at, y + box.height * 0.22, number(node.score, 2), quiet)] : []),
			...(marked ? [rect(end - size * 1.2, y - square / 2, square, square, orange)] : []),
		];
	};
	const column = (/** @type {number} */ step) => {
		const more = every[step].length - entries[step].length;
		const at = left + (step + 0.2) * wide;
		const look = step === index ? { ...mono, weight: 700 } : quiet;
		const shapes = [
			text(at, size * 0.9, `step ${step + 1}`, look),
			...entries[step].flatMap((entry) => drawn(entry, step)),
			...(more ? [text(at, height - size, `+ ${more} dropped`, quiet)] : []),
		];
		return shapes.map((shape) => ({ ...shape, opacity: step > index ? 0.3 : 1 }));
	};
	const said = tree.hypotheses.map((one) => `${one.text} ${number(one.score)}`).join("; ");
	const root = left - size * 0.8;
	const prompt = shorten(visible(tree.nodes[0].token.text), 5);
	const entry = (/** @type {number} */ row, /** @type {number} */ step) =>
		entries[step][Math.min(row, entries[step].length - 1)];
	const label = `Beam search with ${beams} beams: ${said}`;
	return {
		scene: scene(Math.max(width, left + wide * every.length + 2), height, label, [
			rect(left + (index + 0.1) * wide, 0, wide * 0.94, height, { fill: sunken }),
			rect(0, top + tall * 0.1, root, tall * 0.8, { stroke: ruleStrong }),
			text(root / 2, top + tall / 2, prompt, { ...mono, anchor: "middle" }),
			...every
				.map((_, step) => column(step))
				.reverse()
				.flat(),
		]),
		rows: Math.max(...entries.map((all) => all.length)),
		columns: every.length,
		entry,
		box: (/** @type {number} */ row, /** @type {number} */ step) => boxOf(entry(row, step), step),
		at: (/** @type {number} */ x, /** @type {number} */ y) => {
			const step = Math.floor((x - left) / wide);
			const row =
				entries[step]?.findIndex((one) => {
					const box = boxOf(one, step);
					return y >= box.y && y <= box.y + box.height;
				}) ?? -1;
			return row < 0 ? null : { row, column: step };
		},
	};
}

/** The words of a text. @param {Tree} tree @param {Node} node */
const wordsOf = (tree, node) =>
	lineage(tree, node.number)
		.slice(1)
		.map((n) => visible(tree.nodes[n].token.text))
		.join(" ");

/** One sentence about a text. @param {Tree} tree @param {Entry} entry */
export function sayNode(tree, { node, stands, waits, rank }) {
	const fate = stands ? `kept, rank ${rank + 1}` : "dropped";
	const end = waits ? ", has ended" : node.finished ? ", ends here" : "";
	const own = `ln p of this token ${number(node.log_probability)}`;
	return `${wordsOf(tree, node)}: ${number(node.score)}, ${fate}${end}; ${own}`;
}

/** @param {Tree} tree @returns {import("../draw/table.js").Table} */
export const treeTable = (tree) => ({
	caption: "Every hypothesis considered; its score is the sum of the ln p of its tokens",
	head: ["step", "text so far", "score", "ln p of the last token", "kept", "ended"],
	rows: columns(tree).flatMap((column, step) =>
		column.map(({ node, stands }) => [
			`${step + 1}`,
			wordsOf(tree, node),
			node.score,
			node.log_probability,
			stands ? "kept" : "dropped",
			node.finished ? "ended" : "",
		]),
	),
});

/**
 * Draws the tree into its figure, where the arrow keys walk it.
 * @param {HTMLElement} figure
 * @param {{answer: any, greedy: any, index: number, call: [string, any]}} what
 * @param {(step: number) => void} go @param {(said: string) => void} readout
 */
export function showTree(figure, { answer, greedy, index, call }, go, readout) {
	const { tree } = answer;
	const stage = /** @type {HTMLElement} */ (figure.querySelector(".stage"));
	const walked = /** @type {HTMLElement} */ (stage.querySelector(".walked"));
	const scroller = /** @type {HTMLElement} */ (walked.parentElement);
	const colours = palette();
	const ids = greedy.steps.map((/** @type {any} */ step) => step.token.id);
	const size = { width: stage.clientWidth, height: scroller.clientHeight };
	const picture = treePicture({ tree, index, greedy: ids, colours, ...size });
	const say = (/** @type {{row: number, column: number}} */ { row, column }) =>
		sayNode(tree, picture.entry(row, column));
	walked.replaceChildren(svgElement(picture.scene, { fonts: colours.fonts }));
	walked.setAttribute("aria-label", picture.scene.label);
	const said = say({ row: 0, column: index });
	walkable(/** @type {HTMLCanvasElement} */ (walked), {
		...picture,
		say,
		onPeek: (cell) => readout(cell ? say(cell) : said),
		onPick: ({ column }) => go(column),
	});
	scroller.scrollLeft = picture.box(0, index).x - size.width / 2;
	readout(said);
	figure.style.setProperty("--greedy", colours.heads[5]);
	const shape = `${tree.nodes.length - 1} hypotheses`;
	describe(figure, stage, { vector: picture.scene, table: treeTable(tree), call, answer, shape });
}
