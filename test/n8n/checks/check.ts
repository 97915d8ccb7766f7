import type { Bench } from '../support/bench.ts';
import type { Line } from '../support/lines.ts';

/** Declares tests; the bench exists by the time they run. */
export type Check = (bench: () => Bench, line: Line) => void;
