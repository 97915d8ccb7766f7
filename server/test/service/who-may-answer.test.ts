import { afterEach, describe, expect, it } from '@jest/globals';
import { questionTimes } from '../../src/service/questions/due.ts';
import { toPhoneSlug } from '../../src/service/sending/audience.ts';
import { settleDue } from '../support/later.ts';
import { createWorld, WAYS, type World } from '../support/answering.ts';
import { signedIn } from '../console/support/console.ts';

interface Situation {
	it: string;
	/** Of the question and, with its target, of pushes with buttons. */
	sent?: object;
	change?: (world: World) => Promise<unknown>;
	/** Whose phones may answer. */
	phones: string[];
	/** On a Live Activity, if they are not the same. */
	activity?: string[];
	/** By the buttons of a push to the same target, if they are not the same. */
	buttons?: string[];
	consoles: string[];
}

const OPS = { target: { channels: ['ops'] } };
const ESCALATED = { ...OPS, escalate: { after_minutes: 10, target: { channels: ['boss'] } } };
const escalate = async ({ server }: World) => {
	server.clock.advance(10 * 60);
	await settleDue(server.context, questionTimes);
};

const SITUATIONS: Situation[] = [
	{ it: 'went to all', phones: ['olga', 'ada', 'bob', 'sam'], consoles: ['olga', 'ada', 'bob'] },
	{
		it: 'went to all, and a phone was unpaired',
		change: ({ phones }) => phones['bob']!.call('DELETE', '/'),
		phones: ['olga', 'ada', 'sam'],
		consoles: ['olga', 'ada', 'bob'],
	},
	{
		it: 'went to all, before somebody came',
		change: async (world) => {
			world.server.clock.advance(1);
			const { consoles, phones, server } = world;
			consoles['cy'] = await signedIn(server, { invitedBy: consoles['olga']!, name: 'Cy' });
			phones['cy'] = await server.pairPhone({ user: 'Cy' });
		},
		phones: ['olga', 'ada', 'bob', 'sam'],
		consoles: ['olga', 'ada', 'bob'],
	},
	{ it: 'went to a channel', sent: OPS, phones: ['ada', 'sam'], consoles: ['ada'] },
	{
		it: 'went to a channel that others join',
		sent: OPS,
		change: ({ setChannel, phones }) =>
			setChannel('ops', ['Ada', 'Bob'], [phones['sam']!.id, phones['olga']!.id]),
		phones: ['ada', 'sam'],
		consoles: ['ada'],
	},
	{
		it: 'went to a channel that its person has left',
		sent: OPS,
		change: ({ setChannel, phones }) => setChannel('ops', [], [phones['sam']!.id]),
		phones: ['sam'],
		consoles: [],
	},
	{
		it: 'went to a channel that its phone has left',
		sent: OPS,
		change: ({ setChannel }) => setChannel('ops', ['Ada']),
		phones: ['ada'],
		consoles: ['ada'],
	},
	{
		it: 'went to a channel that has been deleted',
		sent: OPS,
		change: ({ consoles }) => consoles['olga']!.call('DELETE', '/channels/ops'),
		phones: [],
		consoles: [],
	},
	{
		it: 'went to two channels, of which one has been left',
		sent: { target: { channels: ['ops', 'boss'] } },
		change: ({ setChannel }) => setChannel('ops', []),
		phones: ['olga'],
		consoles: ['olga'],
	},
	{
		it: 'went to a phone that was unpaired',
		sent: OPS,
		change: ({ phones }) => phones['ada']!.call('DELETE', '/'),
		phones: ['sam'],
		consoles: [],
	},
	{
		it: 'went to a phone that was paired anew',
		sent: OPS,
		change: async ({ phones, server }) => {
			await phones['ada']!.call('DELETE', '/');
			phones['ada'] = await server.pairPhone({ user: 'Ada' });
		},
		phones: ['sam'],
		consoles: [],
	},
	{
		it: 'went to a person who has another phone since',
		sent: OPS,
		change: async ({ phones, server }) => {
			phones['ada'] = await server.pairPhone({ user: 'Ada' });
		},
		phones: ['sam'],
		consoles: ['ada'],
	},
	{
		it: 'went to a person who was removed',
		sent: OPS,
		change: ({ consoles, people }) => consoles['olga']!.call('DELETE', `/users/${people['Sam']}`),
		phones: ['ada'],
		consoles: ['ada'],
	},
	{
		it: 'went to a person who no longer signs in',
		sent: OPS,
		change: ({ consoles }) =>
			consoles['olga']!.call('DELETE', `/members/${consoles['ada']!.memberId}`),
		phones: ['ada', 'sam'],
		consoles: [],
	},
	{
		it: 'went to a person who is merged with another',
		sent: OPS,
		change: ({ consoles, people }) =>
			consoles['olga']!.call('POST', `/users/${people['Sam']}/merge`, { into: people['Bob'] }),
		phones: ['ada', 'sam'],
		consoles: ['ada', 'bob'],
	},
	{
		it: 'names a person, among all',
		sent: { answerable_by: ['Ada'] },
		phones: ['ada'],
		buttons: ['olga', 'ada', 'bob', 'sam'],
		consoles: ['ada'],
	},
	{
		it: 'names a person who has left the channel',
		sent: { ...OPS, answerable_by: ['Ada', 'Sam'] },
		change: ({ setChannel, phones }) => setChannel('ops', ['Bob'], [phones['sam']!.id]),
		phones: ['sam'],
		consoles: [],
	},
	{
		it: 'names only a person who has left the channel',
		sent: { ...OPS, answerable_by: ['Ada'] },
		change: ({ setChannel, phones }) => setChannel('ops', [], [phones['sam']!.id]),
		phones: [],
		buttons: ['sam'],
		consoles: [],
	},
	{
		it: 'names a person who is called otherwise since',
		sent: { ...OPS, answerable_by: ['Ada'] },
		change: ({ consoles }) => consoles['ada']!.call('PUT', '/profile', { name: 'Grace' }),
		phones: ['ada'],
		buttons: ['ada', 'sam'],
		consoles: ['ada'],
	},
	{ it: 'has not escalated yet', sent: ESCALATED, phones: ['ada', 'sam'], consoles: ['ada'] },
	{
		it: 'has escalated',
		sent: ESCALATED,
		change: escalate,
		phones: ['olga', 'ada', 'sam'],
		activity: ['ada', 'sam'],
		buttons: ['ada', 'sam'],
		consoles: ['olga', 'ada'],
	},
	{
		it: 'has escalated to a person who has left since',
		sent: ESCALATED,
		change: async (world) => {
			await escalate(world);
			await world.setChannel('boss', []);
		},
		phones: ['ada', 'sam'],
		consoles: ['ada'],
	},
	{
		it: 'names a person whom the escalation reaches',
		sent: { ...ESCALATED, answerable_by: ['Olga'] },
		change: escalate,
		phones: ['olga'],
		activity: [],
		buttons: ['ada', 'sam'],
		consoles: ['olga'],
	},
	{
		it: 'names a person whom the escalation has not reached yet',
		sent: { ...ESCALATED, answerable_by: ['Olga'] },
		phones: [],
		buttons: ['ada', 'sam'],
		consoles: [],
	},
];

