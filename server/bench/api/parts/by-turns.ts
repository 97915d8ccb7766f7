import type { Contestant } from '../contestants/contestant.ts';
import type { Measured } from '../load/generator.ts';
import { type Phase, PHASES } from '../load/traffic.ts';
import { whole } from '../report.ts';
import type { Settings } from './part.ts';

const WARM_UP_SECONDS = 1;

/** The measurements of each contestant, by its name. */
export type Results = Map<Phase, Map<string, Measured[]>>;

/** Requests per second. */
export const rateOf = ({ requests, seconds }: Measured) => requests / seconds;

/** Measures the contestants in turn, so other work on the machine affects all alike, after a warm-up. */
export async function byTurns(
	contestants: readonly Contestant[],
	phases: readonly Phase[],
	{ seconds, rounds, connections }: Pick<Settings, 'seconds' | 'rounds' | 'connections'>,
	say: (line: string) => void,
): Promise<Results> {
	const results: Results = new Map(phases.map((phase) => [phase, new Map<string, Measured[]>()]));
	for (let round = 0; round <= rounds; round += 1) {
		say(round === 0 ? 'Warming up' : `Round ${round} of ${rounds}`);
		for (const phase of phases) {
			for (const { name, load, phases: own } of contestants) {
				if (own && !own.includes(phase)) continue;
				const job = { phase, connections, seconds: round === 0 ? WARM_UP_SECONDS : seconds };
				const measured = await load.run(job);
				if (round === 0) continue;
				say(`${PHASES[phase]}, ${name}: ${whole(rateOf(measured))}/s`);
				const ofPhase = results.get(phase);
				ofPhase?.set(name, [...(ofPhase.get(name) ?? []), measured]);
			}
		}
	}
	return results;
}
