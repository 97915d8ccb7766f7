import type { INodeProperties } from 'n8n-workflow';

import { shownFor } from '../shown-for';
import { choiceFields } from './choices';

/** What n8n itself calls the operation by which a node waits for a person. */
export const SEND_AND_WAIT = 'sendAndWait';

export const showOnlyForAsking = {
	resource: ['pushNotification', 'liveActivity'],
	operation: [SEND_AND_WAIT],
};

/** What can be answered, shown below the title and the message; the same wherever it is asked. */
export const questionFields: INodeProperties[] = shownFor(showOnlyForAsking, choiceFields);
