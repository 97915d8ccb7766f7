export interface Settings {
	/** Length of each measurement. */
	seconds: number;
	/** Measurements of each kind, by turns; their median counts. */
	rounds: number;
	connections: number;
	/** Rows of history, and streams, up to which the growth is measured. */
	rows: number;
	streams: number;
	phones: number;
	/** Only these phases of the endpoints; empty: all. */
	only: readonly string[];
	/** Another built checkout to measure against, by turns; empty: none. */
	compare: string;
}

/** Measures, and gives its chapter of the report in Markdown. */
export type Part = (settings: Settings, say: (line: string) => void) => Promise<string>;
