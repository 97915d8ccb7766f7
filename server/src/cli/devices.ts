import { phoneAddressAdvice } from '../contract/phone-address.ts';
import { REACHABILITY } from '../contract/values.ts';
import { createPairCode } from '../service/phones/pairing.ts';
import { disconnectDevice, toConsoleDevice, toReachInput } from '../service/phones/devices.ts';
import { queryDevices } from '../store/phones/devices.ts';
import { mutedByDevices } from '../store/phones/muted-channels.ts';
import { accountCommand, group, listing, optional, required } from './commands.ts';
import { publicUrl, startAdvice } from './run.ts';

/** What may keep a message from the phone, in words. */
function notesOn(listed: ReturnType<typeof toConsoleDevice>): string {
	const { advice, muted, quiet_until: until, last_failure: failure } = listed;
	return [
		advice,
		muted.length > 0 && `Has muted ${muted.join(', ')}.`,
		until !== null && `Quiet until ${until}.`,
		failure && `Failed at ${failure.at}: ${failure.reason}. ${failure.advice ?? ''}`.trim(),
	]
		.filter((note) => note)
		.join(' ');
}

const USER = "whose phone it is; default: the account's first user";

export const device = group('phones: iPhones, and browsers paired as one', {
	'pair-code': accountCommand(
		'print a code and a link that pair one phone, once, within 15 minutes',
		{
			options: { user: optional('--user <name>', USER) },
			run: async (context, { id }, options, config) => {
				const pairing = await createPairCode(context, id, options.user);
				// In the fragment, which browsers never send.
				const address = publicUrl(config);
				const link = `${address}/phone#code=${pairing.code}`;
				const advice = phoneAddressAdvice(address);
				const start = startAdvice(config, options);
				return {
					json: { ...pairing, link, ...(advice !== undefined && { advice }) },
					lines: [
						`Code  ${pairing.code.slice(0, 4)}-${pairing.code.slice(4)}`,
						`Link  ${link}`,
						`For a phone of ${pairing.user}. Works once, until ${pairing.expires_at}.`,
						...[start, advice].flatMap((line) => (line === undefined ? [] : ['', line])),
					],
				};
			},
		},
	),
	disconnect: accountCommand('disconnect a phone: it gets nothing until it is paired again', {
		options: { device: required('--device <id>', 'id of the phone, as device list shows it') },
		run: async (context, { id }, { device: phone }) => {
			await disconnectDevice(context, id, phone);
			return { json: { disconnected: phone }, lines: [`Phone ${phone} is disconnected.`] };
		},
	}),
	list: accountCommand(
		'list the phones of an account, how each can be reached, and what keeps messages from it',
		{
			run: async (context, { id }) => {
				const list = queryDevices(context.database.read, id, toReachInput(context, id));
				const rows = await list.execute();
				const ids = rows.map((row) => row.id);
				const muted = await mutedByDevices(context.database.read, ids);
				const devices = rows.map((row) => ({
					...toConsoleDevice(context, row, muted),
					status: row.status,
				}));
				return listing(devices, {
					ID: 'id',
					NAME: 'name',
					USER: 'user',
					PLATFORM: 'platform',
					REACH: ({ reach }) => REACHABILITY[reach],
					'LAST SEEN': 'last_seen_at',
					NOTES: notesOn,
				});
			},
		},
	),
});
