import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { startServer } from '../../../scripts/demo/server.ts';
import { packNode } from '../../../scripts/lib/pack.ts';
import { Phone } from '../../engine/phone.ts';
import { installCommunityPackage } from './community-package.ts';
import type { Line } from './lines.ts';
import { N8nApi, type Credential, type SavedWorkflow, type Workflow } from './n8n-api.ts';
import { N8nServer } from './n8n-server.ts';
import { logFileOf } from './results.ts';
import { BECKON, BECKON_TRIGGER } from './workflows.ts';

/** A person's entries in the credential. */
interface Access {
	baseUrl: string;
	apiKey: string;
	[other: string]: unknown;
}

/** A real n8n with our packed package, a real Beckon server, and a phone paired with it. */
export interface Bench {
	line: Line;
	n8n: N8nServer;
	api: N8nApi;
	phone: Phone;
	/**
	 * Creates another n8n with our package, which is not started: empty, or with a copy of all data of this one, which
	 * must be stopped meanwhile.
	 */
	another: (isClone: boolean) => Promise<N8nServer>;
	/** Kills the Beckon server, and starts it again at the same address. */
	killAndStartServer: () => Promise<void>;
	/** Opens the page of this phone, already paired. */
	phoneLink: string;
	access: Access;
	credential: Credential;
	/** Saves a workflow as imported, with a credential chosen in our nodes: by default the first one. */
	save: (workflow: Workflow, credential?: Credential) => Promise<SavedWorkflow>;
	close: () => Promise<void>;
}

/** Our nodes, and n8n's variants of one for AI agents. */
const TAKING_A_CREDENTIAL = [BECKON, BECKON_TRIGGER, `${BECKON}Tool`, `${BECKON}HitlTool`];

/** The workflow with a credential chosen in our nodes. */
export function withCredential(workflow: Workflow, { id, name }: Credential): Workflow {
	const nodes = workflow.nodes.map((node) =>
		TAKING_A_CREDENTIAL.includes(node.type)
			? { ...node, credentials: { beckonApi: { id, name }, ...node.credentials } }
			: node,
	);
	return { ...workflow, nodes };
}

/** Starts everything; if one part fails to start, the others are stopped again. */
export async function openBench(line: Line): Promise<Bench> {
	const closers: Array<() => Promise<void> | void> = [];
	const close = async () => {
		for (const closer of closers.splice(0).reverse()) await closer();
	};
	try {
		const folder = mkdtempSync(path.join(tmpdir(), 'beckon-n8n-'));
		closers.push(() => rmSync(folder, { recursive: true, force: true }));
		const logFile = logFileOf(line);
		rmSync(logFile, { force: true });

		// Nothing is fetched from there: pictures need an https address.
		const beckon = await startServer(0, {
			BECKON_PUBLIC_URL: 'https://beckon.example.com',
			// Checks look often whether a trigger listens.
			BECKON_RATE_LISTS: '100000',
		});
		closers.push(beckon.stop);
		const { tarball } = await packNode(folder);
		await installCommunityPackage(tarball, folder);
		const n8n = await N8nServer.create(line, folder, logFile);
		closers.push(() => n8n.stop());
		await n8n.start();

		const api = new N8nApi(n8n.url, line);
		await api.setUpOwner();
		const access = { baseUrl: `${beckon.url}/api`, apiKey: beckon.seed.key };
		const credential = await api.createCredential('Beckon', 'beckonApi', access);
		return {
			line,
			n8n,
			api,
			another: async (isClone) => {
				const other = mkdtempSync(path.join(folder, 'another-'));
				const data = isClone ? '.n8n' : '.n8n/nodes';
				cpSync(path.join(folder, data), path.join(other, data), { recursive: true });
				const created = await N8nServer.create(line, other, logFile);
				closers.push(() => created.stop());
				return created;
			},
			phone: new Phone(beckon.url, beckon.seed.device_id, beckon.seed.device_token),
			killAndStartServer: beckon.killAndStart,
			phoneLink: `${beckon.url}/phone#token=${beckon.seed.device_token}`,
			access,
			credential,
			save: async (workflow, chosen = credential) =>
				await api.createWorkflow(withCredential(workflow, chosen)),
			close,
		};
	} catch (error) {
		await close();
		throw error;
	}
}
