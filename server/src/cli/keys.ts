import { type Command, InvalidArgumentError } from 'commander';
import { givenName } from '../contract/text.ts';
import {
	createApiKey,
	listAccountApiKeys,
	revokeKey,
} from '../service/keys-and-channels/api-keys.ts';
import { KEY_PREFIX } from '../service/secrets.ts';
import { fitting, ofAccount, type OfAccount, onAccount, table } from './run.ts';

export function commaList(value: string): string[] {
	const entries = value
		.split(',')
		.map((entry) => entry.trim())
		.filter((entry) => entry !== '');
	if (entries.length === 0) throw new InvalidArgumentError('Name at least one, or leave it out.');
	return entries;
}

export function addKeyCommands(program: Command): void {
	const key = program.command('key').description('API keys');

	ofAccount(key.command('create').description('create an API key and print it, only this once'))
		.requiredOption('--name <name>', 'what the key is for', fitting(givenName))
		.option(
			'--channels <slugs>',
			'restrict the key to these channels, separated by commas',
			commaList,
		)
		.option('--sender', 'for ntfy, gotify, Alertmanager and Grafana only; needs --channels')
		.action((options: OfAccount & { name: string; channels?: string[]; sender?: boolean }) =>
			onAccount(options, async (context, { id }) => {
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

	ofAccount(key.command('list').description('list the API keys of an account')).action(
		(options: OfAccount) =>
			onAccount(options, async (context, { id }) => {
				const keys = await listAccountApiKeys(context, id);
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

	ofAccount(key.command('revoke').description('revoke an API key, at once and for good'))
		.requiredOption('--key <id>', 'id of the key, as key list shows it')
		.action((options: OfAccount & { key: string }) =>
			onAccount(options, async (context, { id }) => {
				await revokeKey(context, id, options.key);
				return { json: { revoked: options.key }, lines: [`Key ${options.key} is revoked.`] };
			}),
		);
}
