// What views ask for and show: figures that come drawn, each in its frame on the page.

import { $ } from "../common.js";
import { showFigure } from "../figures/figure.js";

/**
 * @param {Ask} ask @param {string} word @param {Question} question
 * @param {string} figures names with commas between them
 */
export const askFigures = (ask, word, question, figures) =>
	ask(`${word}/figures`, {
		...question,
		figures,
		encoding: question.decimals ? "levels" : "base64", // rounded numbers are few
	});

/** One figure of an answer in its frame, under its own caption if any. @type {ShowOne} */
export function showOne(frame, answer, of, asked, { part = {}, ...how }) {
	const [word, name] = of.split("/");
	const figure = how.plotly ?? answer.figures[name];
	const { caption } = figure.layout.meta;
	const under = $(".figure-head span", frame);
	if (caption && under) under.textContent = caption;
	showFigure(frame, figure, {
		answer,
		call: [word, asked],
		drawn: [`${word}/figures/${name}`, { ...asked, ...part }],
		...how,
	});
}
