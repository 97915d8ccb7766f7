import { n8n } from '../../test/engine/n8n.ts';

/** n8n's expression engines: `vm` is the default of n8n 2, `legacy` the only one of n8n 1. */
export const ENGINES = ['vm', 'legacy'] as const;

export type Engine = (typeof ENGINES)[number];

/** The engine's own defaults in n8n 2. */
const SETTINGS = {
	engine: 'vm',
	poolSize: 1,
	maxCodeCacheSize: 1024,
	bridgeTimeout: 5000,
	bridgeMemoryLimit: 128,
} as const;

export async function prepareEngines(): Promise<void> {
	await n8n.Expression.initExpressionEngine(SETTINGS);
}

/** Applies to all runs from now on. */
export function useEngine(engine: Engine): void {
	n8n.Expression.setExpressionEngine(engine);
	const active = n8n.Expression.getActiveImplementation();
	if (active !== engine)
		throw new Error(`Expressions are evaluated by ${active}, not by ${engine}`);
}

export async function disposeEngines(): Promise<void> {
	await n8n.Expression.disposeExpressionEngine();
}
