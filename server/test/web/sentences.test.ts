import { expect, it } from '@jest/globals';
import { toSentences } from '../../web/device/sentences.ts';

it.each([
	[['Deploy to production?', 'Version 1.4 passed'], 'Deploy to production? Version 1.4 passed'],
	[['Backup', undefined, 'Done!', 'See the log'], 'Backup. Done! See the log'],
	[['Alone', ''], 'Alone'],
	[[undefined], ''],
])('a screen reader hears %j as %j', (texts, spoken) => {
	expect(toSentences(texts)).toBe(spoken);
});
