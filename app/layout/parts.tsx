import { Capsule, HStack, Image, Link, Text, VStack } from '@expo/ui/swift-ui';
import {
	background,
	font,
	foregroundStyle,
	frame,
	lineLimit,
	padding,
	shapes,
} from '@expo/ui/swift-ui/modifiers';
import type { ReactNode } from 'react';
import { answerWords } from '../../server/src/contract/answer-words.ts';
import type { Answer, Button, ShownState } from '../../server/src/contract/shown.ts';
import { colorOf } from './colors.ts';

/** A content state with what the server adds to it for this app. */
export type Props = ShownState & {
	activity_id: string;
	stream_key: string | null;
	started_at: string;
	action?: Button;
	secondary_action?: Button;
	answer?: Answer;
	/** True if the app has more of it than the push could carry. */
	truncated?: true;
};

export type Scheme = 'light' | 'dark';

/** The system's second color for text, in light and dark. */
export const SECONDARY = { type: 'hierarchical', style: 'secondary' } as const;

/** SwiftUI's infinity, which JSON does not have. */
export const WHOLE_WIDTH = 10_000;

const APP_SYMBOL = 'bell.badge.fill';

export function Icon({ state, scheme, size }: { state: Props; scheme: Scheme; size: number }) {
	return (
		<Image
			systemName={(state.icon?.symbol ?? APP_SYMBOL) as never}
			size={size}
			color={colorOf(scheme, state.icon?.color, state.color)}
		/>
	);
}

interface WordsProps {
	children: string;
	lines?: number;
	size?: number;
	weight?: 'regular' | 'semibold' | 'bold';
	style?: Parameters<typeof foregroundStyle>[0];
}

/** A text of at most so many lines. An empty one draws nothing. */
export function Words({ children, lines = 1, size = 15, weight = 'regular', style }: WordsProps) {
	const looks = [font({ size, weight }), lineLimit(lines)];
	return <Text modifiers={style ? [...looks, foregroundStyle(style)] : looks}>{children}</Text>;
}

export function Pill({ title, color }: { title: string; color: string }) {
	return (
		<Text
			modifiers={[
				font({ size: 12, weight: 'semibold' }),
				lineLimit(1),
				foregroundStyle(color),
				padding({ horizontal: 7, vertical: 2 }),
				background(`${color}2E`, shapes.capsule()),
			]}
		>
			{title}
		</Text>
	);
}

/** A bar of equal parts, of which the first `done` are filled. */
export function Segments({ colors }: { colors: ReadonlyArray<string | undefined> }) {
	return (
		<HStack spacing={3}>
			{colors.map((color, index) => (
				<Capsule
					key={index}
					modifiers={[frame({ height: 6 }), foregroundStyle(color ?? '#8E8E9355')]}
				/>
			))}
		</HStack>
	);
}

/** A button as a link: the app reports the tap and shows the outcome, also after a start from nothing. */
function ActionLink({ state, name, scheme }: { state: Props; name: ActionName; scheme: Scheme }) {
	const button = state[name];
	if (!button) return null;
	const color = colorOf(scheme, state.color);
	return (
		<Link destination={`beckon://tap/${state.activity_id}/${name}`}>
			<Text
				modifiers={[
					font({ size: 15, weight: 'semibold' }),
					lineLimit(1),
					foregroundStyle(color),
					frame({ maxWidth: WHOLE_WIDTH, minHeight: 32 }),
					background(`${color}2E`, shapes.capsule()),
				]}
			>
				{button.title}
			</Text>
		</Link>
	);
}

type ActionName = 'action' | 'secondary_action';
const ACTIONS: readonly ActionName[] = ['action', 'secondary_action'];

const openActions = (state: Props) => ACTIONS.filter((name) => state[name] && !state[name].closed);

/** True if buttons or an answer take some of the height that iOS allows. */
export const isCrowded = (state: Props) =>
	state.answer !== undefined || openActions(state).length > 0;

/** The open buttons, or the answer that closed them. */
export function Answering({ state, scheme }: { state: Props; scheme: Scheme }): ReactNode {
	const open = openActions(state);
	const { answer } = state;
	if (!isCrowded(state)) return null;
	return (
		<VStack spacing={6} alignment="leading">
			{answer ? (
				<Words lines={open.length > 0 ? 1 : 2} size={13} style={SECONDARY}>
					{[answerWords(answer), answer.message].filter(Boolean).join(' · ')}
				</Words>
			) : null}
			{open.length > 0 ? (
				<HStack spacing={8}>
					{open.map((name) => (
						<ActionLink key={name} state={state} name={name} scheme={scheme} />
					))}
				</HStack>
			) : null}
		</VStack>
	);
}
