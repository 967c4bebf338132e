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
	/** Whose colour it has, or each of its bars or points. */
	role?: string | string[];
	/** The name of its scale of colours, or the roles of the colours that it goes through. */
	scale?: string | string[];
	/** Whether the scale ends at the numbers, and not where its ends are stated. */
	fitted?: boolean;
	/** Whether cells without a number are hatched. */
	hatched?: boolean;
	/** Which of its bars or points are outlines. */
	hollow?: boolean[];
	/** Of a level stroke, its length as a share of the distance of two whole numbers. */
	across?: number;
	/** Whether the texts of its cells are what the table says, and are shortened word by word. */
	worded?: boolean;
	/** What the table says in the place of its numbers. */
	said?: string[][] | number[];
	/** By query and key, what is said of a cell when its query is looked at. */
	ways?: string[][];
	/** False where the table leaves it out. */
	tabled?: boolean;
	/** False where it is no number of the run, and a difference has it only if both runs do. */
	subtracted?: boolean;
	/** What its column of the table is called, where that is not its name. */
	column?: string;
	/** The columns of a table of what is said of each point. */
	columns?: string[];
	/** The names of its points in the table; over an image, the weights of every query. */
	rows?: string[] | number[][];
	/** The step of each of its points. */
	steps?: number[];
	/** By row and cell, how much of the row lies on heavier cells. */
	before?: number[][];
	/** Over an image, where each patch is. */
	places?: number[][];
	/** Its small maps: title, row and column of the first cell, what is said, what a click asks. */
	tiles?: any[][];
	/** The height and the width of a small map, in cells. */
	size?: [number, number];
	/** The names of the rows and of the columns of a small map. */
	names?: [string[], string[]];
	/** Row and column of each token in a small map of patches. */
	tokens?: number[][];
	/** The names of these tokens. */
	token_names?: string[];
	/** What a click on a point asks for. */
	pick?: Record<string, any>;
	/** What a click asks for, by row. */
	pick_row?: Record<string, any>;
	/** What a training that goes on adds to it: "rate" or "loss", */
	of?: string;
	/** of which network, */
	arm?: number;
	/** and of which seed, where not the mean. */
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
	/** The figure in a sentence, for readers who do not see it. */
	description?: string;
	/** What stands beside the title, where it is not the page's own. */
	caption?: string;
	kind?: "trained" | "yours" | "random initialisation" | "analytic";
	formula?: string;
	axes?: string[];
	/** The formula, the axes and the shape of the tensor that it shows. */
	shape?: number[];
	/** The paper. */
	source?: string;
	model?: string;
	weights_sha256?: string;
	input?: Record<string, string>;
	/** What is otherwise in the run than in the one as given, each in a few words. */
	edited?: string[];
	seed?: number;
	/** The address that returns the same numbers. */
	call?: string;
	/** Its panels: how many side by side, their share of the height, whether they may stand in several lines, and their shares of the width where these are not equal. */
	rows?: [number, number, boolean, number[]][];
	/** On a walk, the share of the height from which the first panel moves up when the step before has been seen. */
	came?: number;
	/** How many lines of text it needs below each other, where they are many. */
	tall?: number;
	/** Whether all panels leave the same room beside them. */
	aligned?: boolean;
	/** Whether the page says what the axes are. */
	captioned?: boolean;
	/** Names over the places of the level axis. */
	layers?: Group[];
	/** By axis, the place whose name is bold and always there. */
	chosen?: Record<string, number>;
	/** The look of each of `layout.annotations`. */
	notes?: (NoteLook | null)[];
	/** The place around which as many columns are shown as have room, and their letters. */
	window?: [number, number];
	switches?: Switch[];
	table?: Table;
	/** What stands in the elements of these ids. */
	beside?: Record<string, string | number>;
	said?: string;
	explained?: string;
	/** A sentence to be spoken; what stands beside the figure, and the same as HTML with its terms explained. */
	told?: string;
	reading?: string;
	summary?: string;
	count?: string;
	facts?: Fact[];
	/** What is said of each step, or of each position and step. */
	sentences?: string[] | string[][];
	shows?: string;
	/** Of a difference that this is one, and what was subtracted. */
	difference?: string;
	/** The title of the upright axis where there is no room for a bar of colours. */
	without_bar?: string;
	tokens?: string[];
	/** The names of the tokens of a stream, and of its steps. */
	titles?: string[];
	position?: number;
	query?: number;
	sequences?: number;
	/** What a mask is of: the query that is looked at, how many sequences there are, and the columns of a grid. */
	across?: number;
	map?: string;
	queries?: string[];
	keys?: string[];
	asking?: string[];
	off?: boolean;
	/** Of a map of attention its name, its tokens, the queries with the token that follows, whether its head is off, and the heaviest key of each query. */
	strongest?: number[];
	look?: Reading;
	/** Of a step of writing what was looked at, and the tokens read. */
	read?: string[];
	names?: string;
	shapes?: number;
	scene?: (Record<string, string | number>)[];
	/** How many shapes a picture has, what each of them is and where, and where one more has most room. */
	room?: Record<string, number>;
	at?: number;
	steps?: number[];
	/** Of a training the step that is shown, all steps, and the choices of heads. */
	heads?: Record<string, string>[];
	/** By column of a row, how the answer changes without its value. */
	without?: Record<string, Record<string, string | boolean>>;
};
