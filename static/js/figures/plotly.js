// Plotly, loaded from our own server after the first picture.

import { make } from "../common.js";

/** @type {Promise<any> | undefined} */
let script;

/**
 * Plotly's module, fetched when first asked for; its address comes from the template.
 * @returns {Promise<any>}
 */
export function plotly() {
	script ??= new Promise((done, stop) => {
		const element = make("script", {
			src: document.body.dataset.plotly,
			onload: () => done(Plotly),
			onerror: () => (
				(script = undefined), stop(new Error("The plotting library failed to load."))
			),
		});
		document.head.append(element);
	});
	return script;
}
