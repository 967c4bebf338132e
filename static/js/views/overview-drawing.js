// The architecture as a drawing: the residual stream is the line, sub-layers stand over it, read from it and write back to it.

import { pixels } from "../draw/colours.js";
import { scaleStrip } from "../draw/scalebar.js";
import { cells, dot, group, line, path, rect, scene, text } from "../draw/scene.js";
import { monoWidth, shorten, visible } from "../draw/text.js";
import { beside, besideInLines, exit, roomBeside } from "./overview-exit.js";

/** @typedef {import("./overview-parts.js").Stack} Stack */
/** @typedef {import("./overview-parts.js").SubLayer} SubLayer */
/** @typedef {import("../draw/scene.js").Shape} Shape */
/** @typedef {import("../draw/palette.js").Palette} Palette */
/**
 * @typedef {object} Drawing
 * @property {Stack[]} stacks @property {Record<string, string[]>} tokens labels by axis, and `expected`, what is predicted at each
 * @property {number[]} chances the probability of each prediction @property {Record<string, number[][][]>} patterns by sub-layer
 * @property {string} placement of the norms @property {boolean} added whether positions are added to the embeddings @property {string} relative the scheme that tells them to self-attention, or "none"
 * @property {import("./overview-parts.js").Beside[]} beside what is read beside the stream, or said beside a distribution
 * @property {string} output the shape of the distribution @property {(part: string) => string} href where a part is explained
 * @property {import("../draw/colours.js").Scale} scale of the patterns @property {Palette} colours @property {number} width @property {number} height
 */

const NAMES = {
	attention: "self-attention",
	cross_attention: "cross-attention",
	feed_forward: "feed-forward",
	row_attention: "between-rows",
	row_feed_forward: "feed-forward",
};
const COLOURS = /** @type {const} */ ({
	attention: "attention",
	cross_attention: "cross",
	feed_forward: "feedForward",
	row_attention: "cross",
	row_feed_forward: "feedForward",
});
/** @type {Record<string, string>} */
const RELATIVE = { shaw: "offsets", t5: "T5 buckets", rope: "RoPE", alibi: "ALiBi" };

/** Where a norm stands: on the stream behind what was written, on the way into the sub-layer, or on the way out of it. @type {Record<string, (at: {reads: number, writes: number, stream: number, bottom: number, size: number}) => [number, number]>} */
const NORM_AT = {
	post: ({ writes, stream, size }) => [writes + size * 1.7, stream],
	pre: ({ reads, stream, bottom }) => [reads, (stream + bottom) / 2],
	branch: ({ writes, stream, bottom }) => [writes, (stream + bottom) / 2],
};
Object.assign(NORM_AT, { admin: NORM_AT.post, b2t: NORM_AT.post });

/** The picture, and the height below which it cannot go. @param {Drawing} drawing */
export function draw(drawing) {
	const { stacks, colours, width } = drawing;
	const unit = measure(drawing);
	const shapes = [];
	let top = 4;
	/** @type {{x: number, y: number} | null} */ let memory = null;
	for (const stack of stacks) {
		const made = drawStack(stack, top, memory, unit, drawing);
		shapes.push(...made.shapes);
		memory = made.end;
		top = made.bottom + unit.between;
	}
	const strip = Math.min(120, width / 5);
	shapes.push(
		...scaleStrip({
			scale: drawing.scale,
			colours,
			x: width - strip - unit.size * 1.4,
			y: 4,
			width: strip,
		}),
	);
	const height = Math.ceil(top - unit.between + 4);
	const spare = unit.wide ? stacks.length * (unit.plate - unit.least) : 0;
	return {
		scene: scene(width, height, "The architecture with the shapes of this run", shapes),
		least: height - spare,
	};
}

/** In units of type size: what stands over a sub-layer's box and how far the stream lies under it; what stands under the stream. */
const ABOVE = 5.4;
const BELOW = 2.4;

