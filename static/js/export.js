// What a figure shows as a file, with what one must know to understand it elsewhere.

import { apiAddress } from "./address.js";
import { make } from "./common.js";
import { csv } from "./draw/table-text.js";
import { tableOf } from "./figures/table.js";
import { card, theme } from "./state.js";
import { say, told } from "./words.js";

/** What is shown says this of itself, or its answer says it. @param {Shown} what @returns {Open} */
function about({ answer = {}, call: [, { seed }], kind, plotly }) {
	if (plotly) return plotly.layout.meta;
	const { model, input } = answer;
	const weights_sha256 = card.id === model && card.weights_sha256;
	return { model, weights_sha256, kind: kind ?? answer.kind, input, seed };
}

/** @param {Shown} what @returns {string[]} */
function provenance(what) {
	const { model, weights_sha256: digest, kind, input, edited, shape, formula, seed } = about(what);
	const said = [
		"Vitrine",
		model &&
			model +
				(digest ? ` (${say("weights sha256 {digest}", { digest: digest.slice(0, 12) })})` : ""),
		told(kind),
		...Object.entries(input ?? {}).map(([name, value]) => say("{name} “{value}”", { name, value })),
		edited && say("edited: {edits}", { edits: edited.join("; ") }),
		shape && `${formula} [${shape.join(", ")}]`,
		seed !== undefined && say("seed {seed}", { seed }),
	];
	return [said.filter(Boolean).join(" · "), `GET ${decodeURIComponent(apiAddress(...what.call))}`];
}

/**
 * With its provenance under it: by Plotly, by the page, or by the server.
 * @param {Shown} what @returns {Promise<string>}
 */
async function asSvg(what) {
	const { drawn, plotly, stage } = what;
	if (plotly || what.drawing) {
		const { framed, plotted } = await import("./figures/picture.js");
		const drawing = what.drawing ?? (await plotted(/** @type {HTMLElement} */ (stage)));
		const title = plotly?.layout.meta.title ?? drawing.ariaLabel ?? "";
		return framed(drawing, title, provenance(what));
	}
	const [word, question] = /** @type {NonNullable<Shown["drawn"]>} */ (drawn);
	return (await fetch(apiAddress(word, { ...question, theme: theme() }))).text();
}

/** Twice as sharp as the screen's pixels. @param {string} svg @returns {Promise<Blob>} */
async function rastered(svg) {
	const image = new Image();
	image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
	await image.decode();
	const [width, height] = [2 * image.width, 2 * image.height];
	const canvas = make("canvas", { width, height });
	canvas.getContext("2d").drawImage(image, 0, 0, width, height);
	return new Promise((done) => canvas.toBlob(done, "image/png"));
}

const LONGEST = 40; // letters of a file's name that tell the input

/** @param {Record<string, unknown>} [input] */
const slug = (input) =>
	Object.values(input ?? {})
		.filter((value) => typeof value === "string")
		.join(" ")
		.normalize("NFKD")
		.toLowerCase()
		.replace(/\p{M}/gu, "")
		.replace(/[^\p{L}\p{N}]+/gu, "-")
		.slice(0, LONGEST)
		.replace(/^-|-$/g, "");

/**
 * What is written, and its type. @type {Record<string, (what: Shown) => Promise<[BlobPart,
 * string]>>}
 */
const FILES = {
	svg: async (what) => [await asSvg(what), "image/svg+xml"],
	png: async (what) => [await rastered(await asSvg(what)), "image/png"],
	csv: async (what) => [csv(await tableOf(what), provenance(what)), "text/csv"],
	json: async ({ plotly, answer }) => [
		JSON.stringify(plotly ?? answer, null, 1),
		"application/json",
	],
};

/**
 * Saves a file that says in its name what it is of: word-model-input-figure.
 * @param {string} format @param {Shown} what @param {string} id
 */
export async function save(format, what, id) {
	if (format === "html") {
		const [word, question] = /** @type {NonNullable<Shown["drawn"]>} */ (what.drawn);
		location.href = apiAddress(word, { ...question, standalone: true });
		return;
	}
	const { model, input } = about(what);
	const word = what.call[0].replaceAll("/", "-");
	const name = ["vitrine", word, model, model && slug(input), id].filter(Boolean).join("-");
	const [content, type] = await FILES[format](what);
	const href = URL.createObjectURL(new Blob([content], { type }));
	make("a", { href, download: `${name}.${format}` }).click();
	setTimeout(() => URL.revokeObjectURL(href), 10_000);
}
