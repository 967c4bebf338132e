// In a notebook: each figure in a frame of its own. This script comes once, with what frames hold.
{
	const unpacked = (/** @type {string} */ packed) =>
		new Response(
			new Blob([Uint8Array.from(atob(packed), (sign) => sign.charCodeAt(0))])
				.stream()
				.pipeThrough(new DecompressionStream("gzip")),
		).json();

	const page = unpacked("PACKED").then(({ html, files }) => {
		for (const name in files)
			files[name] = URL.createObjectURL(new Blob([files[name]], { type: "text/javascript" }));
		return html.replace("{plotly}", files.plotly).replace("{imports}", JSON.stringify(files));
	});

	class NotebookFigure extends HTMLElement {
		async connectedCallback() {
			if (this.shadowRoot) return;
			const frame = document.createElement("iframe");
			frame.style.cssText = "border:0;width:100%;height:26rem";
			this.attachShadow({ mode: "open" }).append(frame);
			const told = await unpacked(this.dataset.figure ?? "");
			const green = getComputedStyle(this).color.split(/\D+/)[2]; // dark where letters are light
			told.theme = Number(green) < 128 ? "light" : "dark";
			frame.srcdoc = (await page).replace(/\{(\w+)\}/g, (/** @type {string} */ _, /** @type {string} */ name) => told[name]);
		}
	}
	customElements.get("vitrine-figure") ?? customElements.define("vitrine-figure", NotebookFigure);
}
