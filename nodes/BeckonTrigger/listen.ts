import {
	NodeOperationError,
	type IRun,
	type ITriggerFunctions,
	type ITriggerResponse,
	sleep,
} from 'n8n-workflow';

import { connectionFailure } from '../../src/n8n/connection-failure';
import { retryAfterHeader } from '../../src/rules/rate-limit-headers';
import { Refused, toNodeError } from '../shared/errors/errors';
import { Connection, type Tap } from './connection';

/** Maximum executions at a time: a hundred at once need gigabytes. */
const MAX_RUNNING = 10;

/** Milliseconds between tries while the server cannot be reached, or refuses. */
const PAUSE = { first: 1_000, longest: 30_000 };

/** Milliseconds allowed for n8n 1 to store an execution: it does not report when it has. */
const STORED_AFTER_MS = 1_000;

/** Milliseconds after which a busy n8n tells the server that it still listens. */
const STILL_HERE_MS = 20_000;

/** Triggers that n8n 1 starts again because they failed: if that fails too, its editor shows why. */
const failing = new Set<string>();

/** Maximum milliseconds of a test: without a limit, its listener would outlive the editor's tab. */
const TEST_TIMEOUT_MS = 120_000;

const toItem = ({ wantsDetails }: Connection, tap: Tap) => {
	const { tap_id, button, data, by, tapped_at, history_id } = tap;
	return {
		json: {
			data,
			button,
			responder: { name: by.user, device: by.device },
			tappedAt: tapped_at,
			tapId: tap_id,
			...(wantsDetails && { delivery_details: { history_id } }),
		},
	};
};

/** Starts the workflow for each tap until it is deactivated; in the editor, for the next one. */
export async function listenForTaps(this: ITriggerFunctions): Promise<ITriggerResponse> {
	const connection = new Connection(this);
	if (this.getMode() === 'manual') {
		return {
			manualTriggerFunction: async () => await emitNext(this, connection),
			closeFunction: async () => connection.stop(),
		};
	}
	const listener = new Listener(this, connection);
	// A wrong key makes activating and saving fail. When n8n 2 itself starts, it would give up after five tries.
	const isOwnStart = ['init', 'leadershipChange'].includes(this.getActivationMode());
	if (!isOwnStart || failing.has(connection.path)) await listener.begin();
	const running = listener.run();
	return {
		closeFunction: async () => {
			await listener.close();
			await running;
		},
	};
}

/**
 * True if the server may answer later, or another session listens. An error without a code does not concern the
 * connection, such as a missing credential.
 */
function isPassing(error: unknown, { baseUrl }: Connection): boolean {
	if (error instanceof Refused) {
		const { status } = error.answer;
		return status >= 500 || [408, 409, 429].includes(status);
	}
	return connectionFailure(error, baseUrl)?.failure.cause === 'temporarily-unavailable';
}

/** The error of a call, as the user sees it. */
const explained = (context: ITriggerFunctions, { baseUrl }: Connection, error: unknown) =>
	toNodeError(error, { node: context.getNode(), itemIndex: 0, baseUrl });

/** Gives the editor a copy of the next tap. */
async function emitNext(context: ITriggerFunctions, connection: Connection): Promise<void> {
	const end = Date.now() + TEST_TIMEOUT_MS;
	try {
		const after = await connection.register(true);
		while (Date.now() < end) {
			const wait = Math.ceil(Math.min(TEST_TIMEOUT_MS / 3, end - Date.now()) / 1000);
			const [tap] = await connection.taps({ after, limit: 1, wait, isTest: true });
			if (!tap) continue;
			await connection.done([tap.tap_id], { test: true });
			context.emit([[toItem(connection, tap)]]);
			return;
		}
	} catch (error) {
		if (!connection.hasLeft) throw explained(context, connection, error);
	}
	if (!connection.hasLeft) {
		throw new NodeOperationError(context.getNode(), 'No button was tapped within two minutes', {
			description: 'Execute the step again, and then tap a button that starts this workflow.',
		});
	}
	context.emit([]);
}

/**
 * Listens for the taps of an active workflow. A tap is reported to the server once n8n has its execution, so a killed
 * n8n gets it again: n8n 2 then drops the second execution by its key, n8n 1 runs it again.
 */
class Listener {
	private readonly context: ITriggerFunctions;

	private readonly connection: Connection;

	private readonly dropsSecond: boolean;

	private isRegistered = false;

	/** Number of the last tap that this session has received. */
	private last = 0;

	/** The taps whose executions have not ended. */
	private readonly running = new Map<string, Promise<void>>();

	/** Taps whose executions have ended, until the server knows. */
	private readonly finished = new Set<string>();

	/** Numbers of the taps for which n8n could not start an execution. */
	private readonly lost = new Set<number>();

	private isReporting = false;

	private pause = PAUSE.first;

	/** The last message in the log. */
	private told = '';

	constructor(context: ITriggerFunctions, connection: Connection) {
		this.context = context;
		this.connection = connection;
		this.dropsSecond = 'saveFailedExecution' in context;
	}

