import { type Command, InvalidArgumentError } from 'commander';
import { findAccount } from '../service/administration/accounts.ts';
import { createApiKey, listAccountApiKeys, revokeKey } from '../service/administration/api-keys.ts';
import { KEY_PREFIX } from '../service/secrets.ts';
import { type CommonOptions, onData, table, withCommonOptions } from './run.ts';

export function commaList(value: string): string[] {
	const entries = value
		.split(',')
		.map((entry) => entry.trim())
		.filter((entry) => entry !== '');
	if (entries.length === 0) throw new InvalidArgumentError('Name at least one, or leave it out.');
	return entries;
}

type OfAccount = CommonOptions & { account: string };

export function addKeyCommands(program: Command): void {
	const key = program.command('key').description('API keys');

	withCommonOptions(
		key.command('create').description('create an API key and print it, only this once'),
	)
		.requiredOption('--account <account>', 'name or id of the account')
		.requiredOption('--name <name>', 'what the key is for')
		.option(
			'--channels <slugs>',
			'restrict the key to these channels, separated by commas',
			commaList,
		)
		.option('--sender', 'for ntfy, gotify, Alertmanager and Grafana only; needs --channels')
		.action((options: OfAccount & { name: string; channels?: string[]; sender?: boolean }) =>
			onData(options, async (context) => {
				const { id } = await findAccount(context, options.account);
				const { key: secret, ...shown } = await createApiKey(context, id, options);
				return {
					json: { key: secret, ...shown },
					lines: [
						secret,
						'',
						'Keep it now: only its fingerprint is stored, and it is not shown again.',
					],
				};
			}),
		);

	withCommonOptions(key.command('list').description('list the API keys of an account'))
		.requiredOption('--account <account>', 'name or id of the account')
		.action((options: OfAccount) =>
			onData(options, async (context) => {
				const keys = await listAccountApiKeys(
					context,
					(await findAccount(context, options.account)).id,
				);
				const rows = keys.map((entry) => [
					entry.id,
					entry.name,
					`${KEY_PREFIX[entry.sender ? 'sender' : 'api']}…${entry.last_four}`,
					entry.channels?.join(',') ?? 'all',
					entry.last_used_at ?? 'never',
					entry.revoked_at ?? '',
				]);
				return {
					json: keys,
					lines: table(['ID', 'NAME', 'KEY', 'CHANNELS', 'LAST USED', 'REVOKED'], rows),
				};
			}),
		);

	withCommonOptions(key.command('revoke').description('revoke an API key, at once and for good'))
		.requiredOption('--account <account>', 'name or id of the account')
		.requiredOption('--key <id>', 'id of the key, as key list shows it')
		.action((options: OfAccount & { key: string }) =>
			onData(options, async (context) => {
				await revokeKey(context, (await findAccount(context, options.account)).id, options.key);
				return { json: { revoked: options.key }, lines: [`Key ${options.key} is revoked.`] };
			}),
		);
}
