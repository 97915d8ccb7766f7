import { Capsule, HStack, Image, Link, Text, VStack } from '@expo/ui/swift-ui';
import {
	background,
	font,
	foregroundStyle,
	frame,
	lineLimit,
	minimumScaleFactor,
	padding,
	shapes,
} from '@expo/ui/swift-ui/modifiers';
import type { ReactNode } from 'react';
import { answerWords } from '../../server/src/contract/answer-words.ts';
import { isShownWhole } from '../../server/src/contract/categories.ts';
import type { Answer, Button, ShownState } from '../../server/src/contract/shown.ts';
import { colorOf } from './colors.ts';

/** A content state with what the server adds to it for this app. */
export type Props = ShownState & {
	activity_id: string;
	stream_key: string | null;
	started_at: string;
	/** Sent with a tap, which cannot mean buttons that arrived later. */
	updated_at: string;
	/** Without it in the link, a button could be tapped by any other app or page. */
	link_key: string;
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
const WHOLE_WIDTH = 10_000;

const APP_SYMBOL = 'bell.badge.fill';

export function Icon({ state, scheme, size }: { state: Props; scheme: Scheme; size: number }) {
	const symbol = (state.icon?.symbol ?? APP_SYMBOL) as never;
	const color = colorOf(scheme, state.icon?.color, state.color);
	return <Image systemName={symbol} size={size} color={color} />;
}

export type Modifier = ReturnType<typeof font>;

interface WordsProps {
	text: string | undefined;
	lines?: number;
	size?: number;
	weight?: 'regular' | 'semibold' | 'bold';
	more?: Modifier[];
}

/** A text of at most so many lines. An empty one draws nothing. */
export function Words({ text, lines = 1, size = 15, weight = 'regular', more = [] }: WordsProps) {
	if (!text) return null;
	return <Text modifiers={[font({ size, weight }), lineLimit(lines), ...more]}>{text}</Text>;
}

/** A text that matters less. An empty one draws nothing. */
export const Note = (words: WordsProps) => (
	<Words size={12} more={[foregroundStyle(SECONDARY)]} {...words} />
);

/** The looks of a number, which shrinks before it is cut off. */
export const figure = (size: number, weight: WordsProps['weight'] = 'bold'): Modifier[] => [
	font({ size, weight, design: 'rounded' }),
	lineLimit(1),
	minimumScaleFactor(0.5),
];

/** A text on a capsule of its color. */
function Pill({ text, size, color, room }: PillProps) {
	const looks = [foregroundStyle(color), room, background(`${color}2E`, shapes.capsule())];
	return <Words text={text} size={size} weight="semibold" more={looks} />;
}

interface PillProps {
	text: string;
	size: number;
	color: string;
	/** Between the text and the capsule's edge. */
	room: Modifier;
}

export function Badge({ state, scheme }: { state: Props; scheme: Scheme }) {
	const badge = 'badge' in state ? state.badge : undefined;
	if (!badge) return null;
	const color = colorOf(scheme, badge.color, state.color);
	const room = padding({ horizontal: 7, vertical: 2 });
	return <Pill text={badge.title} size={12} color={color} room={room} />;
}

const EMPTY = '#8E8E9355';

/** A bar of equal parts; those without a color are empty. */
export function Segments({ colors }: { colors: ReadonlyArray<string | undefined> }) {
	return (
		<HStack spacing={3}>
			{colors.map((color = EMPTY, index) => (
				<Capsule key={index} modifiers={[frame({ height: 6 }), foregroundStyle(color)]} />
			))}
		</HStack>
	);
}

/** A button as a link: the app reports the tap and shows the outcome, even if the tap has to start it. */
function ActionLink({ state, name, color }: { state: Props; name: ActionName; color: string }) {
	const room = frame({ maxWidth: WHOLE_WIDTH, minHeight: 32 });
	return (
		<Link
			destination={`beckon://tap/${state.activity_id}/${name}/${state.updated_at}/${state.link_key}`}
		>
			<Pill text={state[name]?.title ?? ''} size={15} color={color} room={room} />
		</Link>
	);
}

type ActionName = 'action' | 'secondary_action';
const ACTIONS: readonly ActionName[] = ['action', 'secondary_action'];

const openActions = (state: Props) => ACTIONS.filter((name) => state[name] && !state[name].closed);

/** True if buttons or an answer take some of the height that iOS allows. */
export const isCrowded = (state: Props) =>
	state.answer !== undefined || openActions(state).length > 0;

/** True for an alert as short as a question with choices must be: it is shown in full, even beside buttons. */
export const isBrief = (state: Props) =>
	state.type === 'alert' && isShownWhole(state.title, state.subtitle, state.message);

/** The open buttons, or the answer that closed them. */
export function Answering({ state, scheme }: { state: Props; scheme: Scheme }): ReactNode {
	if (!isCrowded(state)) return null;
	const open = openActions(state);
	const { answer } = state;
	const told = answer && [answerWords(answer), answer.message].filter(Boolean).join(' · ');
	const color = colorOf(scheme, state.color);
	return (
		<VStack spacing={6} alignment="leading">
			<Note text={told} lines={open.length > 0 ? 1 : 2} size={13} />
			{open.length > 0 ? (
				<HStack spacing={8}>
					{open.map((name) => (
						<ActionLink key={name} state={state} name={name} color={color} />
					))}
				</HStack>
			) : null}
		</VStack>
	);
}