	/** Registers, unless the server is unreachable at the moment. @throws if it refuses permanently */
	async begin(): Promise<void> {
		try {
			await this.register();
		} catch (error) {
			const { context, connection } = this;
			if (!isPassing(error, connection)) throw explained(context, connection, error);
		}
	}

	/** Never rejects. */
	async run(): Promise<void> {
		while (!this.connection.hasLeft) {
			try {
				await this.listen();
				this.pause = PAUSE.first;
				this.told = '';
			} catch (error) {
				await this.recover(error);
			}
		}
	}

	async close(): Promise<void> {
		// An execution that n8n 1 has begun would run again in the next session.
		if (!this.dropsSecond) for (const id of this.running.keys()) this.finished.add(id);
		try {
			await this.connection.leave([...this.finished]);
		} catch (error) {
			this.log(error);
		}
	}

	private async register(): Promise<void> {
		await this.connection.register();
		failing.delete(this.connection.path);
		this.isRegistered = true;
		this.last = 0;
	}

	private async listen(): Promise<void> {
		if (!this.isRegistered) await this.register();
		await this.report();
		const limit = MAX_RUNNING - this.running.size;
		if (limit === 0) {
			await Promise.race([...this.running.values(), this.rest(STILL_HERE_MS)]);
			// Gets no taps, but shows the server that this session still listens.
			await this.connection.taps({ after: Number.MAX_SAFE_INTEGER, limit: 1, wait: 0 });
			return;
		}
		const since = Date.now();
		const asked = [...this.lost];
		const after = Math.min(this.last, ...asked.map((number) => number - 1));
		const taps = await this.connection.taps({ after, limit });
		if (this.connection.hasLeft) return;
		// Taps before the first one were finished elsewhere, or forgotten.
		const first = taps[0]?.number ?? Infinity;
		for (const number of asked) if (number < first) this.lost.delete(number);
		const started = taps.filter((tap) => this.startOnce(tap));
		// A server that is stopping answers at once, as does one whose taps all have executions here already.
		if (started.length === 0 && Date.now() - since < PAUSE.first) await this.rest(PAUSE.first);
	}

	/** Starts an execution for the tap. @returns false if it has one already */
	private startOnce(tap: Tap): boolean {
		const { tap_id: id, number } = tap;
		this.last = Math.max(this.last, number);
		this.lost.delete(number);
		if (this.running.has(id) || this.finished.has(id)) return false;
		const execution = this.context.helpers.createDeferredPromise<IRun>();
		this.context.emit([[toItem(this.connection, tap)]], undefined, execution, `beckon:${id}`);
		const settled = this.dropsSecond
			? execution.promise
			: Promise.race([execution.promise, sleep(STORED_AFTER_MS)]);
		this.running.set(id, this.awaitEnd(tap, settled));
		return true;
	}

	private async awaitEnd({ tap_id: id, number }: Tap, settled: Promise<unknown>): Promise<void> {
		try {
			await settled;
			this.finished.add(id);
		} catch {
			// n8n has not started it, so the server delivers it again.
			await this.rest(PAUSE.first);
			this.lost.add(number);
		}
		this.running.delete(id);
		await this.report();
	}

	/** Tells the server which taps are done; if that fails, tells it again later. */
	private async report(): Promise<void> {
		if (this.isReporting) return;
		this.isReporting = true;
		try {
			while (this.finished.size > 0) {
				const ids = [...this.finished];
				await this.connection.done(ids);
				for (const id of ids) this.finished.delete(id);
			}
		} catch (error) {
			this.log(error);
		} finally {
			this.isReporting = false;
		}
	}

	private async recover(error: unknown): Promise<void> {
		if (this.connection.hasLeft) return;
		this.log(error);
		const answer = error instanceof Refused ? error.answer : undefined;
		// The server has forgotten the trigger.
		if (answer?.status === 404) this.isRegistered = false;
		// Another session listens. Once it is gone, this one takes over, from the first tap on.
		if (answer?.status === 409) this.last = 0;
		const stated = answer && retryAfterHeader(answer.headers, Date.now());
		const { pause } = this;
		await this.rest(Math.max(pause, (stated ?? 0) * 1000));
		this.pause = Math.min(pause * 2, PAUSE.longest);
		// Errors for half a minute are more than a restart, during which a proxy may answer anything.
		if (this.pause > pause && this.pause === PAUSE.longest) this.tell(error);
	}

	/** n8n 2 lists a failed execution. n8n 1 shows it at the workflow and restarts the trigger, less and less often. */
	private tell(error: unknown): void {
		const { connection, context, dropsSecond } = this;
		if (connection.hasLeft || isPassing(error, connection)) return;
		const shown = explained(context, connection, error);
		if (dropsSecond) return context.saveFailedExecution(shown);
		failing.add(connection.path);
		context.emitError(shown);
	}

	private async rest(milliseconds: number): Promise<void> {
		await Promise.race([sleep(milliseconds), this.connection.left]);
	}

	private log(error: unknown): void {
		const { message } = explained(this.context, this.connection, error);
		if (message !== this.told) this.context.logger.warn(`Beckon Trigger: ${message}`);
		this.told = message;
	}
}
