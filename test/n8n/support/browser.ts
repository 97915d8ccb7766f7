import { existsSync } from 'node:fs';

import { chromium, type Browser } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The system's Chromium, without outside connections. @throws if there is none */
export async function launchBrowser(): Promise<Browser> {
	const executable = [process.env['CHROMIUM_PATH'] ?? '', ...PLACES].find(
		(place) => place !== '' && existsSync(place),
	);
	if (executable === undefined) {
		throw new Error(
			"The tests in n8n's editor need Chromium. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.",
		);
	}
	return await chromium.launch({
		executablePath: executable,
		args: [
			'--no-sandbox',
			'--disable-gpu',
			'--disable-quic',
			'--no-first-run',
			'--disable-background-networking',
			'--disable-component-update',
			'--disable-sync',
		],
	});
}
