// The questions page: the entries stand in the page; only looking for words is left to do.

import { find } from "../notes.js";
import { start } from "../page.js";

export default () => start({ load: async () => ({}), draw: (_, state) => find(state.find ?? "") });
