import { expect } from '@jest/globals';
import type { Sender } from './sender.ts';
import type { World } from './world.ts';

/** Checks every promise on every phone: nothing lost, nothing out of order, nothing left running. */
export function holdPromises({ phones }: World, senders: readonly Sender[]): void {
	const broken: string[] = [];
	for (const phone of phones) {
		const pushes = new Set(phone.pushes);
		for (const sender of senders) {
			for (const push of sender.pushes)
				if (!pushes.has(push)) broken.push(`${phone.name} never got ${push}`);
			const badge = phone.platform === 'ios' ? sender.lastBadge : undefined;
			if (badge !== undefined && phone.badges.at(-1) !== badge)
				broken.push(`${phone.name} shows badge ${phone.badges.at(-1)}, not ${badge}`);
			for (const [id, { percentage, hasEnded }] of sender.activities) {
				const trace = phone.activities.get(id) ?? [];
				const last = trace.at(-1);
				if ((last?.percentage ?? -1) < percentage)
					broken.push(`${phone.name} shows ${last?.percentage} of ${id}, not ${percentage}`);
				if (hasEnded && last?.event !== 'end') broken.push(`${phone.name} still runs ${id}`);
			}
		}
		for (const [id, trace] of phone.activities) {
			for (const [index, { event, percentage }] of trace.entries()) {
				const before = trace[index - 1];
				if (!before) continue;
				if (percentage < before.percentage) broken.push(`${phone.name}: ${id} went back`);
				if (before.event === 'end' && event !== 'end')
					broken.push(`${phone.name}: ${id} went on after its end`);
			}
		}
	}
	expect(broken).toEqual([]);
}

/** True if every phone was told of every answered end. */
export function allEndsArrived({ phones }: World, senders: readonly Sender[]): boolean {
	return phones.every(({ activities }) =>
		senders.every((sender) =>
			[...sender.activities].every(
				([id, { hasEnded }]) => !hasEnded || activities.get(id)?.at(-1)?.event === 'end',
			),
		),
	);
}
