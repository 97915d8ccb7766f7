/**
 * Imports point one way (the architecture): the node package and the server meet only at the wire,
 * and inside the server http → service → store and delivery, with the contract beside them.
 */
const NODE_PACKAGE = '^(nodes|credentials|src)/';
const SERVER = '^server/src/';
/** How the pages are built is no part of them. */
const BUILD = '\\.config\\.ts$';

/** Whether `from` may not reach `to`, both folders of the server. */
const within = (from, to) => ({
	name: `no-${from}-to-${to.join('-or-')}`,
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
			name: 'no-node-package-to-server',
			comment: 'An n8n user installs the nodes without the server.',
			severity: 'error',
			from: { path: NODE_PACKAGE },
			to: { path: '^(server|test)/' },
		},
		{
			name: 'no-server-to-n8n',
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
			name: 'no-transport-to-node',
			severity: 'error',
			from: { path: '^src/' },
			to: { path: '^(nodes|credentials)/' },
		},
		{
			name: 'rules-of-sending-know-no-n8n',
			comment: 'Pacing, repeats and answers are the same for another client.',
			severity: 'error',
			from: { path: '^src/rules/' },
			to: { path: ['^src/n8n/', 'node_modules/n8n-'] },
		},
		{
			name: 'command-line-shares-only-the-rules-of-sending',
			severity: 'error',
			from: { path: '^cli/' },
			to: { path: '^(nodes|credentials|src|server|test|scripts|bench)/', pathNot: '^src/rules/' },
		},
		{
			name: 'no-shared-to-single-node',
			severity: 'error',
			from: { path: '^nodes/shared/' },
			to: { path: '^nodes/(?!shared/)' },
		},
		{
			name: 'fields-know-nothing-else',
			comment: 'Reading a field needs neither a request nor an answer.',
			severity: 'error',
			from: { path: '^nodes/shared/fields/' },
			to: { path: '^(src|nodes)/', pathNot: '^nodes/shared/fields/' },
		},
		{
			name: 'errors-and-webhooks-know-no-declaration',
			severity: 'error',
			from: { path: '^nodes/shared/(errors|webhooks)/' },
			to: { path: '^nodes/shared/declared/' },
		},
		{
			name: 'no-program-to-tests',
			comment: 'What is published needs nothing that is not.',
			severity: 'error',
			from: { path: [SERVER, '^server/web/', NODE_PACKAGE], pathNot: BUILD },
			to: { path: '^(server/)?(test|bench|scripts)/' },
		},
		{
			name: 'pages-know-only-the-contract',
			comment: 'A page meets the server at the wire; it must not bundle any of it.',
			severity: 'error',
			from: { path: '^server/web/', pathNot: BUILD },
			to: { path: '^server/', pathNot: '^server/(web|src/contract)/' },
		},
		{
			name: 'no-server-to-pages',
			severity: 'error',
			from: { path: SERVER },
			to: { path: '^server/web/' },
		},
		{
			name: 'no-device-to-browser',
			comment: 'The iPhone app uses it too: it knows a server and a person, but no page.',
			severity: 'error',
			from: { path: '^server/web/device/' },
			to: { path: '^server/web/(?!device/)' },
		},
		{
			name: 'no-device-to-node',
			severity: 'error',
			from: { path: '^server/web/device/' },
			to: { dependencyTypes: ['core'] },
		},
		{
			name: 'no-phone-to-console-or-worker',
			comment: 'The console previews phones, and the worker acts for one: they use its files.',
			severity: 'error',
			from: { path: '^server/web/phone/' },
			to: { path: '^server/web/(console|worker)/' },
		},
		{
			name: 'no-console-to-worker',
			severity: 'error',
			from: { path: '^server/web/(console|worker)/' },
			to: { path: '^server/web/(console|worker)/', pathNot: '^server/web/$1/' },
		},
		{
			name: 'scripts-and-benches-meet-the-server-at-the-wire',
			comment: "The node's benchmark and the demo run the server as its users do.",
			severity: 'error',
			from: { path: '^(scripts|bench)/' },
			to: { path: '^server/', dependencyTypesNot: ['type-only'] },
		},
		{
			name: 'scripts-know-no-benches',
			severity: 'error',
			from: { path: '^(server/)?scripts/' },
			to: { path: '^(server/)?bench/' },
		},
		{
			name: 'tests-know-no-benches',
			severity: 'error',
			from: { path: '^(server/)?test/' },
			to: { path: '^(server/)?bench/' },
		},
		within('contract', ['http', 'service', 'store', 'delivery', 'cli', 'server', 'config']),
		within('store', ['http', 'service', 'delivery', 'cli', 'server']),
		within('delivery', ['http', 'service', 'cli', 'server']),
		within('service', ['http', 'cli', 'server']),
		{
			name: 'no-routes-to-other-clients',
			comment: 'What the routes of two clients need lies beside routes/, in http.',
			severity: 'error',
			from: { path: '^server/src/http/routes/(public|phone|console)' },
			to: {
				path: '^server/src/http/routes/(public|phone|console)',
				pathNot: '^server/src/http/routes/$1',
			},
		},
		{
			name: 'senders-know-no-routes',
			severity: 'error',
			from: { path: '^server/src/http/senders/' },
			to: { path: '^server/src/http/routes/' },
		},
		{
			name: 'nothing-knows-the-senders',
			comment: 'They translate into what the API calls too; only the app registers their routes.',
			severity: 'error',
			from: { path: SERVER, pathNot: `${SERVER}http/(app\\.ts|senders/)` },
			to: { path: `${SERVER}http/senders/` },
		},
		within('http', ['store', 'delivery', 'cli', 'server']),
	],
	options: {
		doNotFollow: { path: 'node_modules' },
		exclude: { path: ['^(server/)?dist/', '^test/n8n/line-[^/]+/'] },
		tsPreCompilationDeps: true,
		tsConfig: { fileName: 'tsconfig.package.json' },
		enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js', '.json'] },
	},
};
