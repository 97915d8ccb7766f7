import { Alert, Code } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { EntryStates } from '../components/delivery-states.tsx';
import { toResult } from './result-words.ts';

/** The outcome of the request in a line, the state of its phones, and the whole response, collapsed. */
export function Result({ response: { history_id: id, ...response } }: { response: Sent }) {
	return (
		<Alert
			className="result"
			// Green is for what a phone has received.
			color="blue"
			role="status"
			icon={<IconSend aria-hidden />}
			title={toResult(response)}
		>
			{id !== undefined && (
				<>
					<EntryStates id={id} />
					<a href={`#/history?entry=${id}`}>Show each phone</a>
				</>
			)}
			<details>
				<summary>Answer</summary>
				<Code block className="json" tabIndex={0}>
					{JSON.stringify(response, null, 2)}
				</Code>
			</details>
		</Alert>
	);
}

interface Sent {
	/** The history entry of what was sent. */
	history_id?: string;
}
