import { useCallback, useEffect, useState } from 'react';
import type { TapResponse } from '../../../src/contract/device.ts';
import { tapText } from '../../device/answers.ts';
import { DeviceError } from '../../device/device-client.ts';

export type TapState =
	{ kind: 'pending' } | { kind: Exclude<TapResponse['outcome'], 'open'>; message: string };

type Tapped = Pick<TapResponse, 'outcome' | 'message' | 'answer'>;

export interface LastTap {
	/** The state of the button at `index`, if it was the last one tapped. */
	stateOf: (index: number) => TapState | undefined;
	/** The state of the last button. */
	state: TapState | undefined;
	/** Follows the report of a tap on the button at `index`. */
	follow: (index: number, report: Promise<Tapped>) => Promise<void>;
}

const RESULT_SHOWN_FOR = 6_000;

/** The last tap on a group of buttons, with its result for a few seconds. */
export function useLastTap(): LastTap {
	const [last, setLast] = useState<{ index: number; state: TapState }>();
	const isSettled = last !== undefined && last.state.kind !== 'pending';

	useEffect(() => {
		if (!isSettled) return undefined;
		const timer = setTimeout(() => setLast(undefined), RESULT_SHOWN_FOR);
		return () => clearTimeout(timer);
	}, [isSettled, last]);

	const follow = useCallback(async (index: number, report: Promise<Tapped>) => {
		setLast({ index, state: { kind: 'pending' } });
		const state = await toTapState(report);
		// Another button may have been tapped meanwhile; then its state is shown instead.
		setLast((current) => (current?.index === index ? { index, state } : current));
	}, []);
	const stateOf = (index: number) => (last?.index === index ? last.state : undefined);
	return { stateOf, state: last?.state, follow };
}

async function toTapState(tap: Promise<Tapped>): Promise<TapState> {
	try {
		const response = await tap;
		const { outcome } = response;
		return {
			kind: outcome === 'open' ? 'called' : outcome,
			message: tapText(response, Date.now()),
		};
	} catch (error) {
		const message = error instanceof DeviceError ? error.message : 'The tap could not be reported.';
		return { kind: 'failed', message };
	}
}
