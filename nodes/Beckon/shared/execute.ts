import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Declaration } from '../../shared/declared/plan';
import { sendItems } from '../../shared/declared/send-items';
import { findPicture } from '../resources/pushNotification/picture';
import { SEND_AND_WAIT } from './ask/question';
import { sendAndWait } from './ask/send-and-wait';

/** The node's `execute`: sends the declared request of each item, or asks once and waits. */
export function executes(declaration: Declaration) {
	return async function (this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return this.getNodeParameter('operation', 0) === SEND_AND_WAIT
			? await sendAndWait(this, declaration)
			: await sendItems(this, declaration, findPicture);
	};
}
