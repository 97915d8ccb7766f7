export interface Settings {
	/** Seconds of each measurement. */
	seconds: number;
	/** Measurements of each kind, in turn; their median counts. */
	rounds: number;
	connections: number;
	/** Rows of history, and streams, up to which growth is measured. */
	rows: number;
	streams: number;
	phones: number;
	/** Only these phases of the endpoints; all if empty. */
	only: readonly string[];
	/** Another built checkout to measure against, in turn; none if empty. */
	compare: string;
}

/** Measures, and returns its chapter of the report in Markdown. */
export type Part = (settings: Settings, say: (line: string) => void) => Promise<string>;