/** A model of few parts is not blown up further. */
const WIDEST = 260;

/** Sizes that follow from the space: how wide a sub-layer is, how many blocks stand in a row. @param {Drawing} drawing */
function measure({ stacks, tokens, relative, colours, width, height, beside: others }) {
	const size = colours.tick;
	const longest = Math.max(
		...Object.values(tokens)
			.flat()
			.map((token) => monoWidth(shorten(visible(token), 12), size)),
		32,
	);
	const enter = longest + size * 11;
	const leave = longest + size * 8.5;
	const most = Math.max(...stacks.flatMap(({ blocks }) => blocks.map(({ parts }) => parts.length)));
	const narrowest = size * 4.9;
	const inRow = (/** @type {Stack} */ stack) =>
		stack.blocks.reduce((sum, { parts }) => sum + parts.length, 0);
	const wide = (width - enter - leave) / Math.max(...stacks.map(inRow)) >= narrowest;
	const fits = (/** @type {number} */ blocks) => (width - size * 2) / (blocks * most);
	const longestStack = Math.max(...stacks.map(({ blocks }) => blocks.length));
	const blocksInRow =
		Array.from({ length: longestStack }, (_, i) => longestStack - i).find(
			(blocks) => fits(blocks) >= narrowest,
		) ?? 1;
	const column = wide
		? Math.min(WIDEST, (width - enter - leave) / Math.max(...stacks.map(inRow)))
		: Math.min(140, fits(blocksInRow));
	const above = ABOVE + (column < size * 7.2 ? 1.1 : 0) + (relative === "none" ? 0 : 1.1);
	const least = Math.min(column - size * 1.3, 64);
	const between = size * 2.2;
	const free = wide
		? (height - 8 - between * (stacks.length - 1) - size * roomBeside(others)) / stacks.length -
			size * (above + BELOW)
		: 0;
	const plate = Math.max(least, Math.min(free, column * 1.3, WIDEST));
	return { size, enter, leave, column, wide, plate, above, least, blocksInRow, between };
}

/** @typedef {ReturnType<typeof measure>} Unit */

/** @param {Stack} stack @param {number} top @param {{x: number, y: number} | null} memory @param {Unit} unit @param {Drawing} drawing */
function drawStack(stack, top, memory, unit, drawing) {
	return unit.wide
		? inOneRow(stack, top, memory, unit, drawing)
		: inRows(stack, top, memory, unit, drawing);
}

/** How far the stream lies under the top of its row. @param {Unit} unit */
const depth = (unit) => unit.size * unit.above + unit.plate;

/** @param {Stack} stack @param {number} top @param {{x: number, y: number} | null} memory @param {Unit} unit @param {Drawing} drawing */
function inOneRow(stack, top, memory, unit, drawing) {
	const { colours, width } = drawing;
	const { size, column } = unit;
	const stream = top + depth(unit);
	const last = stack === drawing.stacks.at(-1);
	let x = unit.enter;
	const shapes = [
		...heading(stack, top + size, unit, drawing),
		...entrance(stack, 0, stream, unit, drawing),
	];
	const columns = [];
	for (const block of stack.blocks) {
		shapes.push(...bracket(block.index, x, x + column * block.parts.length, top, unit, drawing));
		for (const part of block.parts) {
			columns.push({ part, x });
			x += column;
		}
	}
	const end = last ? Math.min(width - unit.leave + size * 1.6, x + size * 4) : x + size;
	shapes.push(streamLine(unit.enter - size * 3.6, end, stream, colours));
	for (const one of columns) shapes.push(...sublayer(one.part, one.x, stream, unit, drawing));
	if (memory) shapes.push(...memoryLine(memory, columns, stream, unit, drawing));
	if (last)
		shapes.push(
			...exit(end, stream, size, drawing),
			...beside(unit.enter - size * 3.6, end, stream, size, drawing),
		);
	return {
		shapes,
		end: { x: end, y: stream },
		bottom: stream + size * (BELOW + (last ? roomBeside(drawing.beside) : 0)),
	};
}

