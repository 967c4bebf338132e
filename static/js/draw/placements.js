// Where the norm stands: what each placement is called, and its colour, the same in every clinic.

/** @type {Record<string, string>} */
export const PLACEMENT = { post: "Post-LN", pre: "Pre-LN", admin: "Admin", b2t: "B2T", branch: "x + LN(f)", none: "no norm" };

/** @param {import("./colours.js").Palette} colours @param {string} placement @returns {string} */
export const placementColour = (colours, placement) => /** @type {Record<string, string>} */ ({ post: colours.stream, pre: colours.attention, admin: colours.cross, b2t: colours.query, branch: colours.feedForward, none: colours.value })[placement];
