// How a query and a key are compared: what each score is called, and its colour, the same in every clinic.

/** @type {Record<string, string>} */
export const SCORE = {
	dot: "dot",
	scaled_dot: "scaled dot",
	general: "general",
	additive: "additive",
	cosine: "cosine",
	location: "location",
};

/** @param {import("./palette.js").Palette} colours @param {string} score @returns {string} */
export const scoreColour = (colours, score) =>
	/** @type {Record<string, string>} */ ({
		dot: colours.cross,
		scaled_dot: colours.attention,
		general: colours.value,
		additive: colours.query,
		cosine: colours.feedForward,
		location: colours.bias,
	})[score];
