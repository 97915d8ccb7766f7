import type {
	ICredentialDataDecryptedObject,
	ICredentials,
	IHttpRequestOptions,
	INode,
	INodeCredentialsDetails,
	INodeProperties,
	IRequestOptionsSimplified,
	IWorkflowExecuteAdditionalData,
	Workflow,
} from 'n8n-workflow';

import { n8n } from './n8n.ts';
import type { InstalledTypes } from './node-types.ts';

/** Decrypted credentials by type name, such as `beckonApi`. */
export type CredentialData = Readonly<Record<string, ICredentialDataDecryptedObject>>;

/** Hands out the given credentials, and authenticates requests as their types declare. */
export class GivenCredentials extends n8n.ICredentialsHelper {
	private readonly types: InstalledTypes;

	private readonly data: CredentialData;

	constructor(types: InstalledTypes, data: CredentialData) {
		super();
		this.types = types;
		this.data = data;
	}

	override async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		requestOptions: IHttpRequestOptions | IRequestOptionsSimplified,
		{ expression }: Workflow,
		node: INode,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = this.types.getCredentialType(typeName);
		const options = requestOptions as IHttpRequestOptions;
		if (typeof authenticate === 'function') return await authenticate(credentials, options);
		const headers = (authenticate?.properties.headers ?? {}) as Record<string, string>;
		for (const [name, value] of Object.entries(headers)) {
			// Uses the workflow's own expressions, as n8n does: its engine is ready for no others.
			const $credentials = credentials;
			const resolved = expression.getSimpleParameterValue(node, value, 'internal', {
				$credentials,
			});
			options.headers = { ...options.headers, [name]: String(resolved) };
		}
		return options;
	}

	override async getDecrypted(
		_additionalData: IWorkflowExecuteAdditionalData,
		_nodeCredentials: INodeCredentialsDetails,
		type: string,
	): Promise<ICredentialDataDecryptedObject> {
		const credentials = this.data[type];
		if (!credentials) throw new Error(`This run has no credentials of the type ${type}`);
		return { ...credentials };
	}

	override getParentTypes(): string[] {
		return [];
	}

	override isCredentialUsableByNode(): boolean {
		return true;
	}

	override async preAuthentication(): Promise<undefined> {}

	override async runPreAuthentication(): Promise<undefined> {}

	override getCredentialsProperties(type: string): INodeProperties[] {
		return this.types.getCredentialType(type).properties;
	}

	override async getCredentials(): Promise<ICredentials> {
		throw new Error('Credentials of a test run are not encrypted');
	}

	override async updateCredentials(): Promise<void> {}

	override async updateCredentialsOauthTokenData(): Promise<void> {}
}
