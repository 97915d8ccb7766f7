import type { IDataObject, IExecuteSingleFunctions } from 'n8n-workflow';

import { trimmed, type Access } from '../rules/transport';

export async function readAccess(
	context: Pick<IExecuteSingleFunctions, 'getCredentials'>,
): Promise<Access> {
	return trimmed(await context.getCredentials<Access & IDataObject>('beckonApi'));
}
