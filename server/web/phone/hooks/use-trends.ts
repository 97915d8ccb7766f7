import { useEffect, useState } from 'react';
import type { ShownMetric } from '../../../src/contract/shown.ts';
import { type Trends, withValues } from '../../device/trends.ts';
import { load, save } from '../storage.ts';

const NONE: ShownMetric[] = [];

/** The last values of metrics, as this phone has seen them. */
export function useTrends(metrics: readonly ShownMetric[] = NONE): Trends {
	const [trends, setTrends] = useState<Trends>();
	useEffect(() => void load('trends').then((kept) => setTrends(kept ?? {})), []);
	const next = trends && withValues(trends, metrics);
	if (next !== trends) setTrends(next);
	useEffect(() => {
		if (next && Object.keys(next).length > 0) void save('trends', next);
	}, [next]);
	return next ?? {};
}
