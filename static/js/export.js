// What a figure shows as a file, with what one must know to understand it elsewhere: model, weights, input, seed, and the call.

import { apiAddress } from "./address.js";
import { bitmap, paint } from "./draw/canvas.js";
import { palette } from "./draw/palette.js";
import { svg } from "./draw/svg.js";
import { csv } from "./draw/table-text.js";
import { tableOf } from "./foot.js";

/** @typedef {import("./foot.js").Shown} Shown */

/** @param {Shown} what @returns {string[]} */
export function provenance({ answer, call, kind, plotly }) {
	if (plotly) return provenanceOf(plotly, call);
	const input = Object.entries(answer?.input ?? {}).map(([name, value]) => `${name} “${value}”`);
	const digest = cardDigest(answer?.model);
	const model = answer?.model
		? `${answer.model}${digest ? ` (weights sha256 ${digest.slice(0, 12)})` : ""}, ${kind ?? answer.kind}`
		: (kind ?? answer?.kind ?? "");
	const seed = call[1].seed === undefined ? [] : [`seed ${call[1].seed}`];
	return [
		["Vitrine", model, ...input, ...seed].filter(Boolean).join(" · "),
		`GET ${decodeURIComponent(apiAddress(...call))}`,
	];
}

/** What a drawn figure says of itself. @param {import("./figures/arrange.js").Figure} figure @param {Shown["call"]} call @returns {string[]} */
function provenanceOf({ layout: { meta } }, call) {
	const weights = meta.weights_sha256
		? ` (weights sha256 ${meta.weights_sha256.slice(0, 12)})`
		: "";
	const input = Object.entries(meta.input ?? {}).map(([name, value]) => `${name} “${value}”`);
	const seed = meta.seed === undefined ? [] : [`seed ${meta.seed}`];
	const shape = meta.shape ? [`${meta.formula} [${meta.shape.join(", ")}]`] : [];
	return [
		["Vitrine", meta.model && `${meta.model}${weights}`, meta.kind, ...input, ...shape, ...seed]
			.filter(Boolean)
			.join(" · "),
		`GET ${decodeURIComponent(apiAddress(...call))}`,
	];
}

/** @param {string | undefined} model @returns {string} */
function cardDigest(model) {
	const card = JSON.parse(document.getElementById("card")?.textContent || "{}");
	return card.id === model ? card.weights_sha256 : "";
}

/** A scene is written with its provenance under it; what was drawn otherwise writes itself. @param {Shown} what */
async function asSvg(what) {
	if (what.plotly) {
		const address = await (await import("./figures/picture.js")).picture(
			stageOf(what),
			"svg",
			provenance(what),
		);
		return decodeURIComponent(address.replace(/^data:image\/svg\+xml,/, ""));
	}
	if (what.drawing) return noted(what.drawing, provenance(what));
	const { scene } = what;
	if (!scene) return /** @type {import("./foot.js").Picture} */ (what.picture).svg();
	const colours = palette();
	const image = (/** @type {any} */ shape) => bitmap(shape).toDataURL("image/png");
	return svg(scene, {
		fonts: colours.fonts,
		background: colours.paper,
		ink: colours.inkSoft,
		image,
		notes: provenance(what),
	});
}

/** Twice as sharp as the screen's pixels. @param {Shown} what @returns {Promise<Blob>} */
async function asPng(what) {
	if (what.plotly)
		return bytes(
			await (await import("./figures/picture.js")).picture(stageOf(what), "png", provenance(what)),
		);
	if (what.drawing) return rastered(noted(what.drawing, provenance(what)));
	const { scene } = what;
	if (!scene) return /** @type {import("./foot.js").Picture} */ (what.picture).png();
	const colours = palette();
	const notes = provenance(what).map((content, i) => ({
		shape: "text",
		x: 4,
		y: scene.height + 16 * (i + 0.5),
		content,
		size: 11,
		fill: colours.inkSoft,
		font: "sans",
		anchor: "start",
		baseline: "middle",
	}));
	const canvas = document.createElement("canvas");
	paint(
		canvas,
		{ ...scene, height: scene.height + 16 * notes.length, shapes: [...scene.shapes, ...notes] },
		{ fonts: colours.fonts, ratio: 2, background: colours.paper },
	);
	return new Promise((done) =>
		canvas.toBlob((blob) => done(/** @type {Blob} */ (blob)), "image/png"),
	);
}

