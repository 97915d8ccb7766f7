import type { IDataObject, IExecuteSingleFunctions } from 'n8n-workflow';

/** The contents of the credential. */
export interface Access {
	/** Without a trailing slash. */
	baseUrl: string;
	apiKey: string;
}

/** A pasted address may have spaces around it and slashes at its end. */
export function trimmed({ baseUrl, apiKey }: Access): Access {
	return { baseUrl: baseUrl.trim().replace(/\/+$/, ''), apiKey };
}

export async function readAccess(
	context: Pick<IExecuteSingleFunctions, 'getCredentials'>,
): Promise<Access> {
	return trimmed(await context.getCredentials<Access & IDataObject>('beckonApi'));
}