/** Too narrow for one row: blocks wrap like words, and the stream goes on at the left. @param {Stack} stack @param {number} top @param {{x: number, y: number} | null} memory @param {Unit} unit @param {Drawing} drawing */
function inRows(stack, top, memory, unit, drawing) {
	const { colours, width } = drawing;
	const { size, column } = unit;
	const last = stack === drawing.stacks.at(-1);
	const shapes = [...heading(stack, top + size, unit, drawing)];
	shapes.push(...wrapped(drawing.tokens[stack.axis], top + size * 2.6, unit, drawing));
	let y = top + size * (4 + 1.4 * (lastLine(drawing.tokens[stack.axis], width, size) - 1));
	const embed = text(0, y + size * 0.2, "embed", { fill: colours.embedding, size });
	const add = text(size * 4.2, y + size * 0.2, "⊕ positions", { fill: colours.position, size });
	shapes.push(
		group([embed], {
			href: drawing.href("embedding"),
			label: `${stack.name}.embedding: token vectors`,
			kind: "part",
		}),
	);
	if (drawing.added && stack.told)
		shapes.push(
			group([add], {
				href: drawing.href("position"),
				label: `${stack.name}.embedding.position`,
				kind: "part",
			}),
		);
	shapes.push(
		text(size * (drawing.added && stack.told ? 10.8 : 4.2), y + size * 0.2, stack.embedded, {
			fill: colours.inkSoft,
			size,
			font: "mono",
		}),
	);
	y += size;
	for (let i = 0; i < stack.blocks.length; i += unit.blocksInRow) {
		const row = stack.blocks.slice(i, i + unit.blocksInRow);
		const stream = y + depth(unit);
		let x = size * 1.2;
		const from = x;
		for (const block of row) {
			shapes.push(...bracket(block.index, x, x + column * block.parts.length, y, unit, drawing));
			for (const part of block.parts) {
				shapes.push(...sublayer(part, x, stream, unit, drawing));
				if (memory && part.kind === "cross_attention")
					shapes.push(
						text(
							x + column / 2,
							stream - unit.plate - size * (3.4 + unit.above - ABOVE),
							"memory ↓",
							{ fill: colours.cross, size, anchor: "middle" },
						),
					);
				x += column;
			}
		}
		shapes.unshift(streamLine(from - size * 1.2, x, stream, colours));
		y = stream + size * 2.2;
	}
	if (last) {
		const softmax = text(0, y + size, `softmax ${drawing.output}`, { fill: colours.stream, size });
		shapes.push(
			group([softmax], {
				href: drawing.href("output"),
				label: `probabilities over the vocabulary, ${drawing.output}`,
				kind: "part",
			}),
		);
		shapes.push(...wrapped(drawing.tokens.expected, y + size * 2.6, unit, drawing));
		y += size * (2.6 + 1.4 * lastLine(drawing.tokens.expected, width, size));
		shapes.push(...besideInLines(y + size * 0.6, size, drawing));
		y += size * 1.6 * drawing.beside.length;
	}
	return { shapes, end: { x: 0, y }, bottom: y };
}

/** @param {Stack} stack @param {number} y @param {Unit} unit @param {Drawing} drawing */
const heading = (stack, y, { size }, { colours }) => [
	text(0, y, stack.name, { fill: colours.ink, size: size * 1.25, font: "serif", italic: true }),
];

/** @param {number} x1 @param {number} x2 @param {number} y @param {Palette} colours */
const streamLine = (x1, x2, y, colours) => line(x1, y, x2, y, { stroke: colours.stream, line: 3 });

