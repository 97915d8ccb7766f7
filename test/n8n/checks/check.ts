import type { Bench } from '../support/bench.ts';
import type { Line } from '../support/lines.ts';

/** Declares tests; the bench is there when they run. */
export type Check = (bench: () => Bench, line: Line) => void;
