import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IExecuteSingleFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { currentRun } from '../../../src/n8n/run';

const CREDENTIAL = 'beckonTriggerApi';

/** Characters: anyone who knows the trigger's URL could guess a shorter one. */
const SHORTEST = 16;

type Context = Pick<IExecuteSingleFunctions, 'getCredentials' | 'getNode'>;

/**
 * The secret that a button and its Beckon Trigger share.
 * @returns undefined if no credential was chosen
 */
export async function readTriggerSecret(context: Context): Promise<string | undefined> {
	if (!context.getNode().credentials?.[CREDENTIAL]) return undefined;
	const { secret } = await context.getCredentials<{ secret: string }>(CREDENTIAL);
	return secret;
}

/**
 * The same for a node with buttons, where a setting shows the credential: n8n gives no hidden one.
 * Read once for all items, because reading decrypts it.
 */
export async function readTriggerSecretOnce(
	context: IExecuteSingleFunctions,
): Promise<string | undefined> {
	if (context.getNodeParameter('triggerCredential', 'none') === 'none') return undefined;
	const run = currentRun(context);
	run.triggerSecret ??= readTriggerSecret(context);
	return await run.triggerSecret;
}

/** Tests the credential: there is no service to ask, but a secret can be too short. */
export async function testTriggerSecret(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { secret } = data as unknown as { secret: string };
	if (secret.length >= SHORTEST) return { status: 'OK', message: 'The secret is long enough.' };
	return { status: 'Error', message: `Use a random secret of at least ${SHORTEST} characters.` };
}
