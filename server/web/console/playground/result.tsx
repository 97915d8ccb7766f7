import { Alert, Code } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { toResult } from './result-words.ts';

/** What became of the request in a line, with the whole answer folded. */
export function Result({ answer }: { answer: object }) {
	return (
		<Alert
			className="result"
			color="green"
			role="status"
			icon={<IconCheck aria-hidden />}
			title={toResult(answer)}
		>
			<details>
				<summary>Answer</summary>
				<Code block className="json" tabIndex={0}>
					{JSON.stringify(answer, null, 2)}
				</Code>
			</details>
		</Alert>
	);
}
