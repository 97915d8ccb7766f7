import { displayName } from '../contract/text.ts';
import { senderNames } from '../contract/values.ts';
import {
	createApiKey,
	listAccountApiKeys,
	revokeKey,
} from '../service/keys-and-channels/api-keys.ts';
import { KEY_PREFIX } from '../service/secrets.ts';
import { accountCommand, group, listing, names, optional, required } from './commands.ts';

const CHANNELS = 'restrict the key to these channels, separated by commas; default: all phones';
const SENDER = `for ${senderNames('and')} only; needs --channels`;

export const key = group('API keys', {
	create: accountCommand('create an API key and print it, once', {
		options: {
			name: required('--name <name>', 'what the key is for', displayName),
			channels: optional('--channels <slugs>', CHANNELS, names),
			sender: optional<boolean>('--sender', SENDER),
			markdown: optional<boolean>('--markdown', 'the text of its pushes is Markdown'),
		},
		run: async (context, { id }, options) => {
			const { key: secret, ...shown } = await createApiKey(context, id, options);
			const note = 'Save it now: only its hash is stored, and it is not shown again.';
			return { json: { key: secret, ...shown }, lines: [secret, '', note] };
		},
	}),
	list: accountCommand(
		'list the API keys of an account, with the last use and the last refused request of each',
		{
			run: async (context, { id }) =>
				listing(await listAccountApiKeys(context, id), {
					ID: 'id',
					NAME: 'name',
					KEY: ({ sender, last_four: end }) => `${KEY_PREFIX[sender ? 'sender' : 'api']}…${end}`,
					CHANNELS: ({ channels }) => channels ?? 'all',
					'LAST USED': (entry) => entry.last_used_at ?? 'never',
					REFUSED: ({ last_refused_at: at, last_refusal: why }) => at && `${at}: ${why}`,
					REVOKED: 'revoked_at',
				}),
		},
	),
	revoke: accountCommand('revoke an API key immediately and permanently', {
		options: { key: required('--key <id>', 'id of the key, as key list shows it') },
		run: async (context, { id }, options) => {
			await revokeKey(context, id, options.key);
			return { json: { revoked: options.key }, lines: [`Key ${options.key} is revoked.`] };
		},
	}),
});
