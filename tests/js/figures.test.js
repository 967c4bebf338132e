// Figures that come drawn: what the arrangement takes for names, and what the table says of small maps and of dots.
import assert from "node:assert/strict";
import { test } from "node:test";
import { arrange } from "../../static/js/figures/arrange.js";
import { table } from "../../static/js/figures/table.js";

const colours = { tick: 13, fonts: { mono: "mono", serif: "serif", sans: "sans" }, heads: [], cividis: ["#000000", "#ffffff"], sunken: "#eeeeee", ruleStrong: "#888888" };
const space = { size: { width: 400, height: 300 }, colours, measure: (content) => 8 * content.length };
const axis = (title, range, tickvals) => ({ title: { text: title }, range, tickvals, ticktext: tickvals.map(String), type: "linear" });
const figure = (data, x, y, more = {}) => ({ data, layout: { xaxis: x, yaxis: y, meta: { panels: 1 }, ...more } });

test("names stand at every whole number from 0 on; whole numbers of a scale are marked and crossed by lines", () => {
  const { layout } = arrange(figure([], axis("name", [-0.5, 2.5], [0, 1, 2]), axis("value", [-3.4, 3.4], [-3, -2, -1, 0, 1, 2, 3])), space);
  assert.deepEqual([layout.xaxis.ticks, layout.xaxis.showgrid], ["", false]);
  assert.deepEqual([layout.yaxis.ticks, layout.yaxis.showgrid], ["outside", true]);
});

test("an even panel is a square where both ranges are as long", () => {
  const y = { ...axis("after", [-2, 2], [-2, 0, 2]), scaleanchor: "x" };
  const { panels } = arrange(figure([], axis("before", [-2, 2], [-2, 0, 2]), y), space);
  assert.ok(Math.abs(panels[0].box.width - panels[0].box.height) < 1e-9);
});

test("the frame of a small map has the colours of the theme, whatever it came with", () => {
  const frame = { name: "frame", type: "rect", fillcolor: "#123456", line: { color: "#123456", width: 1 } };
  const { layout } = arrange(figure([], axis("x", [0, 1], []), axis("y", [1, 0], []), { shapes: [frame] }), space);
  assert.deepEqual([layout.shapes[0].fillcolor, layout.shapes[0].line.color], ["#eeeeee", "#888888"]);
});

test("a table of small maps has a row for each row of each, and a cell without a number is empty", () => {
  const z = [[null, null, null, null, null], [1, null, null, 3, null], [2, 4, null, 5, 6]];
  const trace = { type: "heatmap", z, meta: { size: [2, 2], tiles: [["first", 1, 0], ["second", 1, 3]] } };
  const { head, rows } = table(figure([trace], axis("writer", [0, 5], []), axis("depth", [3, 0], [])));
  assert.deepEqual(head, ["depth \\ writer", "1", "2"]);
  assert.deepEqual(rows, [["first 1", 1, ""], ["first 2", 2, 4], ["second 1", 3, ""], ["second 2", 5, 6]]);
});

test("a table of dots says what each is and both its numbers", () => {
  const trace = { mode: "markers", x: [1, 2], y: [3, 4], customdata: ["channel 0", "channel &lt;1&gt;"] };
  const { head, rows } = table(figure([trace], axis("before", [0, 5], []), axis("after", [0, 5], [])));
  assert.deepEqual(head, ["", "before", "after"]);
  assert.deepEqual(rows, [["channel 0", 1, 3], ["channel <1>", 2, 4]]);
});
