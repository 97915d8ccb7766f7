import type { Workflow, WorkflowNode } from '../../test/n8n/support/n8n-api.ts';
import { BECKON, chain, MANUAL_TRIGGER, node } from '../../test/n8n/support/workflows.ts';

export const QUESTION = 'Deploy shop 4.2.0?';

export const LAST_TITLE = 'Shop 4.2.0 is live';

const WAIT = 'n8n-nodes-base.wait';

const STEPS = { resource: 'liveActivity', streamKey: 'deploy', activityType: 'segmented_progress' };

/** A step of the Live Activity. */
const step = (name: string, current: number, subtitle: string, color: string) =>
	node(name, BECKON, {
		...STEPS,
		operation: 'upsert',
		title: 'Deploying shop 4.2.0',
		currentStep: current,
		numberOfSteps: 4,
		content: { subtitle, icon: 'shippingbox.fill', color },
	});

/** The work itself, which takes a moment. */
const work = (name: string) => node(name, WAIT, { amount: 2.5, unit: 'seconds' });

const COLUMNS = 3;

const NOTE: WorkflowNode = {
	...node('Note', 'n8n-nodes-base.stickyNote', {
		content:
			'## Deploy the shop\nEvery step moves the Live Activity on the phone. **Ask** waits until somebody taps **Approve**.',
		width: 560,
		height: 110,
		color: 4,
	}),
	position: [-20, -160],
};

/** In lines, like text, so that the nodes are large enough to read. */
function placed(workflow: Workflow): Workflow {
	const nodes = workflow.nodes.map((item, index) => ({
		...item,
		position: [(index % COLUMNS) * 220, Math.floor(index / COLUMNS) * 190],
	}));
	return { ...workflow, nodes: [...nodes, NOTE] };
}

/** The workflow of the film: two steps, a question, and the deployment once it is approved. */
export const WORKFLOW = placed(
	chain('Deploy the shop', [
		node('Start', MANUAL_TRIGGER),
		step('Building', 1, 'Building', 'cyan'),
		work('Build'),
		step('Testing', 2, 'Running 214 tests', 'cyan'),
		work('Test'),
		node('Ask', BECKON, {
			resource: 'pushNotification',
			operation: 'sendAndWait',
			title: QUESTION,
			message: 'Version 4.2.0 passed all tests.',
			responseType: 'approval',
		}),
		step('Deploying', 3, 'Switching over', 'cyan'),
		work('Deploy'),
		node('Done', BECKON, {
			...STEPS,
			operation: 'end',
			title: LAST_TITLE,
			currentStep: 4,
			content: { subtitle: "=Approved by {{ $('Ask').first().json.data.user }}", color: 'lime' },
		}),
	]),
);
