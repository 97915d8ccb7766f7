import { Code, Group, Stack, Text } from '@mantine/core';
import { useSession } from '../session.tsx';
import { senderLines } from '../sender-lines.ts';
import { CopyAs } from './copy.tsx';

/** The lines for each program, with the key in them. */
export function SenderLines({ value, channels }: { value: string; channels: readonly string[] }) {
	const { origin } = useSession();
	const [channel = ''] = channels;
	return (
		<Stack gap="md">
			{senderLines({ origin, key: value, channel }).map(({ program, place, lines }) => (
				<section key={program} aria-label={program}>
					<Group justify="space-between" mb={4}>
						<Text size="sm">
							<b>{program}</b>, {place}
						</Text>
						<CopyAs value={lines} of={`the lines for ${program}`}>
							Copy
						</CopyAs>
					</Group>
					{/* Focusable, so that long lines can be scrolled by keyboard. */}
					<Code block tabIndex={0}>
						{lines}
					</Code>
				</section>
			))}
		</Stack>
	);
}
