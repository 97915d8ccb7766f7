import type { ICredentialDataDecryptedObject, INodeCredentialTestResult } from 'n8n-workflow';

import { core } from './n8n.ts';
import { installedTypes } from './run-workflow.ts';

/**
 * Tests a credential as n8n's server does: for a credential type without its own test, by the function
 * that a node names.
 */
export async function testCredential(
	nodeType: string,
	type: string,
	data: ICredentialDataDecryptedObject,
): Promise<INodeCredentialTestResult> {
	const types = await installedTypes();
	const { description, methods } = types.getByNameAndVersion(nodeType);
	const { testedBy } = description.credentials?.find(({ name }) => name === type) ?? {};
	const test = typeof testedBy === 'string' ? methods?.credentialTest?.[testedBy] : undefined;
	if (!test || types.getCredentialType(type).test) {
		throw new Error(`${nodeType} does not test the credential type ${type}`);
	}
	return await test.call(new core.CredentialTestContext(), { id: type, name: type, type, data });
}
