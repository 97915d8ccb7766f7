import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { EnvironmentContext, JestEnvironmentConfig } from '@jest/environment';
import type { Circus } from '@jest/types';
import { Environment } from '../../../scripts/jest/environment.ts';
import { PREPARED } from './prepared.ts';

/** A test that was left out: a line of JSON in the file `leftOut`. */
export interface LeftOutTest {
	file: string;
	test: string;
	needs: string;
}

/** Counts a test that ended with LeftOut as skipped, and records its reason. */
export default class DistEnvironment extends Environment {
	readonly #file: string;

	constructor(config: JestEnvironmentConfig, context: EnvironmentContext) {
		super(config);
		this.#file = relative(config.projectConfig.rootDir, context.testPath);
	}

	handleTestEvent(event: Circus.Event): void {
		if (event.name !== 'test_done') return;
		const { test } = event;
		const needs = test.errors.flat().map(needsOf).find(Boolean);
		if (needs === undefined) return;
		test.errors = [];
		test.status = 'skip';
		const leftOut: LeftOutTest = { file: this.#file, test: nameOf(test), needs };
		appendFileSync(PREPARED!.leftOut, `${JSON.stringify(leftOut)}\n`);
	}
}

function needsOf(error: unknown): string | undefined {
	const { name, needs } = (error ?? {}) as { name?: unknown; needs?: string };
	return name === 'LeftOut' ? needs : undefined;
}

function nameOf(test: Circus.TestEntry): string {
	const names = [test.name];
	for (let block = test.parent; block.parent; block = block.parent) names.unshift(block.name);
	return names.join(' › ');
}
