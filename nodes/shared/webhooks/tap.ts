import type { IDataObject } from 'n8n-workflow';

import { readHeader, type Headers } from '../../../src/rules/answer';

/** The person, phone and time of a tap; the first two are null if it was not a tap on a phone. */
export interface Tap extends IDataObject {
	user: string | null;
	device: string | null;
	respondedAt: string;
}

/** Names are percent-encoded UTF-8, because headers hold ASCII only. */
function nameIn(headers: Headers, header: string): string | null {
	const value = readHeader(headers, header);
	if (value === undefined || value === '') return null;
	try {
		return decodeURIComponent(value);
	} catch {
		return value;
	}
}

/** The tap that the headers of a webhook call describe (docs/api-decisions.md "Webhooks"). */
export function readTap(headers: Headers, now = new Date()): Tap {
	const tappedAt = new Date(readHeader(headers, 'beckon-tapped-at') ?? Number.NaN);
	return {
		user: nameIn(headers, 'beckon-user'),
		device: nameIn(headers, 'beckon-device'),
		respondedAt: (Number.isNaN(tappedAt.getTime()) ? now : tappedAt).toISOString(),
	};
}
