// Written by `python -m tests.app.contract` from app/figures/meta.py: what `meta` says.

type NoteLook = {
	kind: "end" | "near" | "sum" | "title" | "cell" | "fit" | "word" | "here" | "step";
	role: string;
	ground?: string;
	until?: number;
	spare?: boolean;
	tokens?: boolean;
	step?: number;
};

type TraceMeta = {
	/** Its color role, or that of each of its bars or points. */
	role?: string | string[];
	/** The name of its color scale, or the color roles that it interpolates. */
	scale?: string | string[];
	/** Whether the scale is fitted to the numbers, instead of having explicit ends. */
	fitted?: boolean;
	/** Whether cells without a number are hatched. */
	hatched?: boolean;
	/** Which of its bars or points are outlines. */
	hollow?: boolean[];
	/** The length of a horizontal stroke, as a fraction of the distance between integers. */
	across?: number;
	/** Whether the texts of its cells are also those of the table, and are shortened word by word. */
	worded?: boolean;
	/** The table's text instead of its numbers. */
	said?: string[][] | number[];
	/** By query and key, the text of a cell when its query is selected. */
	ways?: string[][];
	/** False if the table omits it. */
	tabled?: boolean;
	/** False if it is not a number of the run; a difference then has it only if both runs do. */
	subtracted?: boolean;
	/** The name of its table column, if not its own name. */
	column?: string;
	/** The table columns of the points' text. */
	columns?: string[];
	/** The names of its points in the table; over an image, the weights of every query. */
	rows?: string[] | number[][];
	/** The place of each of its points on the axis, if bars stand beside each other there. */
	centers?: number[];
	/** The step of each of its points. */
	steps?: number[];
	/** By row and cell, the total weight of heavier cells in the row. */
	before?: number[][];
	/** Over an image, the coordinates of each patch. */
	places?: number[][];
	/** Its small maps: title, row and column of the first cell, text, and question for a click. */
	tiles?: any[][];
	/** The height and width of a small map, in cells. */
	size?: [number, number];
	/** The names of a small map's rows and columns. */
	names?: [string[], string[]];
	/** Row and column of each token in a small map of patches. */
	tokens?: number[][];
	/** The names of these tokens. */
	token_names?: string[];
	/** The question for clicking a point. */
	pick?: Record<string, any>;
	/** The question for a click, by row. */
	pick_row?: Record<string, any>;
	/** What a running training adds to it: "rate" or "loss", */
	of?: string;
	/** of which network, */
	arm?: number;
	/** and of which seed, if not the mean. */
	seed?: number;
};

type Group = {
	name: string;
	short: string;
	from: number;
	to: number;
};

type Table = {
	caption: string;
	head: string[];
	rows: ((string | number | null)[])[];
};

type SwitchChoice = {
	name?: string;
	data?: Record<string, any>;
	layout?: Record<string, any>;
};

type Switch = {
	name: string;
	label: string;
	choices: SwitchChoice[];
};

type Fact = {
	term: string;
	value: string;
	law: string;
	holds: boolean;
};

type Reading = {
	memory: string[];
	weights: number[];
	looking: string;
};

type FigureMeta = {
	title?: string;
	/** A description of the figure in a sentence, for screen readers. */
	description?: string;
	/** The text next to the title, if not the page's own. */
	caption?: string;
	kind?: "trained" | "yours" | "random initialization" | "constructed" | "analytic";
	formula?: string;
	axes?: string[];
	/** The formula, axes, and shape of its tensor. */
	shape?: number[];
	/** The paper. */
	source?: string;
	model?: string;
	weights_sha256?: string;
	input?: Record<string, string>;
	/** How the run differs from the original one, each in a few words. */
	edited?: string[];
	seed?: number;
	/** The address that returns the same numbers. */
	call?: string;
	/** Its panels: how many side by side, their fraction of the height, whether they may wrap into several lines, and their fractions of the width if not equal. */
	rows?: [number, number, boolean, number[]][];
	/** On a walk, the fraction of the height from which the first panel moves up after the previous step. */
	came?: number;
	/** How many lines of text it needs below each other, if they are many. */
	tall?: number;
	/** Whether all panels have the same margins. */
	aligned?: boolean;
	/** Whether the page describes the axes. */
	captioned?: boolean;
	/** Names over the places of the horizontal axis. */
	layers?: Group[];
	/** By axis, the place whose name is bold and always shown. */
	chosen?: Record<string, number>;
	/** The style of each of `layout.annotations`. */
	notes?: (NoteLook | null)[];
	/** The place around which as many columns are shown as fit, and their characters. */
	window?: [number, number];
	switches?: Switch[];
	table?: Table;
	/** The content of the elements with these ids. */
	beside?: Record<string, string | number>;
	said?: string;
	explained?: string;
	/** A sentence to be announced; the text next to the figure, and the same as HTML with its terms explained. */
	told?: string;
	reading?: string;
	summary?: string;
	count?: string;
	facts?: Fact[];
	/** The text for each step, or for each position and step. */
	sentences?: string[] | string[][];
	shows?: string;
	/** For a difference: that it is one, and what was subtracted. */
	difference?: string;
	/** The title of the vertical axis if there is no room for a color bar. */
	without_bar?: string;
	tokens?: string[];
	/** The names of a stream's tokens, and of its steps. */
	titles?: string[];
	position?: number;
	query?: number;
	sequences?: number;
	/** For a mask: the selected query, the number of sequences, and the columns of a grid. */
	across?: number;
	map?: string;
	queries?: string[];
	keys?: string[];
	asking?: string[];
	off?: boolean;
	/** For an attention map: its name, its tokens, the queries with the next token, whether its head is off, and the heaviest key of each query. */
	strongest?: number[];
	look?: Reading;
	/** For a generation step: what was attended to, and the tokens read. */
	read?: string[];
	names?: string;
	shapes?: number;
	scene?: (Record<string, string | number>)[];
	/** The number of shapes in a picture, what each of them is and where, and where one more has most room. */
	room?: Record<string, number>;
	at?: number;
	steps?: number[];
	/** For a training: the selected step, all steps, and the choices of heads. */
	heads?: Record<string, string>[];
	/** By column of a row, the change of the prediction without its value. */
	without?: Record<string, Record<string, string | boolean>>;
};
