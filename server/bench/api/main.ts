import { parseArgs } from 'node:util';
import { circumstances } from '../../../scripts/lib/circumstances.ts';
import { writeResult } from '../../../scripts/lib/write-result.ts';
import { PHASES } from './load/traffic.ts';
import { endpoints } from './parts/endpoints.ts';
import { devices, history, streams } from './parts/growth.ts';
import { memory } from './parts/memory.ts';
import type { Part, Settings } from './parts/part.ts';
import { start } from './parts/start.ts';
import { tables } from './parts/tables.ts';

const PARTS: Record<string, Part> = {
	endpoints,
	tables,
	devices,
	history,
	streams,
	memory,
	start,
};

const OPTIONS = {
	seconds: { type: 'string', default: '2' },
	rounds: { type: 'string', default: '3' },
	connections: { type: 'string', default: '100' },
	rows: { type: 'string', default: '5000000' },
	streams: { type: 'string', default: '100000' },
	phones: { type: 'string', default: '2000' },
	only: { type: 'string', default: '' },
	compare: { type: 'string', default: '' },
	help: { type: 'boolean', default: false },
} as const;

const USAGE = `npm run bench:server -- [PART …] [--seconds N] [--rounds N] [--connections N]

Measures the server, and writes server/bench/results/api.md when run without arguments.

Parts (all, when none is named): ${Object.keys(PARTS).join(', ')}
  --seconds N      length of a measurement (${OPTIONS.seconds.default})
  --rounds N       measurements of each kind, of which the median counts (${OPTIONS.rounds.default}); three times as many for history and streams
  --connections N  connections of the load (${OPTIONS.connections.default})
  --rows N         rows of history, of the part history (${OPTIONS.rows.default})
  --streams N      running streams, of the part streams (${OPTIONS.streams.default})
  --phones N       phones connected, of the part memory (${OPTIONS.phones.default})
  --only A,B       endpoints, of the part endpoints: ${Object.keys(PHASES).join(', ')}
  --compare DIR    another built checkout, of the part endpoints, measured in alternating rounds with this one
`;

const say = (line: string) => process.stdout.write(`${line}\n`);

async function run(): Promise<void> {
	const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
	const unknown = positionals.filter((name) => !(name in PARTS));
	if (values.help || unknown.length > 0) {
		process.stderr.write(unknown.length > 0 ? `No such part: ${unknown.join(', ')}\n\n` : '');
		process.stdout.write(USAGE);
		process.exitCode = unknown.length > 0 ? 1 : 0;
		return;
	}
	const settings: Settings = {
		seconds: Number(values.seconds),
		rounds: Number(values.rounds),
		connections: Number(values.connections),
		rows: Number(values.rows),
		streams: Number(values.streams),
		phones: Number(values.phones),
		only: values.only === '' ? [] : values.only.split(','),
		compare: values.compare,
	};
	const chapters: string[] = [];
	for (const [name, part] of Object.entries(PARTS)) {
		if (positionals.length > 0 && !positionals.includes(name)) continue;
		say(`\n== ${name}`);
		const chapter = await part(settings, say);
		say(`\n${chapter}`);
		chapters.push(chapter);
	}
	if (process.argv.length === 2) {
		writeResult('api', [introduction(), ...chapters].join('\n\n'));
		say('\nWritten to server/bench/results/api.md');
	} else
		say('\nNot written to server/bench/results/api.md: that is for the whole, without arguments.');
}

function introduction(): string {
	return [
		"# The server's API",
		`Measured on ${circumstances()}. The load comes from the same machine, from its own process. Beckon runs with the environment its Dockerfile sets.`,
		'Repeat it with `npm run bench:server`, on an otherwise idle machine; for a shorter run of one part, use `npm run bench:server -- endpoints --seconds 1` (`--help` lists the parts and settings).',
	].join('\n\n');
}

await run();
