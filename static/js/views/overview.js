// The overview: a sentence, its translation, and the model that made it, drawn from its live modules with the shapes of this run.

import { input, query, reads, rooted } from "../address.js";
import { bitmap } from "../draw/canvas.js";
import { probability } from "../draw/colours.js";
import { palette } from "../draw/palette.js";
import { svgElement } from "../draw/svg.js";
import { count } from "../draw/text.js";
import { figure } from "../figure.js";
import { card, start } from "../page.js";
import { draw } from "./overview-drawing.js";
import { besides, census, holders, stacks, times } from "./overview-parts.js";
import { said } from "./overview-said.js";

/** Which page shows a part, and in which state; what is said at the end is a page's own. @param {Record<string, string>} state @param {string} says */
const doors = (state, says) => (/** @type {string} */ part) => {
  const [stack, layer, kind] = part.split(".");
  const pages = {
    attention: () => `/attention${query({ ...input(state), kind: "self", stack, layer })}`,
    cross_attention: () => `/attention${query({ ...input(state), kind: "cross", stack, layer })}`,
    position: () => `/positions${query(input(state))}`,
    output: () => `/${says}${query(input(state))}`,
    box: () => `/detection${query(input(state))}`,
    bypass: () => `/tables${query(input(state))}`,
  };
  const stream = () =>
    `/residual${query({ ...input(state), stack: stack === "embedding" ? undefined : stack })}`;
  return rooted((pages[/** @type {keyof typeof pages} */ (kind ?? stack)] ?? stream)());
};

export default () => start({
  async load(state, ask) {
    const [model, run, attention, output] = await Promise.all([
      ask(`models/${state.model}`, { fields: "modules,config,parameters" }), ask("activations", input(state)),
      ask("attention", { ...input(state), decimals: 2 }), ask("logits", { ...input(state), top: 1, names: "top_probability,expected_probability" }),
    ]);
    return { model, run, attention, output };
  },
  draw({ model, run, attention, output }, state, page) {
    const architecture = figure("architecture");
    const colours = palette();
    const suffix = ".pattern";
    const patterns = Object.fromEntries(Object.entries(attention.tensors).filter(([name]) => name.endsWith(suffix)).map(([name, { data }]) => [name.slice(0, -suffix.length), data]));
    const axes = Object.entries(run.axes).filter(([, { labels }]) => labels).map(([name, { labels }]) => [name, labels]);
    const answer = said(output);
    const { scene: picture, least } = draw({
      stacks: stacks(model.modules, run.activations), beside: besides(model.modules, run.activations),
      tokens: { ...Object.fromEntries(axes), expected: answer.map(({ token }) => token) },
      chances: answer.map(({ chance }) => chance),
      patterns, placement: model.config.placement, added: model.config.positions !== "none", relative: model.config.relative,
      output: times(run.activations.find((/** @type {any} */ { name }) => name === "probabilities")?.shape),
      href: doors(state, output.axes.queries ? "detection" : reads(card) === "image" ? "images" : "generate"), scale: probability(colours, "attention weight"), colours, ...architecture.size(),
    });
    architecture.stage.style.minHeight = `${least}px`;
    const image = (/** @type {any} */ shape) => bitmap(shape).toDataURL("image/png");
    const drawn = svgElement(picture, { fonts: colours.fonts, image });
    architecture.stage.querySelector("svg")?.remove();
    architecture.stage.append(drawn);
    const sum = census(model.modules).map(({ name, times: n, each }) => `${n > 1 ? `${n} × ` : ""}${count(each)} ${name}`).join(" + ");
    architecture.show({
      vector: picture,
      table: { caption: `Parts that hold parameters; ${count(model.parameters)} in all`, head: ["part", "shapes", "parameters"], rows: holders(model.modules) },
      call: ["activations", input(state)], answer: run, shape: `${count(model.parameters)} parameters = ${sum}`,
    });
    tell(run, output, page.example());
  },
});

/** What the model read and what it wrote, or would write next, and what to look for in this example. @param {any} run @param {any} output @param {import("../page.js").Card["examples"][number]} [example] */
function tell({ input: { source, target, text: only, image, row } }, output, example) {
  const say = (/** @type {string} */ id, /** @type {string} */ content) => {
    const element = document.getElementById(id);
    if (element && element.textContent !== content) element.textContent = content;
  };
  const side = Math.sqrt(image?.split(",").length ?? 0);
  say("reads", source ?? only ?? (side > 1 ? `${side} × ${side} grey values` : image) ?? row?.replaceAll(",", ", ") ?? "");
  say("writes", target ?? (card.family === "decoder-only" ? output.top_tokens.at(-1)[0] : answers(output)));
  say("look-for", example?.look_for ?? "");
}

/** What a model says that does not say what comes next. @param {any} output */
const answers = (output) => (output.expected.length ? "" : said(output).map(({ token }) => token).filter((token) => token !== "nothing").join(", "));