/** @param {number} index @param {number} x1 @param {number} x2 @param {number} top @param {Unit} unit @param {Drawing} drawing */
function bracket(index, x1, x2, top, { size }, { colours }) {
	const y = top + size * 1.5;
	return [
		path(
			[
				[x1 + 3, y + 5],
				[x1 + 3, y],
				[x2 - 8, y],
				[x2 - 8, y + 5],
			],
			{ stroke: colours.ruleStrong },
		),
		text(x1 + 4, y - size * 0.8, `block ${index}`, { fill: colours.inkSoft, size }),
	];
}

/** One sub-layer: it reads at the left of its column, writes at the right, and the norm stands where the placement puts it. @param {SubLayer} part @param {number} x @param {number} stream @param {Unit} unit @param {Drawing} drawing @returns {Shape[]} */
function sublayer(part, x, stream, unit, drawing) {
	const { colours, placement, relative, href } = drawing;
	const { size, column } = unit;
	const colour = colours[COLOURS[part.kind]];
	const bottom = stream - size * 1.7;
	const side = Math.min(unit.plate, column - size * 1.3);
	const left = x + (column - side) / 2 - 2;
	const reads = left + size * 0.7;
	const writes = left + side - size * 1.1;
	const top = bottom - unit.plate;
	const told = part.kind === "attention" && relative !== "none";
	const [normX, normY] = NORM_AT[placement]?.({ reads, writes, stream, bottom, size }) ?? [0, 0];
	const name = column < size * 7.2 ? NAMES[part.kind].split(/(?<=-)/) : [NAMES[part.kind]];
	return [
		line(reads, stream, reads, bottom, { stroke: colour, line: 1.5 }),
		head(reads, bottom, -1, colour),
		line(writes, bottom, writes, stream - 7, { stroke: colour, line: 1.5 }),
		head(writes, stream - 7, 1, colour),
		group(
			[
				{
					...rect(left, top, side, unit.plate, { fill: colours.paper, stroke: colour, line: 1.5 }),
					kind: "plate",
				},
				...inside(part, left, top, side, unit, drawing),
				...name.map((word, i) =>
					text(
						x + column / 2 - 2,
						top - size * (0.75 + 1.1 * (name.length - 1 - i + (told ? 1 : 0))),
						word,
						{ fill: colour, size, anchor: "middle" },
					),
				),
			],
			{
				href: href(part.name),
				label: `${part.name}: ${NAMES[part.kind]}, ${part.inner}`,
				kind: "part",
			},
		),
		...(told
			? [
					group(
						[
							text(x + column / 2 - 2, top - size * 0.75, RELATIVE[relative], {
								fill: colours.position,
								size,
								anchor: "middle",
							}),
						],
						{
							href: href("position"),
							label: `${part.name}: its positions, ${RELATIVE[relative]}`,
							kind: "part",
						},
					),
				]
			: []),
		dot(writes, stream, 7, { fill: colours.paper, stroke: colours.stream, line: 1.5 }),
		line(writes - 4, stream, writes + 4, stream, { stroke: colours.stream, line: 1.5 }),
		line(writes, stream - 4, writes, stream + 4, { stroke: colours.stream, line: 1.5 }),
		...(placement in NORM_AT
			? [
					rect(normX - size * 0.62, normY - size * 0.62, size * 1.24, size * 1.24, {
						fill: colours.paper,
						stroke: colours.stream,
					}),
					text(normX, normY + 0.5, "N", {
						fill: colours.stream,
						size,
						font: "serif",
						italic: true,
						anchor: "middle",
					}),
				]
			: []),
		text(x + column, stream + size * 1.1, part.after, {
			fill: colours.inkSoft,
			size,
			font: "mono",
			anchor: "end",
		}),
	];
}

