// In a notebook: each figure in a frame of its own. This script comes once, with what frames hold.
{
	const read = (/** @type {string} */ packed) =>
		new Response(
			new Blob([Uint8Array.from(atob(packed), (sign) => sign.charCodeAt(0))])
				.stream()
				.pipeThrough(new DecompressionStream("gzip")),
		).json();
	const page = read("PACKED").then(({ html, files }) => {
		for (const name in files)
			files[name] = URL.createObjectURL(new Blob([files[name]], { type: "text/javascript" }));
		return { html, plotly: files.plotly, imports: JSON.stringify(files) };
	});
	class Figure extends HTMLElement {
		async connectedCallback() {
			if (this.shadowRoot) return;
			const frame = document.createElement("iframe");
			frame.style.cssText = "border:0;width:100%;height:100%";
			this.attachShadow({ mode: "open" }).append(frame);
			const green = getComputedStyle(this).color.split(/\D+/)[2];
			const theme = +green < 128 ? "light" : "dark"; // dark where letters are light
			const parts = { theme, ...(await page), ...(await read(this.dataset.figure ?? "")) };
			frame.srcdoc = String(parts.html).replace(/\{(\w+)\}/g, (_, name) => parts[name]);
		}
	}
	customElements.get("vitrine-figure") ?? customElements.define("vitrine-figure", Figure);
}
