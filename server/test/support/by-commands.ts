import { runJson } from './process.ts';
import type { Access } from './reach.ts';

/**
 * Prepares accounts and their belongings with the program's own commands.
 * @param main the program, if not the one of this source, which starts no process for each command
 */
export function byCommands(data: string, main?: string): Omit<Access, 'inject'> {
	const run = (...args: string[]) => runJson([...args, '--data', data], {}, main);
	return {
		createAccount: async ({ name, plan }) =>
			(
				await run(
					...['account', 'create', '--name', name],
					...['--owner', 'owner@example.com', '--plan', plan],
				)
			).id,
		async createKey(account, channels, sender) {
			const only = channels ? ['--channels', channels.join(',')] : [];
			const kind = sender ? ['--sender'] : [];
			return (await run('key', 'create', '--account', account, '--name', 'test', ...only, ...kind))
				.key;
		},
		async revokeKey(account, key) {
			const keys: Array<{ id: string; last_four: string }> = await run(
				...['key', 'list', '--account', account],
			);
			const { id } = keys.find(({ last_four: end }) => key.endsWith(end))!;
			await run('key', 'revoke', '--account', account, '--key', id);
		},
		async createChannel(account, { slug, users, devices }) {
			await run('channel', 'create', '--account', account, '--slug', slug);
			await run(
				...['channel', 'assign', '--account', account, '--channel', slug],
				...(users.length > 0 ? ['--users', users.join(',')] : []),
				...(devices.length > 0 ? ['--devices', devices.join(',')] : []),
			);
		},
		async createMetric(account, { key, name = key, format = 'number', unit }) {
			await run(
				...['metric', 'create', '--account', account, '--key', key],
				...['--name', name, '--format', format, ...(unit === undefined ? [] : ['--unit', unit])],
			);
		},
		createPairCode: async (account, user) =>
			(
				await run(
					...['device', 'pair-code', '--account', account],
					...(user === undefined ? [] : ['--user', user]),
				)
			).code,
		async createSetupToken(account) {
			const { link } = await run('account', 'setup-link', '--account', account);
			return new URL(link).hash.replace('#setup=', '');
		},
	};
}
