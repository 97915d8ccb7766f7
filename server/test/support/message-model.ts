/** A small model of what is told once: pushes, the badge and a metric (service-api.md sections 1, 2 and 8). */
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

/** Whether a phone of this channel is reached. */
export const reaches = (slugs: string[] | null, channel: string) =>
	slugs === null || slugs.includes(channel);

export class MessageModel {
	/** Oldest first. */
	readonly pushes: ModelPush[] = [];
	/** By the channel that a phone is in. */
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

	/** The last measured wins, whenever it arrives; what is measured in the future counts as now. */
	measure(value: number, at: number, now: number): void {
		const measured = { value, at: Math.min(at, now) };
		if (!this.metric || measured.at >= this.metric.at) this.metric = measured;
	}
}