/** Each way of answering, in each situation: who may is decided in one place. */
describe('what may be answered by whom, if it', () => {
	let world: World;
	afterEach(async () => {
		await world.server.close();
		await world.receiver.close();
	});

	it.each(SITUATIONS)('$it', async (situation) => {
		const { sent = {}, change, phones, consoles } = situation;
		const { activity = phones, buttons = phones } = situation;
		world = await createWorld();
		const ways: Array<[string, () => Promise<string[]>]> = [];
		for (const [name, way] of Object.entries(WAYS)) ways.push([name, await way(world, sent)]);
		await change?.(world);
		const able: Record<string, string[]> = {};
		// What is shown, before the questions end.
		for (const [name, find] of ways.toReversed()) able[name] = await find();
		const withdrawing = [...new Set(['olga', ...consoles])];
		expect(able).toEqual({
			card: phones,
			activity,
			'card shows': phones,
			console: consoles,
			'console shows': consoles,
			withdraw: withdrawing,
			key: [],
			webhook: buttons,
			trigger: buttons,
		});
	});

	it('went to one phone, which no channel needs to reach', async () => {
		world = await createWorld();
		const { phones } = world;
		const target = { channels: [toPhoneSlug(phones['bob']!.id)] };
		const find = await WAYS['card']!(world, { target });
		const findInConsole = await WAYS['console']!(world, { target });
		expect([await find(), await findInConsole()]).toEqual([['bob'], ['bob']]);
	});
});
