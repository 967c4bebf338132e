// A figure that shows one of several pictures, chosen by the control `show`; its title goes with the choice.

/** @typedef {(answer: any, space: import("../clinic.js").Space) => import("../clinic.js").Drawn} Draw */

/** @param {string} id the figure's @param {Record<string, {title: string, draw: Draw}>} pictures the first is drawn where nothing known is chosen @returns {Draw} */
export const oneOf = (id, pictures) => (answer, space) => {
  const { title, draw } = pictures[space.state.show] ?? Object.values(pictures)[0];
  Object.assign(/** @type {HTMLElement} */ (document.getElementById(`${id}-title`)), { textContent: title });
  return draw(answer, space);
};
