import { isRateRefusal, type Answer } from '../answer';
import { WaitCancelled } from '../cancellation';
import { MAX_SLEEP_MS, type Clock } from '../wait';
import { Allowance, AllowanceUsedUp } from './allowance';
import { Lanes } from './lanes';
import { Queue, type Run, type Waiting } from './queue';

/** The terms on which one request waits for its turn. */
export type Turn = Pick<Waiting, 'run' | 'parallel' | 'deadline'>;

/**
 * Sends the requests of one key and feature while their allowance lasts, from any item, node or
 * execution, and holds back the others until it returns.
 */
export class Pacer {
	/** Keeps the order of requests for the same thing. */
	readonly lanes = new Lanes();

	private readonly clock: Clock;

	private readonly allowance = new Allowance();

	private readonly queue = new Queue();

	/** Unanswered requests, and when each was sent. */
	private readonly inFlight = new Map<Waiting, number>();

	private tickets = 0;

	/** When to look again, in milliseconds since the epoch. */
	private wakeAt = Infinity;

	private isSleeping = false;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/** True if a request waits or is under way. */
	get isBusy(): boolean {
		return !this.queue.isEmpty || this.inFlight.size > 0;
	}

	/**
	 * Sends in turn, and again after a refusal for the request rate: such a refusal had no effect, so a
	 * repeat cannot duplicate anything. Every other answer is final here.
	 * @param request one attempt; resolves for every HTTP status, rejects if there was no answer
	 * @throws AllowanceUsedUp if the allowance returns only after the turn's deadline
	 * @throws WaitCancelled
	 */
	async send(request: () => Promise<Answer>, turn: Turn): Promise<Answer> {
		const waiting: Waiting = {
			...turn,
			ticket: (this.tickets += 1),
			start: () => undefined,
			fail: () => undefined,
		};
		for (;;) {
			await this.waitForTurn(waiting);
			const answer = await this.exchange(request, waiting);
			if (!isRateRefusal(answer)) return answer;
			waiting.refusal = answer;
		}
	}

	private async waitForTurn(waiting: Waiting): Promise<void> {
		const { run } = waiting;
		if (run.cancellation.isCancelled) throw new WaitCancelled();
		const turn = new Promise<void>((resolve, reject) => {
			waiting.start = resolve;
			waiting.fail = reject;
		});
		const forget = run.cancellation.onCancel(() => this.failAll(run));
		this.queue.add(waiting);
		this.dispatch();
		await turn.finally(forget);
	}

	/** Empties a cancelled run's part of the queue. */
	private failAll(run: Run): void {
		const all = this.queue.takeRun(run);
		for (const { fail } of all) fail(new WaitCancelled());
		if (all.length > 0) this.dispatch();
	}

	private async exchange(request: () => Promise<Answer>, waiting: Waiting): Promise<Answer> {
		const sentAt = this.clock.now();
		try {
			const answer = await request();
			this.allowance.learn(answer, sentAt, this.clock.now());
			return answer;
		} finally {
			this.inFlight.delete(waiting);
			waiting.run.inFlight -= 1;
			this.dispatch();
		}
	}

	/** Starts everything that may be sent now, and schedules the next look at the rest. */
	private dispatch(): void {
		const now = this.clock.now();
		if (!this.queue.isEmpty) this.startAll(now);
		this.wakeAt = this.queue.isEmpty ? Infinity : this.nextLookAt(now);
		if (this.wakeAt < Infinity && !this.isSleeping) void this.sleepUntilWake();
	}

	private startAll(now: number): void {
		for (let room = this.allowance.room(now, this.sendingTimes()); room > 0; room -= 1) {
			const next = this.queue.take();
			if (!next) return;
			this.inFlight.set(next, now);
			next.run.inFlight += 1;
			next.run.waited += now - (next.run.heldSince ?? now);
			next.run.heldSince = undefined;
			next.start();
		}
	}

	private nextLookAt(now: number): number {
		const returnsAt = this.allowance.returnsAt();
		if (returnsAt <= now) return this.allowance.changesAt(now, this.sendingTimes());
		for (const { refusal, fail } of this.queue.takeLate(returnsAt)) {
			fail(new AllowanceUsedUp(this.allowance.usedUpPolicies(), returnsAt, now, refusal));
		}
		this.queue.hold(now);
		return returnsAt;
	}

	private async sleepUntilWake(): Promise<void> {
		this.isSleeping = true;
		for (let left = this.timeLeft(); left > 0 && left < Infinity; left = this.timeLeft()) {
			await this.clock.sleep(Math.min(left, MAX_SLEEP_MS));
		}
		this.isSleeping = false;
		this.dispatch();
	}

	private timeLeft(): number {
		return this.wakeAt - this.clock.now();
	}

	private sendingTimes(): number[] {
		return [...this.inFlight.values()];
	}
}
