// Gradients: the lines say the numbers of the answer, and which gradient they are.
import assert from "node:assert/strict";
import { test } from "node:test";
import { beside, last, reading } from "../../static/js/views/gradients-figures.js";
import { gives, has, holds } from "./said.js";

const colours = { tick: 13, text: 16, ink: "#000", inkSoft: "#333", rule: "#ccc", ruleStrong: "#888", stream: "#3f3d38", attention: "#1768a8", heads: [] };
const labels = (...names) => ({ labels: names });
const answer = {
  axes: { placement: labels("post", "pre"), depth: labels("2", "8", "32"), stack: labels("encoder", "decoder"), layer: labels("1", "2", "3") },
  tensors: {
    last: { data: [[8.5, 8.6, 8.7], [7, 3.6, 1.8]] },
    token_cosine: { data: [[0.3, 0.95, 1], [0.26, 0.6, 0.89]] },
    parameter: { data: [[[8, 8.5, 9], [9, 4, 2]], [[0.09, 0.8, 9], [4, 3, 2]]] },
    residual: { data: [[[3, 4, 5], [6, 4, 2]], [[0.05, 0.5, 5], [4, 3, 2]]] },
  },
};
const space = (state) => ({ width: 520, height: 380, colours, state: { stack: "decoder", beside: "parameter", ...state } });
const texts = ({ scene }) => scene.shapes.filter(({ shape }) => shape === "text").map(({ content }) => content);
const some = (drawn, ...parts) => texts(drawn).some((content) => has(content, ...parts));

test("the last gradient stands beside the slope that the theorem bounds", () => {
  const drawn = last(answer, space());
  for (const word of ["Post-LN", "Pre-LN", "1/√L", "32"])
    assert.ok(texts(drawn).includes(word), word);
  assert.ok(some(drawn, "|∂L/∂W₂|"));
  holds(drawn.say({ column: 1 }), "8");
  gives(drawn.say({ column: 1 }), { "Post-LN": "8.600", "Pre-LN": "3.600" });
  assert.deepEqual(drawn.table.rows, [["Post-LN", 8.5, 8.6, 8.7], ["Pre-LN", 7, 3.6, 1.8]]);
});

test("on the way down both stacks are drawn, and the gradient is named", () => {
  const parameter = beside(answer, space());
  const curves = ["encoder", "decoder"].flatMap((stack) => [["Post-LN", stack], ["Pre-LN", stack]]);
  for (const curve of curves) assert.ok(some(parameter, ...curve), curve.join());
  const names = parameter.table.rows.map(([name]) => name);
  names.forEach((name, i) => holds(name, ...curves[i]));
  const first = ["8.000", "9.000", "0.090", "4.000"];
  gives(parameter.say({ column: 0 }), Object.fromEntries(names.map((name, i) => [name, first[i]])));
  assert.deepEqual([some(parameter, "|∂L/∂W₂|"), some(parameter, "|∂L/∂x|")], [true, false]);
  const residual = beside(answer, space({ beside: "residual" }));
  assert.deepEqual([some(residual, "|∂L/∂W₂|"), some(residual, "|∂L/∂x|")], [false, true]);
  gives(residual.say({ column: 0 }), { [names[2]]: "0.050" });
});

test("the stack asked for has dots, the other none", () => {
  const dots = beside(answer, space()).scene.shapes.filter(({ shape }) => shape === "dot").length;
  assert.equal(dots, 6);
});

test("tokens' cosines lie between 0 and 1 against depth", () => {
  const drawn = beside(answer, space({ beside: "cosine" }));
  assert.equal(drawn.tensor, "token_cosine");
  holds(drawn.say({ column: 2 }), "32");
  gives(drawn.say({ column: 2 }), { "Post-LN": "1.000", "Pre-LN": "0.890" });
});

test("a ratio that vanished is read with three digits", () => {
  const [decoder, encoder] = [reading("decoder", 0.0034, 2.44), reading("encoder", 0.998, 5.07)];
  holds(decoder, "decoder");
  gives(decoder, { "Post-LN": ".003", "Pre-LN": "2.4" });
  holds(encoder, "encoder");
  gives(encoder, { "Post-LN": "1.00", "Pre-LN": "5.1" });
});
