// Sets the reader's theme before the first paint; runs in the head, before the modules.
{
  const stored = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null; // storage may be forbidden: the system's preference then decides
    }
  };
  const prefers = (query) => matchMedia(query).matches;
  const system = prefers("(prefers-contrast: more)") ? "projector" : prefers("(prefers-color-scheme: dark)") ? "dark" : "light";
  document.documentElement.dataset.theme = stored("theme") ?? system;
  if (stored("presenter") === "on") document.documentElement.dataset.presenter = "";
}
