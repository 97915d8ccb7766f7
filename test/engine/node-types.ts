import path from 'node:path';
import { fileURLToPath } from 'node:url';

import type { PackageDirectoryLoader } from 'n8n-core';
import type {
	ICredentialType,
	INodeType,
	INodeTypes,
	IVersionedNodeType,
	KnownNodesAndCredentials,
} from 'n8n-workflow';

import { core, n8n, require } from './n8n.ts';

/** The directory of the package under test. Its nodes are loaded from its `dist`, as n8n does. */
const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

const NODES_BASE = path.dirname(require.resolve('n8n-nodes-base/package.json'));

/** Loads single nodes of n8n-nodes-base when a workflow uses them: loading all 440 takes seconds. */
class SparingLoader extends core.PackageDirectoryLoader {
	override async loadAll(): Promise<void> {
		this.known.nodes =
			require('n8n-nodes-base/dist/known/nodes.json') as KnownNodesAndCredentials['nodes'];
	}
}

/** Node and credential types from the real packages, as in a running n8n. */
export class InstalledTypes implements INodeTypes {
	private readonly loaders: PackageDirectoryLoader[];

	protected constructor(loaders: PackageDirectoryLoader[]) {
		this.loaders = loaders;
	}

	/**
	 * @param root the package's directory, if not this one
	 * @throws if the package under test is not built
	 */
	static async load(root = ROOT): Promise<InstalledTypes> {
		const loaders = [new core.PackageDirectoryLoader(root), new SparingLoader(NODES_BASE)];
		for (const loader of loaders) await loader.loadAll();
		return new this(loaders);
	}

	getByName(name: string): INodeType | IVersionedNodeType {
		const [packageName, nodeName = ''] = name.split('.');
		const loader = this.loaders.find((candidate) => candidate.packageName === packageName);
		if (!loader)
			throw new Error(`The package ${packageName} of the node type ${name} is not installed`);
		return loader.getNode(nodeName).type;
	}

	getByNameAndVersion(name: string, version?: number): INodeType {
		return n8n.NodeHelpers.getVersionedNodeType(this.getByName(name), version);
	}

	getCredentialType(name: string): ICredentialType {
		const loader = this.loaders.find(({ credentialTypes }) => name in credentialTypes);
		if (!loader) throw new Error(`The credential type ${name} is not installed`);
		return loader.getCredential(name).type;
	}

	getKnownTypes(): KnownNodesAndCredentials['nodes'] {
		return Object.assign(
			{},
			...this.loaders.map(({ known }) => known.nodes),
		) as KnownNodesAndCredentials['nodes'];
	}
}
