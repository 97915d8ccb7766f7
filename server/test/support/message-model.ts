/** A small model of one-time messages: pushes, the badge and a metric. */
export interface ModelPush {
	title: string;
	tags: string[];
	/** null: it went to everybody. */
	slugs: string[] | null;
}

/** A push that comes again until somebody reacts. */
interface ModelRepeat {
	push: ModelPush;
	every: number;
	left: number;
	nextAt: number;
}

export interface Measured {
	value: number;
	at: number;
}

/** True if a phone in this channel is reached. */
export const reaches = (slugs: string[] | null, channel: string) =>
	slugs === null || slugs.includes(channel);

export class MessageModel {
	/** Oldest first. */
	readonly pushes: ModelPush[] = [];
	/** Every delivery of a push, oldest first. */
	readonly delivered: ModelPush[] = [];
	/** Those that still run, oldest first. */
	repeats: ModelRepeat[] = [];
	/** By a phone's channel. */
	readonly badges: Map<string, number>;
	metric: Measured | undefined;

	constructor(channels: readonly string[]) {
		this.badges = new Map(channels.map((channel) => [channel, 0]));
	}

	push(push: ModelPush, badge: number | undefined): void {
		this.pushes.push(push);
		this.delivered.push(push);
		if (badge !== undefined) this.setBadge(badge, push.slugs);
	}

	repeat(push: ModelPush, { every, times }: { every: number; times: number }, now: number): void {
		this.push(push, undefined);
		this.repeats.push({ push, every, left: times, nextAt: now + every });
	}

	/** What is due comes once, however late. */
	deliverRepeats(now: number): void {
		for (const repeat of this.repeats) {
			if (repeat.nextAt > now) continue;
			this.delivered.push(repeat.push);
			repeat.left -= 1;
			repeat.nextAt = now + repeat.every;
		}
		this.repeats = this.repeats.filter(({ left }) => left > 0);
	}

	/** A reaction on the phone of a channel ends every repeat that came to it. */
	react(channel: string): void {
		this.repeats = this.repeats.filter(({ push }) => !reaches(push.slugs, channel));
	}

	setBadge(badge: number, slugs: string[] | null): void {
		for (const channel of this.badges.keys()) {
			if (reaches(slugs, channel)) this.badges.set(channel, badge);
		}
	}

	/** The last measured wins, whenever it arrives; a measurement from the future counts as now. */
	measure(value: number, at: number, now: number): void {
		const measured = { value, at: Math.min(at, now) };
		if (!this.metric || measured.at >= this.metric.at) this.metric = measured;
	}
}
