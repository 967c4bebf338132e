// Where the drawing ends: what is said, with its probabilities; what went past the stream to be read with it; what is said besides.

import { group, line, path, rect, text } from "../draw/scene.js";
import { shorten, visible } from "../draw/text.js";

/** @typedef {import("../draw/scene.js").Shape} Shape */
/** @typedef {import("./overview-drawing.js").Drawing} Drawing */
/** @typedef {import("./overview-parts.js").Beside} Beside */

/** @param {number} x @param {number} stream @param {number} size @param {Drawing} drawing @returns {Shape[]} */
export function exit(x, stream, size, { tokens, chances, output, colours, href, width }) {
	const step = size * 1.35;
	const most = Math.min(tokens.expected.length, 9);
	const shown = tokens.expected.slice(0, most);
	const top = Math.min(
		stream - ((shown.length - 1) * step) / 2,
		stream + size * 1.6 - (shown.length - 1) * step,
	);
	const words = x + size * 6;
	return [
		...plate(
			x,
			stream,
			"softmax",
			`probabilities over the vocabulary, ${output}`,
			colours.stream,
			size,
			colours.paper,
			href("output"),
		),
		text(x + size * 2.3, stream + size * 1.95, output, {
			fill: colours.inkSoft,
			size,
			font: "mono",
			anchor: "middle",
		}),
		...shown.flatMap((token, i) => [
			rect(words, top + i * step - size * 0.6, (width - words - 1) * chances[i], size * 1.2, {
				fill: colours.select,
			}),
			text(words + 3, top + i * step, shorten(visible(token), 12), {
				fill: colours.ink,
				size,
				font: "mono",
			}),
		]),
	];
}

/** @param {number} x @param {number} y @param {string} word @param {string} label @param {string} colour @param {number} size @param {string} paper @param {string} href @returns {Shape[]} */
const plate = (x, y, word, label, colour, size, paper, href) => [
	group(
		[
			{
				...rect(x, y - size * 1.3, size * 4.6, size * 2.6, {
					fill: paper,
					stroke: colour,
					line: 1.5,
				}),
				kind: "plate",
			},
			text(x + size * 2.3, y, word, { fill: colour, size, anchor: "middle" }),
		],
		{ href, label, kind: "part" },
	),
];

/** How far under the stream it reaches, in units of type size. @type {Record<Beside["kind"], number>} */
const ROOM = { bypass: 1.8, box: 4.6 };

/** @param {Beside[]} others */
export const roomBeside = (others) => Math.max(0, ...others.map(({ kind }) => ROOM[kind]));

/** In words: what is read beside the stream, and what is said beside the distribution. @type {Record<Beside["kind"], (of: Beside) => string>} */
const SAYS = {
	bypass: ({ reads, inner }) => `past the stack: ${reads} numbers → MLP ${inner}`,
	box: ({ says }) => `boxes σ(MLP) ${says}`,
};

/** @param {number} from where the stream begins @param {number} end @param {number} stream @param {number} size @param {Drawing} drawing @returns {Shape[]} */
export function beside(from, end, stream, size, { beside: others, colours, href }) {
	return others.flatMap((of) => {
		const y = stream + size * (of.kind === "box" ? 4.6 : 3.4);
		if (of.kind === "box") {
			return [
				path(
					[
						[end - size * 0.6, stream],
						[end - size * 0.6, y],
						[end, y],
					],
					{ stroke: colours.stream, line: 1.5 },
				),
				...plate(end, y, "σ(MLP)", SAYS.box(of), colours.stream, size, colours.paper, href("box")),
				text(end + size * 5.2, y, `boxes ${of.says}`, { fill: colours.inkSoft, size }),
			];
		}
		const into = end + size * 0.6;
		return [
			group([text(from, y - size * 0.8, SAYS.bypass(of), { fill: colours.embedding, size })], {
				href: href("bypass"),
				label: SAYS.bypass(of),
				kind: "part",
			}),
			line(from, y, into, y, { stroke: colours.embedding, line: 1.5 }),
			path(
				[
					[into, y],
					[into, stream + size * 1.3],
				],
				{ stroke: colours.embedding, line: 1.5 },
			),
			path(
				[
					[into - 4, stream + size * 1.3 + 5],
					[into, stream + size * 1.3],
					[into + 4, stream + size * 1.3 + 5],
				],
				{ stroke: colours.embedding, line: 1.5 },
			),
		];
	});
}

/** The same where there is no room for lines. @param {number} y @param {number} size @param {Drawing} drawing @returns {Shape[]} */
export const besideInLines = (y, size, { beside: others, colours, href }) =>
	others.flatMap((of, i) => [
		group([text(0, y + i * size * 1.6, SAYS[of.kind](of), { fill: colours.stream, size })], {
			href: href(of.kind),
			label: SAYS[of.kind](of),
			kind: "part",
		}),
	]);
