import type { JestEnvironment, JestEnvironmentConfig } from '@jest/environment';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** Tests run with the globals of the process itself: its modules (see runtime.ts) have no others. */
export class Environment implements JestEnvironment {
	readonly global = globalThis as unknown as JestEnvironment['global'];
	readonly moduleMocker = new ModuleMocker(globalThis);
	readonly fakeTimers = null;
	readonly fakeTimersModern: ModernFakeTimers;

	constructor({ projectConfig }: JestEnvironmentConfig) {
		this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
	}

	async setup(): Promise<void> {}

	async teardown(): Promise<void> {
		this.fakeTimersModern.dispose();
	}

	getVmContext(): null {
		return null;
	}
}

export default Environment;
