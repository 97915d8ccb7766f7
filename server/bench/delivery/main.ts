import { circumstances } from '../../../scripts/lib/circumstances.ts';
import { writeResult } from '../../../scripts/lib/write-result.ts';
import { measureApns } from './apns.ts';
import { DEVICES, ROUNDS, type Rate, WARM_UP } from './compare.ts';
import { measureLatency } from './latency.ts';
import { Services } from './services.ts';
import { measureWebPush } from './web-push.ts';

const AIMS = { ofBare: 0.7, p99Ms: 50 };

const services = await Services.start();
const apns = await measureApns(services);
const webPush = await measureWebPush(services);
const latency = await measureLatency(services);
services.stop();

const verdict = (isMet: boolean) => (isMet ? 'met' : '**missed**');
const row = (name: string, { way, perSecond, ofBare, aim }: Rate) =>
	`| ${name} | ${way} | ${Math.round(perSecond)} | ${ofBare.toFixed(2)} | ${
		aim ? `≥ ${AIMS.ofBare}: ${verdict(ofBare >= AIMS.ofBare)}` : ''
	} |`;
const ms = (value: number) => `${value.toFixed(1)} ms`;

const text = `
# Delivery to the push services

\`npm run bench:delivery -- --write\` on ${circumstances()}. The push services run
in their own process on the same machine. ${DEVICES.toLocaleString('en')} devices, median of ${ROUNDS} alternating rounds after
${WARM_UP} to warm up.

| | Way | Pushes/s | Of bare | Aim |
| --- | --- | ---: | ---: | --- |
${apns.map((rate) => row('APNs', rate)).join('\n')}
${webPush.map((rate) => row('Web Push', rate)).join('\n')}

Bare \`node:http2\` is faster with its headers in a list, as in our gateway, than with an object,
as it is commonly written; the table has both.

Each Web Push is encrypted for its browser (RFC 8291), so the comparator encrypts too, as fast as Node can.
The table also has one text for all, which no browser could decrypt, and the \`web-push\` library. On two cores, which
the push services share, the encryption alone takes longer than everything else.

From a request to the arrival of its push at APNs, at 100 requests/s (${latency.count} pushes): median
${ms(latency.p50)}, 99th percentile ${ms(latency.p99)}; aim < ${AIMS.p99Ms} ms: ${verdict(latency.p99 < AIMS.p99Ms)}.
`;

process.stdout.write(text);
if (process.argv.includes('--write')) writeResult('delivery', text);
