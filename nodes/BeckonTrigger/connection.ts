import { createHash } from 'node:crypto';

import { randomString, type IDataObject, type ITriggerFunctions } from 'n8n-workflow';

import { readAccess } from '../../src/n8n/access';
import { sendOnce, type SendOptions } from '../../src/n8n/send-once';
import { isObject, isSuccess } from '../../src/rules/answer';
import type { BeckonRequest } from '../../src/rules/call';
import { createReader } from '../shared/declared/hooks';
import { wantsDetails } from '../shared/declared/received';
import { readRequestOptions } from '../shared/declared/sending-options';
import { Refused } from '../shared/errors/errors';

/** A tap, in the form of the service (docs/api-decisions.md "Triggers"). */
export interface Tap {
	tap_id: string;
	number: number;
	button: string;
	data: IDataObject;
	by: { user: string; device: string };
	tapped_at: string;
	history_id: string;
}

/** Seconds that the service waits for a tap. */
const WAIT_SECONDS = 50;

/** Milliseconds that an answer may take beyond that. */
const PATIENCE_MS = 10_000;

interface Wanted {
	after: number;
	limit: number;
	/** Seconds. */
	wait?: number;
	/** For the taps of a test instead of the session's. */
	isTest?: boolean;
}

const MAX_NAME = 128;

/** The calls of a trigger. Each throws `Refused` for an answer that is not a success, or the error in its place. */
export class Connection {
	/** The address of the last call. */
	baseUrl = '';

	/** Resolved once the workflow stops. */
	readonly left: Promise<unknown>;

	/** Whether the output says where the button was. */
	readonly wantsDetails: boolean;

	private readonly context: ITriggerFunctions;

	private readonly session = randomString(32);

	/** The same for every session of a trigger. */
	readonly path: string;

	private readonly name: string;

	private readonly settings: SendOptions;

	private readonly leaving = new AbortController();

	/** Reads the parameters, which n8n does not resolve later. */
	constructor(context: ITriggerFunctions) {
		this.context = context;
		const { id = '', name = '' } = context.getWorkflow();
		const node = context.getNode();
		// Stays the same after a restart; an imported copy gets another one.
		const what = JSON.stringify([context.getInstanceId(), id, node.id]);
		this.path = `/triggers/trg_${createHash('sha256').update(what).digest('base64url')}`;
		const label = node.name === 'Beckon Trigger' ? name : `${name}: ${node.name}`;
		this.name = Array.from(label).slice(0, MAX_NAME).join('');
		const read = createReader(context);
		this.wantsDetails = wantsDetails(read);
		this.settings = readRequestOptions(read);
		read.assertValid();
		const { signal } = this.leaving;
		this.left = new Promise((resolve) => signal.addEventListener('abort', resolve));
	}

	get hasLeft(): boolean {
		return this.leaving.signal.aborted;
	}

	/** @returns the number of the last tap so far */
	async register(test?: true): Promise<number> {
		const { name, session } = this;
		const { last } = await this.call('PUT', '', { body: { name, session, ...(test && { test }) } });
		return last as number;
	}

	/** The unfinished taps after a number; none if nothing arrives for a while. */
	async taps({ after, limit, wait = WAIT_SECONDS, isTest = false }: Wanted): Promise<Tap[]> {
		const who = isTest ? 'test=1' : `session=${this.session}`;
		const query = `${who}&after=${after}&limit=${limit}&wait=${wait}`;
		const timeout = wait * 1000 + PATIENCE_MS;
		const { taps } = await this.call('GET', `/taps?${query}`, { timeout });
		return taps as Tap[];
	}

	/** Reports finished taps, even after the workflow has stopped. */
	async done(taps: readonly string[], more: { test?: true; end_session?: string } = {}) {
		await this.call('POST', '/done', { body: { taps, ...more }, timeout: PATIENCE_MS / 2 });
	}

	/** Ends the waiting. */
	stop(): void {
		this.leaving.abort();
	}

	/** Ends the waiting and the session. */
	async leave(taps: readonly string[] = []): Promise<void> {
		this.stop();
		await this.done(taps, { end_session: this.session });
	}

	private async call(
		method: BeckonRequest['method'],
		path: string,
		{ body, timeout }: { body?: Record<string, unknown>; timeout?: number },
	): Promise<Record<string, unknown>> {
		// Read each time: somebody may edit the credential.
		const { baseUrl } = await readAccess(this.context);
		this.baseUrl = baseUrl;
		const answer = await sendOnce(
			this.context,
			{ method, path: `${this.path}${path}`, ...(body && { body }) },
			{
				...this.settings,
				...(timeout !== undefined && { timeout }),
				...(method !== 'POST' && { signal: this.leaving.signal }),
			},
		);
		if (isSuccess(answer) && isObject(answer.body)) return answer.body;
		throw new Refused(answer);
	}
}
