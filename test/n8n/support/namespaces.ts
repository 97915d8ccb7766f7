import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const BRIDGE = 'beckon-br';

/** Of no use to anybody else on this machine: 198.18.0.0/15 is for tests (RFC 2544). */
const NETWORK = '198.18.77';

/** A machine of its own as far as the network goes, like a container. */
export interface Namespace {
	/** The name by which the others reach it. */
	name: string;
	address: string;
	/** The names of all on its network, its own included. */
	neighbours: readonly string[];
	/** A command line that runs inside. */
	inside: (command: readonly string[]) => string[];
}

const ip = (...words: string[]) =>
	execFileSync('ip', words, { stdio: ['ignore', 'ignore', 'pipe'] });

/** The reason why this machine cannot make namespaces; undefined if it can. */
export function reasonAgainstNamespaces(): string | undefined {
	if (process.getuid?.() !== 0) return 'only root may make network namespaces';
	try {
		ip('netns', 'list');
		return undefined;
	} catch {
		return "the program ip is missing (Debian's iproute2)";
	}
}

const namespaceOf = (name: string) => `beckon-${name}`;
const filesOf = (name: string) => path.join('/etc/netns', namespaceOf(name));

function remove(names: readonly string[]): void {
	const removals = [
		...names.map((name) => ['netns', 'delete', namespaceOf(name)]),
		['link', 'delete', BRIDGE],
	];
	for (const words of removals) {
		try {
			ip(...words);
		} catch {
			// It was not there.
		}
	}
	for (const name of names) rmSync(filesOf(name), { recursive: true, force: true });
}

/**
 * Makes a namespace for each name, all on one bridge, as Docker does for the containers of a network. They know
 * each other by name and reach nothing else; this machine reaches them by address.
 */
export function makeNamespaces(names: readonly string[]): {
	namespaces: Namespace[];
	close: () => void;
} {
	remove(names);
	const addressOf = (index: number) => `${NETWORK}.${index + 2}`;
	const hosts = names.map((name, index) => `${addressOf(index)} ${name}\n`).join('');
	ip('link', 'add', BRIDGE, 'type', 'bridge');
	ip('address', 'add', `${NETWORK}.1/24`, 'dev', BRIDGE);
	ip('link', 'set', BRIDGE, 'up');
	const namespaces = names.map((name, index) => {
		const namespace = namespaceOf(name);
		mkdirSync(filesOf(name), { recursive: true });
		writeFileSync(path.join(filesOf(name), 'hosts'), `127.0.0.1 localhost\n${hosts}`);
		const [outer, inner] = [`beckon-o${index}`, `beckon-i${index}`];
		ip('netns', 'add', namespace);
		ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', inner);
		ip('link', 'set', outer, 'master', BRIDGE, 'up');
		ip('link', 'set', inner, 'netns', namespace);
		ip('-n', namespace, 'address', 'add', `${addressOf(index)}/24`, 'dev', inner);
		ip('-n', namespace, 'link', 'set', inner, 'up');
		ip('-n', namespace, 'link', 'set', 'lo', 'up');
		return {
			name,
			address: addressOf(index),
			neighbours: names,
			inside: (command: readonly string[]) => ['ip', 'netns', 'exec', namespace, ...command],
		};
	});
	return { namespaces, close: () => remove(names) };
}
