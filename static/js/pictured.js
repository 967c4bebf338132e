// The model of images that a page is about: the bar's, or where that one reads no image, the one that the page brings along.

import { card } from "./page.js";

const brought = document.getElementById("pictured")?.textContent;

/** @type {import("./page.js").Card} */
export const pictured = brought ? JSON.parse(brought) : card;

/** The model and the image in question. @param {Record<string, string>} state */
export const picture = ({ image, picture: own }) => ({ model: pictured.id, image: brought ? own : image });
