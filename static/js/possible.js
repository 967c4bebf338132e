// What a refusal leaves possible.

import { $ } from "./common.js";
import { get } from "./state.js";

const CHOSEN = "#controls :is(select, [type=hidden], [type=range])";

/**
 * Of choices that are not here, as a token of a longer sentence, the nearest that are. What somebody
 * types is not corrected.
 * @param {any[]} errors @returns {State}
 */
export const possible = (errors) =>
	Object.fromEntries(
		errors
			.filter(({ limit }) => Number.isInteger(limit))
			.map(({ pointer, code, limit }) => [
				pointer.replace(/\W/g, ""),
				`${limit - Number(code === "less_than")}`,
			])
			.filter(([name, limit]) => get()[name] !== limit && $(`${CHOSEN}[name="${name}"]`)),
	);
