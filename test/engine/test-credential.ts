import type {
	IAuthenticateRuleResponseCode,
	IAuthenticateRuleResponseSuccessBody,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	IDataObject,
	INodeType,
} from 'n8n-workflow';

import { GivenCredentials } from './credentials.ts';
import { core, n8n } from './n8n.ts';
import { additionalDataFor, installedTypes } from './run-workflow.ts';

export interface CredentialTestResult {
	status: 'OK' | 'Error';
	message: string;
}

type Rule = IAuthenticateRuleResponseCode | IAuthenticateRuleResponseSuccessBody;

/**
 * Tests a credential as n8n's server does: it sends the type's test request through the declarative
 * engine on behalf of a node that does nothing, then applies the rules. Errors meet the rules about
 * the status, answers those about the body; what no rule names is a success.
 */
export async function testCredential(
	typeName: string,
	data: ICredentialDataDecryptedObject,
): Promise<CredentialTestResult> {
	const types = await installedTypes();
	const { test } = types.getCredentialType(typeName);
	if (!test) throw new Error(`The credential type ${typeName} has no test`);
	const rules = (test.rules ?? []) as Rule[];
	try {
		const json = await answerTo(test, typeName, data);
		const broken = rules.find(
			(rule) =>
				rule.type === 'responseSuccessBody' &&
				json?.[rule.properties.key] === rule.properties.value,
		);
		return broken
			? { status: 'Error', message: broken.properties.message }
			: { status: 'OK', message: 'Connection successful!' };
	} catch (error) {
		return { status: 'Error', message: messageOf(error as Failure, rules) };
	}
}

interface Failure extends Error {
	cause?: { code?: string; response?: { status: number; statusText: string } };
}

function messageOf({ cause, message }: Failure, rules: readonly Rule[]): string {
	if (!cause?.response) return cause?.code ?? message;
	const { status, statusText } = cause.response;
	const rule = rules.find(
		({ type, properties }) => type === 'responseCode' && properties.value === status,
	);
	return rule?.properties.message ?? statusText;
}

async function answerTo(
	test: ICredentialTestRequest,
	typeName: string,
	data: ICredentialDataDecryptedObject,
): Promise<IDataObject | undefined> {
	const types = await installedTypes();
	const node = {
		id: 'temp',
		name: 'Temp-Node',
		type: 'n8n-nodes-base.noOp',
		typeVersion: 1,
		position: [0, 0] as [number, number],
		parameters: {},
		credentials: { [typeName]: { id: typeName, name: typeName } },
	};
	const tester: INodeType = {
		description: {
			...types.getByNameAndVersion(node.type).description,
			credentials: [{ name: typeName, required: true }],
			properties: [
				{
					displayName: 'Temp',
					name: 'temp',
					type: 'string',
					routing: { request: test.request },
					default: '',
				},
			],
		},
	};
	const nodeTypes = {
		getByName: () => tester,
		getByNameAndVersion: () => tester,
		getKnownTypes: () => ({}),
	};
	const workflow = new n8n.Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
	const inputData = { main: [[{ json: {} }]] };
	const context = new core.ExecuteContext(
		workflow,
		node,
		additionalDataFor(new GivenCredentials(types, { [typeName]: data })),
		'internal',
		n8n.createRunExecutionData({}),
		0,
		inputData.main[0] ?? [],
		inputData,
		{ node, data: inputData, source: null },
		[],
	);
	const credential = { id: typeName, name: typeName, type: typeName, data };
	const output = await new core.RoutingNode(context, tester, credential).runNode();
	return output?.[0]?.[0]?.json;
}
