/** A small model of one-time messages: pushes, the badge and a metric. */
export interface ModelPush {
	title: string;
	tags: string[];
	/** null: it went to everybody. */
	slugs: string[] | null;
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
	/** By a phone's channel. */
	readonly badges: Map<string, number>;
	metric: Measured | undefined;

	constructor(channels: readonly string[]) {
		this.badges = new Map(channels.map((channel) => [channel, 0]));
	}

	push(push: ModelPush, badge: number | undefined): void {
		this.pushes.push(push);
		if (badge !== undefined) this.setBadge(badge, push.slugs);
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