/** An SVG element of the page as a file, with its provenance under it. @param {Element} drawing @param {string[]} notes */
function noted(drawing, notes) {
	const copy = /** @type {Element} */ (drawing.cloneNode(true));
	const { fonts, inkSoft, paper } = palette();
	const height = Number(copy.getAttribute("height"));
	const add = (
		/** @type {string} */ name,
		/** @type {Record<string, any>} */ attributes,
		content = "",
	) => {
		const part = document.createElementNS("http://www.w3.org/2000/svg", name);
		for (const key in attributes) part.setAttribute(key, attributes[key]);
		part.textContent = content;
		return part;
	};
	copy.setAttribute("height", String(height + 16 * notes.length));
	copy.prepend(add("rect", { width: "100%", height: "100%", fill: paper }));
	copy.append(
		...notes.map((note, i) =>
			add(
				"text",
				{
					x: 4,
					y: height + 16 * (i + 0.7),
					"font-size": 11,
					fill: inkSoft,
					"font-family": fonts.sans,
				},
				note,
			),
		),
	);
	return new XMLSerializer().serializeToString(copy);
}

/** Twice as sharp as the screen's pixels. @param {string} written @returns {Promise<Blob>} */
async function rastered(written) {
	const image = new Image();
	image.src = `data:image/svg+xml,${encodeURIComponent(written)}`;
	await image.decode();
	const canvas = Object.assign(document.createElement("canvas"), {
		width: 2 * image.width,
		height: 2 * image.height,
	});
	/** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")).drawImage(
		image,
		0,
		0,
		canvas.width,
		canvas.height,
	);
	return new Promise((done) =>
		canvas.toBlob((blob) => done(/** @type {Blob} */ (blob)), "image/png"),
	);
}

/** @param {Shown} what */
const stageOf = ({ stage }) => /** @type {HTMLElement} */ (stage);

/** A data address as a file; `fetch` may not, under our policy. @param {string} address */
function bytes(address) {
	const binary = atob(address.slice(address.indexOf(",") + 1));
	return new Blob([Uint8Array.from(binary, (c) => c.charCodeAt(0))], { type: "image/png" });
}

const LONGEST = 40; // letters of a file's name that tell the input

/** Letters and digits of what was given, with hyphens between. @param {Record<string, unknown>} [input] */
const slug = (input = {}) =>
	Object.values(input)
		.filter((value) => typeof value === "string")
		.join(" ")
		.normalize("NFKD")
		.toLowerCase()
		.replace(/\p{M}/gu, "")
		.replace(/[^\p{L}\p{N}]+/gu, "-")
		.slice(0, LONGEST)
		.replace(/^-|-$/g, "");

/** word-model-input-figure: what a file is of. @param {Shown} what @param {string} id */
const fileName = ({ call: [word], plotly, answer }, id) => {
	const { model = answer?.model, input = answer?.input } = plotly?.layout.meta ?? {};
	return [word.replaceAll("/", "-"), model, model && slug(input), id].filter(Boolean).join("-");
};

/** @type {Record<string, (what: Shown, name: string) => Promise<void>>} */
export const EXPORTS = {
	svg: async (what, name) =>
		save(new Blob([await asSvg(what)], { type: "image/svg+xml" }), `${fileName(what, name)}.svg`),
	png: async (what, name) => save(await asPng(what), `${fileName(what, name)}.png`),
	csv: async (what, name) =>
		save(
			new Blob([csv(await tableOf(what), provenance(what))], { type: "text/csv" }),
			`${fileName(what, name)}.csv`,
		),
	html: async ({ drawn }) => {
		const [word, question] = /** @type {NonNullable<Shown["drawn"]>} */ (drawn);
		location.href = apiAddress(word, { ...question, standalone: true });
	},
	json: async (what, name) =>
		save(
			new Blob([JSON.stringify(what.plotly ?? what.answer, null, 1)], { type: "application/json" }),
			`${fileName(what, name)}.json`,
		),
};

/** @param {Blob} blob @param {string} name */
function save(blob, name) {
	const link = Object.assign(document.createElement("a"), {
		href: URL.createObjectURL(blob),
		download: `vitrine-${name}`,
	});
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