/** Attention shows its heads' patterns in this run; the feed-forward network its width. @param {SubLayer} part @param {number} left @param {number} top @param {number} side @param {Unit} unit @param {Drawing} drawing @returns {Shape[]} */
function inside(part, left, top, side, unit, { patterns, scale, colours }) {
	const { size, plate } = unit;
	const label = text(left + side / 2, top + plate - size * 0.7, part.inner, {
		fill: colours.ink,
		size,
		font: "mono",
		anchor: "middle",
	});
	const heads = patterns[part.name];
	const room = { width: side - 10, height: plate - size * 1.3 - 8 };
	if (!heads)
		return [...widening(left + 5, top + 5, room.width, room.height, part.widths, colours), label];
	const across = heads.length <= 3 ? heads.length : Math.ceil(Math.sqrt(heads.length));
	const down = Math.ceil(heads.length / across);
	const [width, height] = [room.width / across, room.height / down];
	const shown = heads.map((pattern, h) =>
		cells(
			left + 5 + (h % across) * width + 1,
			top + 5 + Math.floor(h / across) * height + 1,
			width - 2,
			height - 2,
			pattern.length,
			pattern[0].length,
			pixels(pattern, scale),
		),
	);
	return [...shown, label];
}

/** d_model, d_ff, d_model as lengths in proportion. @param {number} x @param {number} y @param {number} width @param {number} height @param {number[]} widths @param {Palette} colours */
function widening(x, y, width, height, widths, colours) {
	const most = Math.max(...widths);
	const bars = widths.map((value, i) => ({
		x: x + 3 + ((width - 6) * i) / (widths.length - 1),
		half: (height * value) / most / 2,
	}));
	const middle = y + height / 2;
	const upper = bars.map((bar) => /** @type {[number, number]} */ ([bar.x, middle - bar.half]));
	const lower = bars
		.map((bar) => /** @type {[number, number]} */ ([bar.x, middle + bar.half]))
		.reverse();
	return [
		path([...upper, ...lower], { fill: colours.feedForward, opacity: 0.14, closed: true }),
		...bars.map((bar) =>
			line(bar.x, middle - bar.half, bar.x, middle + bar.half, {
				stroke: colours.feedForward,
				line: 3,
			}),
		),
	];
}

/** @param {number} x @param {number} y @param {1 | -1} down @param {string} colour */
const head = (x, y, down, colour) =>
	path(
		[
			[x - 4, y - 5 * down],
			[x, y],
			[x + 4, y - 5 * down],
		],
		{ stroke: colour, line: 1.5 },
	);

/** Tokens, their embedding and their positions: how the stream begins. @param {Stack} stack @param {number} x @param {number} stream @param {Unit} unit @param {Drawing} drawing @returns {Shape[]} */
function entrance(stack, x, stream, unit, { tokens, added, colours, href }) {
	const { size, enter } = unit;
	const labels = tokens[stack.axis];
	const at = enter - size * 3.6;
	const box = { x: at - size * 6.2, width: size * 4.6, height: size * 2.6 };
	return [
		...list(labels, x, stream, unit, colours),
		line(box.x - size * 0.7, stream, at, stream, { stroke: colours.embedding, line: 1.5 }),
		group(
			[
				{
					...rect(box.x, stream - box.height / 2, box.width, box.height, {
						fill: colours.paper,
						stroke: colours.embedding,
						line: 1.5,
					}),
					kind: "plate",
				},
				text(box.x + box.width / 2, stream, "embed", {
					fill: colours.embedding,
					size,
					anchor: "middle",
				}),
			],
			{
				href: href("embedding"),
				label: `${stack.name}.embedding: token vectors, ${stack.embedded}`,
				kind: "part",
			},
		),
		...(added && stack.told ? positionsAdded(stack, at, stream, size, colours, href) : []),
		text(at + size * 0.9, stream + size * 1.1, stack.embedded, {
			fill: colours.inkSoft,
			size,
			font: "mono",
		}),
	];
}

