import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCode } from '../../server/web/device/pairing-code.ts';
import { readLink, readOrigin } from '../src/links.ts';

const pair = (origin: string) => ({ kind: 'pair', origin, code: 'ABCD1234' });

for (const [link, read] of [
	['https://beckon.example.com/phone#code=abcd-1234', pair('https://beckon.example.com')],
	['http://192.168.1.5:8787/phone#code=ABCD1234', pair('http://192.168.1.5:8787')],
	['https://example.com/beckon/phone#code=ABCD1234', pair('https://example.com/beckon')],
	[
		'beckon://pair?server=https%3A%2F%2Fbeckon.example.com%3A8443&code=ABCD1234',
		pair('https://beckon.example.com:8443'),
	],
	[
		'beckon://tap/act_1/action/2026-03-01T12:00:00.000Z/k3y',
		{
			kind: 'tap',
			tap: {
				...{ activity_id: 'act_1', action: 'action' },
				...{ updated_at: '2026-03-01T12:00:00.000Z', link_key: 'k3y' },
			},
		},
	],
	// Any other app can open these.
	['beckon://tap/act_1/secondary_action', { kind: 'open' }],
	['beckon://tap/act_1/action/2026-03-01T12:00:00.000Z', { kind: 'open' }],
	['beckon://tap/act_1/third', { kind: 'open' }],
	['beckon://activity/act_1', { kind: 'open' }],
	['https://example.com/', undefined],
	['https://example.com/phone#code=short', undefined],
	['beckon://pair?server=&code=ABCD1234', undefined],
	['mailto:ada@example.com', undefined],
] as const) {
	test(`reads ${link}`, () => assert.deepEqual(readLink(link), read));
}

test('reads a code and an address as people type them', () => {
	assert.equal(readCode(' abcd 12-34 '), 'ABCD1234');
	assert.equal(readCode('abc'), undefined);
	assert.equal(readOrigin('beckon.local:8787'), 'https://beckon.local:8787');
	assert.equal(readOrigin(' http://10.0.0.2:8787/phone '), 'http://10.0.0.2:8787');
	assert.equal(readOrigin(''), undefined);
});
