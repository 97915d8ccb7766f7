import type { FastifyRequest } from 'fastify';
import { BoundedMap } from '../../../collections.ts';

/** The newest version of each agent that was tried with this hook (docs/agents.md). */
const TRIED: Readonly<Record<string, string>> = {
	'claude-code': '2.1.332',
	'codex-cli': '0.171.0',
};

/** As `$AI_AGENT` of Claude Code and `codex --version` have it: claude-code_2-1-332_harness, codex-cli 0.171.0. */
const NAMED = /^(claude-code|codex-cli)[_ /](\d{1,6})[.-](\d{1,6})[.-](\d{1,6})/;

/** The newer version that was logged, by the name of the agent. */
const logged = new BoundedMap<string, string>(Object.keys(TRIED).length);

/**
 * Which agent calls its hook, in which version: claude-code 2.1.332. The documented lines send it as User-Agent. The first
 * version that is newer than what was tried is logged.
 * @returns undefined if it does not say
 */
export function readAgent({ headers, log }: FastifyRequest): string | undefined {
	const [, name, ...numbers] = NAMED.exec(headers['user-agent'] ?? '') ?? [];
	if (name === undefined) return undefined;
	const tried = TRIED[name] ?? '';
	const version = numbers.join('.');
	const agent = `${name} ${version}`;
	if (version.localeCompare(tried, 'en', { numeric: true }) > 0 && !logged.has(name)) {
		logged.set(name, version);
		log.warn({ agent, tried }, 'the hook was not tried with this version of the agent');
	}
	return agent;
}
