// Plotly, loaded from our own server after the first picture.

/** @type {Promise<any> | undefined} */
let script;

/** Plotly's module, fetched when first asked for; its address comes from the template. @returns {Promise<any>} */
export function plotly() {
	script ??= new Promise((done, stop) => {
		const element = document.createElement("script");
		element.src = document.body.dataset.plotly ?? "";
		element.addEventListener("load", () => done(/** @type {any} */ (globalThis).Plotly));
		element.addEventListener(
			"error",
			() => ((script = undefined), stop(new Error("Plotly’s script did not arrive."))),
		);
		document.head.append(element);
	});
	return script;
}