/** @param {Stack} stack @param {number} at @param {number} stream @param {number} size @param {Palette} colours @param {(part: string) => string} href @returns {Shape[]} */
const positionsAdded = (stack, at, stream, size, colours, href) => [
	group(
		[
			{
				...rect(at - size * 2.6, stream - size * 5.6, size * 5.2, size * 2.2, {
					fill: colours.paper,
					stroke: colours.position,
					line: 1.5,
				}),
				kind: "plate",
			},
			text(at, stream - size * 4.5, "positions", {
				fill: colours.position,
				size,
				anchor: "middle",
			}),
		],
		{
			href: href("position"),
			label: `${stack.name}.embedding.position: added to the token vectors`,
			kind: "part",
		},
	),
	line(at, stream - size * 3.4, at, stream - 7, { stroke: colours.position, line: 1.5 }),
	head(at, stream - 7, 1, colours.position),
	dot(at, stream, 7, { fill: colours.paper, stroke: colours.stream, line: 1.5 }),
	line(at - 4, stream, at + 4, stream, { stroke: colours.stream, line: 1.5 }),
	line(at, stream - 4, at, stream + 4, { stroke: colours.stream, line: 1.5 }),
];

/** @param {string[]} labels @param {number} x @param {number} middle @param {Unit} unit @param {Palette} colours */
function list(labels, x, middle, unit, colours) {
	const { size } = unit;
	const most = Math.min(labels.length, 9);
	const step = size * 1.35;
	const shown =
		labels.length > most ? [...labels.slice(0, most - 1), `+${labels.length - most + 1}`] : labels;
	const top = Math.min(
		middle - ((shown.length - 1) * step) / 2,
		middle + size * 1.6 - (shown.length - 1) * step,
	);
	return shown.map((label, i) =>
		text(x, top + i * step, shorten(visible(label), 12), { fill: colours.ink, size, font: "mono" }),
	);
}

/** The encoder's output goes to every cross-attention, as keys and values. @param {{x: number, y: number}} from @param {{part: SubLayer, x: number}[]} columns @param {number} stream @param {Unit} unit @param {Drawing} drawing @returns {Shape[]} */
function memoryLine(from, columns, stream, unit, { colours, stacks }) {
	const { size, column, plate } = unit;
	const level = from.y + size * 2.7;
	const ends = columns
		.filter(({ part }) => part.kind === "cross_attention")
		.map(({ x }) => x + column / 2 - 2);
	const arrive = stream - size * 1.7 - plate - size * (1.5 + unit.above - ABOVE);
	const style = { stroke: colours.cross, line: 1.5 };
	return [
		path(
			[
				[from.x, from.y],
				[from.x + size, from.y],
				[from.x + size, level],
			],
			style,
		),
		line(Math.min(from.x + size, ...ends), level, Math.max(from.x + size, ...ends), level, style),
		...ends.flatMap((x) => [line(x, level, x, arrive, style), head(x, arrive, 1, colours.cross)]),
		text(from.x + size * 1.8, from.y - size * 0.6, `memory ${stacks[0].leaves}:`, {
			fill: colours.cross,
			size,
		}),
		text(from.x + size * 1.8, from.y + size * 0.6, "keys and values of every cross-attention", {
			fill: colours.cross,
			size,
		}),
	];
}

/** How many lines the tokens take. @param {string[]} labels @param {number} width @param {number} size */
const lastLine = (labels, width, size) =>
	1 + Math.max(0, ...flow(labels, width, size).map(({ row }) => row));

/** @param {string[]} labels @param {number} width @param {number} size */
function flow(labels, width, size) {
	let [x, row] = [0, 0];
	return labels.map((label) => {
		const content = shorten(visible(label), 20);
		const wide = monoWidth(content, size) + size * 0.8;
		if (x + wide > width && x > 0) [x, row] = [0, row + 1];
		const placed = { content, x, row };
		x += wide;
		return placed;
	});
}

/** @param {string[]} labels @param {number} y @param {Unit} unit @param {Drawing} drawing */
const wrapped = (labels, y, { size }, { colours, width }) =>
	flow(labels, width, size).map(({ content, x, row }) =>
		text(x, y + row * size * 1.4, content, { fill: colours.ink, size, font: "mono" }),
	);
