// Runs in the head: sets the theme before the first paint. A frame follows its changes.
{
	let stored;
	try {
		stored = localStorage.getItem("theme");
	} catch {
		// storage may be forbidden: the system's preference then decides
	}
	const prefers = (/** @type {string} */ query) => matchMedia(query).matches;
	const system = prefers("(prefers-contrast: more)")
		? "projector"
		: prefers("(prefers-color-scheme: dark)")
			? "dark"
			: "light";
	const root = document.documentElement;
	const framed = root.hasAttribute("data-embed");
	const asked = framed && /[?&]theme=(light|dark|projector)\b/.exec(location.search);
	if (framed) addEventListener("storage", ({ key }) => key === "theme" && location.reload());
	root.dataset.theme = asked ? asked[1] : (stored ?? system);
}
