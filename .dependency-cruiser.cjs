/**
 * Imports point one way (the house's plan): the node package and the server meet only at the wire,
 * and inside the server http → service → store and delivery, with the contract beside them.
 */
const NODE_PACKAGE = '^(nodes|credentials|src)/';
const SERVER = '^server/src/';

/** Whether `from` may not reach `to`, both folders of the server. */
const within = (from, to) => ({
	name: `${from}-knows-no-${to.join('-or-')}`,
	severity: 'error',
	from: { path: `${SERVER}${from}/` },
	to: { path: `${SERVER}(${to.join('|')})(/|\\.ts)` },
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
	forbidden: [
		{
			name: 'no-circles',
			comment: 'Files that need each other, if only for a type, are one file or lack a third.',
			severity: 'error',
			from: {},
			to: { circular: true },
		},
		{
			name: 'node-package-knows-no-server',
			comment: 'An n8n user installs the nodes without the server.',
			severity: 'error',
			from: { path: NODE_PACKAGE },
			to: { path: '^(server|test)/' },
		},
		{
			name: 'server-knows-no-n8n',
			severity: 'error',
			from: { path: '^server/' },
			to: { path: [NODE_PACKAGE, '^test/', 'node_modules/n8n-'] },
		},
		{
			name: 'tests-of-the-nodes-meet-the-server-at-the-wire',
			comment:
				'Types of the wire may be shared; code may not, but for what the console copies as a node to paste, and certificates.',
			severity: 'error',
			from: { path: '^test/' },
			to: {
				path: '^server/',
				pathNot:
					'^server/(web/console/playground/(copies|requests)|test/gateways/support/certificate)\\.ts$',
				dependencyTypesNot: ['type-only'],
			},
		},
		{
			name: 'transport-knows-no-node',
			severity: 'error',
			from: { path: '^src/' },
			to: { path: '^(nodes|credentials)/' },
		},
		within('contract', ['http', 'service', 'store', 'delivery', 'cli', 'server', 'config']),
		within('store', ['http', 'service', 'delivery', 'cli', 'server']),
		within('delivery', ['http', 'service', 'cli', 'server']),
		within('service', ['http', 'cli', 'server']),
		within('http', ['store', 'delivery', 'cli', 'server']),
	],
	options: {
		doNotFollow: { path: 'node_modules' },
		exclude: { path: ['(^|/)dist/', '^test/n8n/'] },
		tsPreCompilationDeps: true,
		tsConfig: { fileName: 'tsconfig.json' },
		enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js', '.json'] },
	},
};
