import type { IDataObject, IExecuteSingleFunctions } from 'n8n-workflow';

/** What the credential gives. */
export interface Access {
	/** Without a slash at its end. */
	baseUrl: string;
	apiKey: string;
}

/** What people paste may have spaces around it, and slashes at the address's end. */
export async function accessOf(
	context: Pick<IExecuteSingleFunctions, 'getCredentials'>,
): Promise<Access> {
	const { baseUrl, apiKey } = await context.getCredentials<Access & IDataObject>('beckonApi');
	return { baseUrl: baseUrl.trim().replace(/\/+$/, ''), apiKey };
}
