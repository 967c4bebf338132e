// Runs in the head: sets the theme before the first paint. A frame follows its changes.
{
	const stored = (/** @type {string} */ name) => {
		try {
			return localStorage.getItem(name);
		} catch {
			return null; // storage may be forbidden: the system's preference then decides
		}
	};
	const prefers = (/** @type {string} */ query) => matchMedia(query).matches;
	const system = prefers("(prefers-contrast: more)")
		? "projector"
		: prefers("(prefers-color-scheme: dark)")
			? "dark"
			: "light";
	const framed = document.documentElement.hasAttribute("data-embed");
	const asked = framed && /[?&]theme=(light|dark|projector)\b/.exec(location.search);
	if (framed) addEventListener("storage", () => location.reload());
	document.documentElement.dataset.theme = asked ? asked[1] : (stored("theme") ?? system);
	if ((!framed || frameElement) && stored("presenter") === "on")
		document.documentElement.dataset.presenter = "";
}
