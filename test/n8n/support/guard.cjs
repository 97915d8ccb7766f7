/**
 * Loaded into n8n before n8n itself. It guarantees two things for the tests, whatever an n8n version
 * does by default: no request goes to a host outside this machine, and n8n ends with the tests, even if
 * they were killed.
 */
const dns = require('node:dns');

/** Hosts of this machine: its own names, and those of the namespaces that a test made. */
const HERE = new Set([
	'localhost',
	'127.0.0.1',
	'::1',
	'::',
	...(process.env.GUARD_HOSTS ?? '').split(','),
]);

function refusal(host) {
	process.stderr.write(`[guard] refused to look up ${host}\n`);
	return Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), {
		code: 'ENOTFOUND',
		syscall: 'getaddrinfo',
		hostname: host,
	});
}

const { lookup } = dns;
dns.lookup = (host, ...rest) => {
	if (HERE.has(host)) return lookup(host, ...rest);
	process.nextTick(rest.at(-1), refusal(host));
	return {};
};

const { lookup: lookupPromise } = dns.promises;
dns.promises.lookup = async (host, ...rest) => {
	if (HERE.has(host)) return await lookupPromise(host, ...rest);
	throw refusal(host);
};

process.on('disconnect', () => process.exit(1));
