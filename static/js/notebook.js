// In a notebook: figures and drawings in its colours, light or dark, and pages while their server
// runs. This script comes once, with what the frames of figures hold.
if (!customElements.get("vitrine-figure")) {
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

	/** @type {Set<Themed>} those that are in the notebook now */
	const shown = new Set();
	const follow = () => shown.forEach((one) => one.follow());
	// Notebooks change attributes here when another theme is chosen.
	for (const one of [document.documentElement, document.body])
		new MutationObserver(follow).observe(one, { attributes: true });
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", follow);

	class Themed extends HTMLElement {
		get theme() {
			const green = getComputedStyle(this).color.split(/\D+/)[2];
			return +green < 128 ? "light" : "dark"; // dark where letters are light
		}
		connectedCallback() {
			shown.add(this);
			if (!this.shadowRoot) this.show(this.attachShadow({ mode: "open" }));
		}
		disconnectedCallback() {
			shown.delete(this);
		}
		/** Once. @param {ShadowRoot} _root */
		show(_root) {}
		/** Takes the theme that the notebook has now. */
		follow() {}
	}

	class Figure extends Themed {
		frame = document.createElement("iframe");
		async show(/** @type {ShadowRoot} */ root) {
			this.frame.style.cssText = "border:0;width:100%;height:100%";
			this.frame.onload = () => this.follow(); // again, when it has been out of sight
			root.append(this.frame);
			const parts = {
				...(await page),
				...(await read(this.dataset.figure ?? "")),
				theme: this.theme,
			};
			this.frame.srcdoc = String(parts.html).replace(/\{(\w+)\}/g, (_, name) => parts[name]);
		}
		follow() {
			const root = this.frame.contentDocument?.documentElement;
			if (root?.dataset.theme) root.dataset.theme = this.theme;
		}
	}

	class Drawing extends Themed {
		picture = document.createElement("img");
		/** @type {Record<string, string>} an SVG by theme */ drawings = {};
		async show(/** @type {ShadowRoot} */ root) {
			this.picture.style.cssText = "max-width:100%";
			this.picture.alt = this.dataset.label ?? "";
			this.drawings = await read(this.dataset.drawing ?? "");
			root.append(this.picture);
			this.follow();
		}
		follow() {
			const svg = this.drawings[this.theme];
			if (svg) this.picture.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
		}
	}

	class Page extends HTMLElement {
		async connectedCallback() {
			const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
			const { address = "", server, frames = "", gone = "", refused = "", height } = this.dataset;
			const sources = frames.split(" ");
			const around = [location.origin, ...(location.ancestorOrigins ?? [])];
			const other = around.find((origin) => {
				const anyPort = origin.replace(/(:\d+)?$/, ":*");
				return !["*", origin, anyPort].some((source) => sources.includes(source));
			});
			const why = document.createElement("p");
			root.replaceChildren(document.createElement("slot"), why);
			// A file, such as an export, is of no origin that a server could name.
			if (other)
				return (why.textContent = /^http/.test(other) ? refused.replaceAll("ORIGIN", other) : "");
			const answers = fetch(`${server}healthz`, { mode: "no-cors" });
			if (!(await answers.catch(() => null))) return (why.textContent = gone);
			const frame = document.createElement("iframe");
			frame.style.cssText = `border:0;width:100%;height:${height}px`;
			frame.src = address;
			root.replaceChildren(frame);
		}
	}

	customElements.define("vitrine-figure", Figure);
	customElements.define("vitrine-drawing", Drawing);
	customElements.define("vitrine-page", Page);
}
