import eslint from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

const NODE_PACKAGE = ['nodes/**/*.ts', 'credentials/**/*.ts', 'src/**/*.ts'];

/** n8n's verification looks at the package's manifest with the same rules as at its code. */
const MANIFEST = ['package.json'];

const { community, credentials, nodes } = n8nNodesBase.configs;

const communityNodes = n8nCommunityNodesPlugin.configs.recommended;

/** How fast a machine is must not decide a test (scripts/jest/common.mjs). */
const IN_TESTS = [
	...[
		'CallExpression[callee.object.name="jest"][callee.property.name="setTimeout"]',
		'CallExpression[callee.name=/^(it|test)$/][arguments.length>2]',
		'CallExpression[callee.callee.object.name=/^(it|test)$/][arguments.length>2]',
		'CallExpression[callee.name=/^(before|after)(All|Each)$/][arguments.length>1]',
	].map((selector) => ({
		selector,
		message: 'Leave it to the limit of every test, which only ends what hangs.',
	})),
	{
		selector:
			'CallExpression[callee.name=/^(within|waitFor)$/][arguments.2.type=/^(Literal|BinaryExpression)$/]',
		message: 'Name what would make it happen anyway, such as LOOKS_MS.',
	},
];

export default tseslint.config(
	{
		// app/ is installed apart; its own check of types needs what is installed there.
		ignores: ['**/dist/**', '**/node_modules/**', '**/coverage/**', 'app/**'],
	},
	{
		// The checks of n8n's reviewers ignore inline comments, so there are none.
		linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' },
	},
	{
		// With the rules below for the node package, those of `n8n-node lint`.
		files: NODE_PACKAGE,
		extends: [eslint.configs.recommended],
		rules: { 'no-console': 'error' },
	},
	{
		files: ['**/*.{ts,tsx}'],
		extends: [tseslint.configs.strictTypeChecked],
		languageOptions: {
			parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
		},
		rules: {
			'@typescript-eslint/consistent-type-imports': [
				'error',
				{ fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
			],
			'@typescript-eslint/switch-exhaustiveness-check': [
				'error',
				{ considerDefaultExhaustiveForUnions: true },
			],
			'@typescript-eslint/no-confusing-void-expression': 'off',
			// A type parameter may say what was stored, where only the caller knows.
			'@typescript-eslint/no-unnecessary-type-parameters': 'off',
			// Functions that answer an interface's promise, and mocks of such functions.
			'@typescript-eslint/require-await': 'off',
			'@typescript-eslint/no-unused-vars': [
				'error',
				{ argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
			],
			'@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
			'no-duplicate-imports': 'error',
		},
	},
	{
		// Tests read answers of the wire and of the engine, which have no types.
		files: ['**/test/**/*.ts', '**/*.test.ts'],
		rules: {
			// A variable may not have been set where a test failed early, or change while it waits.
			'@typescript-eslint/no-unnecessary-condition': 'off',
			'@typescript-eslint/no-unsafe-argument': 'off',
			'@typescript-eslint/no-unsafe-assignment': 'off',
			'@typescript-eslint/no-unsafe-call': 'off',
			'@typescript-eslint/no-unsafe-member-access': 'off',
			'@typescript-eslint/no-unsafe-return': 'off',
			'@typescript-eslint/no-explicit-any': 'off',
			'@typescript-eslint/no-misused-spread': 'off',
			'@typescript-eslint/no-non-null-assertion': 'off',
			'@typescript-eslint/restrict-plus-operands': 'off',
			'@typescript-eslint/unbound-method': 'off',
			'no-restricted-syntax': ['error', ...IN_TESTS],
		},
	},
	{
		// What several test files import is evaluated once (scripts/jest/runtime.ts).
		files: ['**/test/**/*.ts'],
		ignores: ['**/*.test.ts'],
		rules: {
			'no-restricted-syntax': [
				'error',
				...IN_TESTS,
				{
					selector:
						'Program > ExpressionStatement > CallExpression[callee.name=/^(before|after)(All|Each)$/]',
					message:
						'Export a function that the test file calls: this would run for the first file only.',
				},
			],
		},
	},
	{
		// Older browsers lack what the DOM's types promise.
		files: ['server/web/{device,phone,worker}/**/*.{ts,tsx}'],
		rules: { '@typescript-eslint/no-unnecessary-condition': 'off' },
	},
	{
		// What lives as long as the program must not grow with what clients send.
		files: ['server/src/**/*.ts'],
		rules: {
			'no-restricted-syntax': [
				'error',
				{
					selector:
						':matches(Program, Program > ExportNamedDeclaration) > VariableDeclaration > VariableDeclarator > NewExpression[callee.name=/^(Map|Set)$/][arguments.length=0]',
					message:
						'Use BoundedMap (server/src/collections.ts), or give a constant table its entries.',
				},
			],
		},
	},
	{
		// What a timer's body throws would end the process.
		files: ['server/src/**/*.ts'],
		ignores: [
			'server/src/regular-work.ts',
			// Their bodies catch everything, or only write to or destroy a connection, which does not throw.
			'server/src/delivery/apns/connection.ts',
			'server/src/http/connections.ts',
			'server/src/http/mcp/messages.ts',
			'server/src/http/senders/agent-hook/asking.ts',
			'server/src/service/later/later.ts',
			'server/src/store/engine/postgres/announcements.ts',
		],
		rules: {
			'no-restricted-globals': [
				'error',
				{ name: 'setInterval', message: 'Use scheduleEvery (server/src/regular-work.ts).' },
			],
		},
	},
	{
		// Kysely's expression builders are made to be taken apart.
		files: ['server/src/store/**/*.ts'],
		rules: { '@typescript-eslint/unbound-method': 'off' },
	},
	{ ...communityNodes, files: [...NODE_PACKAGE, ...MANIFEST] },
	{
		files: ['nodes/**/*.ts'],
		plugins: { 'n8n-nodes-base': n8nNodesBase },
		rules: {
			...nodes.rules,
			// n8n's newer plugin wants NodeConnectionTypes, where this one wants literals.
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
		},
	},
	{
		files: ['credentials/**/*.ts'],
		plugins: { 'n8n-nodes-base': n8nNodesBase },
		rules: {
			...credentials.rules,
			// For credentials of n8n itself, whose documentation is found by a name; ours has a URL.
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
		},
	},
	{
		files: MANIFEST,
		plugins: { 'n8n-nodes-base': n8nNodesBase },
		languageOptions: { parser: tseslint.parser, parserOptions: { extraFileExtensions: ['.json'] } },
		rules: community.rules,
	},
);
