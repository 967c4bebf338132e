// The map's two pictures: the canvas at once, Plotly's in its place when the numbers have come to rest.

const REST = 150;

let timer;
let drawn;

/**
 * Shows the canvas, and Plotly over it as soon as that is ready; a Plotly picture of other numbers is hidden at once.
 * @param {ReturnType<typeof import("../figure.js").figure>} figure
 * @param {import("../foot.js").Shown} shown for the figure, with the canvas's scene
 * @param {any} content @param {ReturnType<typeof import("./attention-heatmap.js").frame>} frame @param {{palette: any, scale: any}} options
 */
export function swap(figure, shown, content, frame, options) {
  const now = JSON.stringify([content, frame, options.palette, options.scale.high]);
  const over = figure.stage.querySelector(".plot");
  if (now === drawn?.now) return figure.show({ ...shown, picture: drawn.picture });
  drawn = undefined;
  if (over) over.hidden = true;
  figure.show(shown);
  clearTimeout(timer);
  const mine = (timer = setTimeout(async () => {
    const [{ plot, whenIdle }, { figure: inPlotly }] = await Promise.all([import("../draw/plotly.js"), import("./attention-plotly-figure.js")]);
    await whenIdle();
    if (mine !== timer) return;
    const { data, layout } = inPlotly(content, frame, options);
    const { element, picture } = await plot(figure.stage, data, layout);
    if (mine !== timer) return void (element.hidden = true);
    element.inert = true; // the canvas under it is what listens
    element.hidden = false;
    drawn = { now, picture };
    figure.show({ ...shown, picture });
  }, REST));
}
