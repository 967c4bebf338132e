// The types of static/js/figures: what the API serves as a figure, in Plotly's own form, and what the
// runtime makes of it. `meta` says what Plotly has no word for.

/** An element that Plotly has drawn in, with what it adds. */
type Plot = HTMLElement & Open & {
	on: (event: string, heard: (event: any) => void) => void;
	closest: any;
};
type Size = { width: number; height: number };
type Box = Size & { x: number; y: number };
/** Plotly's own script, once it has come; it has no types, and neither has what it draws in. */
declare var Plotly: any;
/** The width of a text, in pixels. */
type Measure = (content: string, family: string, size: number) => number;
type Space = { size: Size; colours: Palette; measure: Measure };
/** Fields by name, of any kind. */
type Open = Record<string, any>;

type Trace = Open & { meta?: TraceMeta };
type Axis = Open & { range: [number, number]; tickvals?: number[]; ticktext?: string[] };
type Note = Open & { text: string; x: number; y: number; look?: NoteLook };
/** `name` is a part and the role of its colour: "line query", "fill select". */
type Shape = Open & { name?: string };
/** `chosen`: by axis, the place whose name stands in bold. */
type Said = FigureMeta & { chosen?: Record<string, number | null> };
type Layout = Open & { annotations?: Note[]; shapes?: Shape[]; meta: Said };
type Figure = { data: Trace[]; layout: Layout };

/** One pair of axes: their keys in the layout, the area between them, where a colour bar begins,
 * and by axis the pixels that a name along it needs. */
/** `rooms`: by axis, the pixels that a name along it needs; `named`: what is named where along it. */
type Panel = {
	x: string;
	y: string;
	box: Box;
	bar: number;
	rooms: Record<string, number>;
	named: Record<string, Axis>;
};
/** `bare`: the shapes that the figure came with, without marks. */
type Arranged = {
	data: Trace[];
	layout: Open & { annotations: Note[]; shapes: Shape[] };
	panels: Panel[];
	size: Size;
	bare?: Shape[];
};

/** A small map of several: its title, row and column, what is said of it, what a click asks for. */
type Tile = [string, number, number, string?, Open?];
/** A point, by its trace and its place in it. */
type Place = { trace: number; at: number; row: number };
type Changes = Record<string, string>;
/** One figure on its stage. */
type Staged = {
	stage: HTMLElement;
	served: Figure;
	arranged: Arranged;
	traces: Trace[];
	cursor: Place;
	/** The size and the theme that it is drawn in. */
	look: string;
	/** What a click or Enter on a point asks for. */
	pick: (changes: Changes) => void;
	/** Told of every point that is pointed at or walked to. */
	point?: (place: Place) => void;
	/** Told of a click and of Enter, besides `pick`. */
	enter?: (place: Place) => void;
	/** By axis, the place whose name stands in bold. */
	chosen?: Record<string, number | null>;
	/** Once Plotly has come. */
	plot?: Plot;
	card?: HTMLElement;
	redraw?: () => void;
	walking?: boolean;
};
type Interactive = Staged & {
	plot: Plot;
	card: HTMLElement;
	/** The ranges of the axes before any zoom. */
	home: Record<string, number[]>;
	/** What Plotly shows; another size may be on its way. */
	drawn?: Figure;
};

/** A number's place on an axis. */
type ToPixel = (value: number) => number;
/** What one panel of a still picture is painted with. */
type Pen = {
	ink: CanvasRenderingContext2D;
	level: Axis;
	upright: Axis;
	box: Box;
	toX: ToPixel;
	toY: ToPixel;
	colours: Palette;
};
type PaintTrace = (pen: Pen, trace: Trace) => void;
/** A trace, as its place in its panel makes it; `top` is the height of the legend. */
type Fit = (trace: Trace, panel: Panel, layout: Layout, space: Space, top: number) => Trace;

/** `summed`: whether there is room beside the rows. */
type NoteSpace = { colours: Palette; wide: (text?: string, axis?: Open) => number; summed: boolean };
/** `size`: the room of one tick's name. */
type AxisLook = {
	font: object;
	colours: Palette;
	size: number;
	chosen?: number | null;
	turned?: number;
	framed?: boolean;
};
type Font = { family: string; size: number; color: string; weight?: number | string };
type TextStyle = { anchor?: CanvasTextAlign; baseline?: CanvasTextBaseline; turn?: number };
/** Pixels beside an area. */
type Beside = { left: number; right: number };
/** `place`: "" for the first panel, "2" for the second; `least`: what is kept free beside it. */
type PanelIn = (
	layout: Layout,
	place: string,
	outer: Box,
	traces: Trace[],
	space: Omit<Space, "size">,
	least: Beside,
) => {
	panel: Panel;
	/** What it needs by itself. */
	least: Beside;
	notes: (Open & { px: number[] })[];
	own: Note[];
	axes: Record<string, Open>;
};
/** `line`: the least height of a line. */
type NotesIn = (
	notes: Note[],
	level: Axis,
	upright: Axis,
	box: Box,
	line: number,
	space: NoteSpace,
) => Note[];
/** `size`: the pixels of one name. */
type TicksIn = (
	served: Axis,
	range: number[],
	pixels: number,
	size: number,
	chosen?: number | null,
) => { tickvals: number[]; ticktext: string[] };
/** `below`: pixels at the bottom of the stage that are kept free. */
type Show = (
	stage: HTMLElement,
	served: Figure,
	pick: Staged["pick"],
	told?: Pick<Staged, "point" | "enter">,
	below?: number,
) => void;
/** `shapes` as a layout has them: `name: "line query"` gives a colour. `chosen`: by axis, the place
 * whose name stands in bold. */
type MarkFigure = (
	stage: HTMLElement,
	shapes: Shape[],
	chosen?: Record<string, number | null>,
) => void;
type OfferSwitches = (
	element: HTMLElement,
	switches: Switch[],
	chosen: SwitchChoice[],
	nameOf: (one: Switch) => string,
) => void;
/** Of each row how many panels stand side by side, their share of the height, whether they may stand
 * in several lines, and their shares of the width where these are not equal. */
type InRows = (
	rows: [number, number, boolean?, number[]?][],
	size: Size,
	top: number,
) => Box[];
