import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApnsStandIn } from '../../test/gateways/support/apns.ts';
import { selfSigned } from '../../test/gateways/support/certificate.ts';
import { PushService } from '../../test/gateways/support/push-service.ts';

/**
 * The push services, in a separate process so that they cost the sender nothing. They count the pushes they
 * take; told to `trace`, they report each push's title and time of arrival.
 */
const certificate = selfSigned();
const apns = new ApnsStandIn({ countOnly: true, certificate });
const pushService = new PushService(certificate);
pushService.countOnly = true;
await Promise.all([apns.listen(), pushService.listen()]);

const directory = mkdtempSync(join(tmpdir(), 'beckon-bench-'));
const report = (message: unknown) => process.send?.(message);

report({
	settings: apns.settings(directory),
	subscription: pushService.subscribe('bench'),
});

let target = 0;
const count = () => {
	if (apns.count + pushService.count === target)
		report({ done: performance.timeOrigin + performance.now() });
};
apns.onTaken = count;
pushService.onReceived = count;

process.on('message', (message: { expect: number } | { trace: true } | { fail: true }) => {
	if ('expect' in message) {
		apns.count = pushService.count = 0;
		target = message.expect;
		report({ ready: true });
		return;
	}
	if ('fail' in message) {
		apns.fault = () => ({ status: 503, reason: 'ServiceUnavailable' });
		pushService.fault = () => ({ status: 503 });
		report({ ready: true });
		return;
	}
	// A fault that never happens makes the stand-in read the pushes.
	apns.fault = () => undefined;
	apns.onTaken = (taken) => {
		const { aps } = taken.payload as { aps: { alert: { title: string } } };
		report({ title: aps.alert.title, at: performance.timeOrigin + performance.now() });
	};
	report({ ready: true });
});
process.on('disconnect', () => {
	rmSync(directory, { recursive: true });
	process.exit();
});
