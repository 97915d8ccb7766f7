import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { TapResponse } from '../../../src/contract/device.ts';
import type { Answer, Notification } from '../../../src/contract/shown.ts';
import type { World } from '../../faults/support/world.ts';
import type { Received } from '../../support/receiver.ts';

type Phone = World['phones'][number];

/** Longer than a tap waits for its turn. */
const REPORT_LIMIT_MS = 60_000;

const BUTTONS = ['Approve', 'Decline'];

/** A push with two buttons on every phone, with the record of taps and webhook calls. */
export class Question {
	readonly title: string;
	/** The taps reported to its webhook, in order. */
	readonly calls: string[] = [];
	/** The last response for each tap, as shown to the person. */
	readonly told = new Map<string, TapResponse>();
	/** Lets its webhook answer, now and from then on. */
	letGo: () => void = () => undefined;
	readonly #isLetGo = new Promise<void>((resolve) => (this.letGo = resolve));
	#sent: () => void = () => undefined;
	/** Resolves when the webhook's first answer is on its way. */
	readonly isSent = new Promise<void>((resolve) => (this.#sent = resolve));
	readonly #world: World;
	readonly #deliveries = new Map<Phone, number>();

	private constructor(world: World, title: string) {
		this.#world = world;
		this.title = title;
	}

	static async ask(world: World, webhook: string, title: string): Promise<Question> {
		const question = new Question(world, title);
		const actions = BUTTONS.map((button) => ({
			title: button,
			type: 'webhook',
			url: `${webhook}/${encodeURIComponent(title)}`,
		}));
		const answer = await fetch(`${world.url}/api/push-notification`, {
			method: 'POST',
			headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
			body: JSON.stringify({ title, actions }),
		});
		if (!answer.ok) throw new Error(`The question was refused: ${await answer.text()}`);
		for (const phone of world.phones)
			question.#deliveries.set(phone, (await question.shownOn(phone)).id);
		return question;
	}

	/** Takes a webhook call, and answers once allowed to. */
	async receive({ headers }: Received, response: ServerResponse): Promise<void> {
		this.calls.push(String(headers['beckon-tap-id']));
		await this.#isLetGo;
		response.setHeader('content-type', 'application/json').end('{"final": true}', this.#sent);
	}

	/** The push as a phone sees it on the server at `url`. */
	async shownOn(phone: Phone, url = this.#world.url): Promise<{ id: number; push: Notification }> {
		const answer = await fetch(`${url}/device/snapshot`, {
			headers: { authorization: `Bearer ${phone.token}` },
		});
		const { notifications } = (await answer.json()) as {
			notifications: Array<{ id: number; push: Notification }>;
		};
		const shown = notifications.find(({ push }) => push.title === this.title);
		if (!shown) throw new Error(`${phone.name} does not show ${this.title}`);
		return shown;
	}

	/**
	 * Taps like a person who wants an answer: a report without an answer is repeated, at another server if
	 * there is one, and a tap that may have failed is repeated as a new one.
	 * @param url server of the first report
	 * @param button 0 or 1
	 */
	async tapUntilAnswered(phone: Phone, button: number, url = this.#world.url): Promise<Answer> {
		for (let at = url; ; at = this.#world.url) {
			const { answer } = await this.tap(phone, button, at);
			if (answer) return answer;
		}
	}

	async tap(phone: Phone, button: number, url: string): Promise<TapResponse> {
		const tapId = randomUUID();
		const body = JSON.stringify({
			tap_id: tapId,
			delivery_id: this.#deliveries.get(phone),
			action: button,
		});
		for (let at = url; ; at = this.#world.url) {
			const response = await this.#report(phone, body, at);
			if (!response) continue;
			this.told.set(tapId, response);
			return response;
		}
	}

	/** @returns undefined without an answer, because the server was killed */
	async #report(phone: Phone, body: string, url: string): Promise<TapResponse | undefined> {
		let answer: Response;
		try {
			answer = await fetch(`${url}/device/taps`, {
				method: 'POST',
				headers: { authorization: `Bearer ${phone.token}`, 'content-type': 'application/json' },
				body,
				signal: AbortSignal.timeout(REPORT_LIMIT_MS),
			});
			if (answer.ok) return (await answer.json()) as TapResponse;
		} catch {
			await new Promise((resolve) => setTimeout(resolve, 50));
			return undefined;
		}
		throw new Error(`A tap was refused: ${answer.status} ${await answer.text()}`);
	}
}
