import type { IDataObject, IExecuteSingleFunctions } from 'n8n-workflow';

/** What the credential gives. */
export interface Access {
	/** Without a slash at its end. */
	baseUrl: string;
	apiKey: string;
}

/** What people paste may have spaces around it, and slashes at the address's end. */
export function trimmed({ baseUrl, apiKey }: Access): Access {
	return { baseUrl: baseUrl.trim().replace(/\/+$/, ''), apiKey };
}

export async function accessOf(
	context: Pick<IExecuteSingleFunctions, 'getCredentials'>,
): Promise<Access> {
	return trimmed(await context.getCredentials<Access & IDataObject>('beckonApi'));
}
