import { HStack, Spacer, VStack } from '@expo/ui/swift-ui';
import { opacity, padding } from '@expo/ui/swift-ui/modifiers';
import type { LiveActivityEnvironment, LiveActivityLayout } from 'expo-widgets';
import { activityWords } from '../../server/web/device/activity-words.ts';
import { bodyOf, headlineOf, type View } from './bodies.tsx';
import { Answering, Badge, Icon, isBrief, isCrowded, Note, type Props, Words } from './parts.tsx';

function Titles({ view, lines }: { view: View; lines: number }) {
	const { state, scheme, isEnded, isStale } = view;
	const status = isEnded ? 'Ended' : isStale ? 'Not up to date' : undefined;
	// A question's text is shown in full beside its choices.
	const room = isBrief(state) && isCrowded(state) ? { lines: 3 } : {};
	const hasMore = status || state.subtitle || ('badge' in state && state.badge);
	return (
		<VStack spacing={1} alignment="leading">
			<Words text={state.title} weight="semibold" lines={lines} {...room} />
			{hasMore ? (
				<HStack spacing={6}>
					<Words text={status} size={13} weight="semibold" />
					<Badge state={state} scheme={scheme} />
					<Note text={state.subtitle} size={13} {...room} />
				</HStack>
			) : null}
		</VStack>
	);
}

function Banner({ view }: { view: View }) {
	const { state, scheme, isEnded, isStale } = view;
	return (
		<VStack
			spacing={8}
			alignment="leading"
			modifiers={[padding({ all: 14 }), opacity(isEnded || isStale ? 0.7 : 1)]}
		>
			<HStack spacing={10}>
				<Icon state={state} scheme={scheme} size={24} />
				<Titles view={view} lines={1} />
				<Spacer />
				{headlineOf(view, 26)}
			</HStack>
			{bodyOf(view)}
			<Answering state={state} scheme={scheme} />
		</VStack>
	);
}

/** On a watch, and in a car. */
function Small({ view }: { view: View }) {
	const { state, scheme } = view;
	const activity = { ...state, content_state: state, updated_at: '', dismiss_at: null };
	return (
		<VStack spacing={3} alignment="leading" modifiers={[padding({ all: 8 })]}>
			<HStack spacing={6}>
				<Icon state={state} scheme={scheme} size={15} />
				<Words text={state.title} size={14} weight="semibold" />
			</HStack>
			{headlineOf(view, 22) ?? (
				<Words text={activityWords(activity, Date.now())} size={13} lines={2} />
			)}
		</VStack>
	);
}

/** True for an ended activity: the server has closed its buttons, and set the time when it leaves. */
const isEndedState = (state: Props & { dismiss_at?: string | null }) => Boolean(state.dismiss_at);

function draw(state: Props, environment: LiveActivityEnvironment): LiveActivityLayout {
	if (!state.title) throw new Error('The push has no state');
	const { colorScheme = 'light', isStale = false } = environment;
	const view = { state, scheme: colorScheme, isEnded: isEndedState(state), isStale };
	// The Dynamic Island is black.
	const onBlack: View = { ...view, scheme: 'dark' };
	const icon = <Icon state={state} scheme="dark" size={17} />;
	const headline = headlineOf(onBlack, 15);
	return {
		banner: <Banner view={view} />,
		bannerSmall: <Small view={view} />,
		compactLeading: icon,
		compactTrailing: headline ?? <Words text={state.title} size={13} />,
		minimal: icon,
		expandedLeading: <Icon state={state} scheme="dark" size={24} />,
		expandedCenter: <Titles view={onBlack} lines={2} />,
		expandedTrailing: headlineOf(onBlack, 22),
		expandedBottom: (
			<VStack spacing={8} alignment="leading">
				{bodyOf(onBlack)}
				<Answering state={state} scheme="dark" />
			</VStack>
		),
	};
}

/** Draws a Live Activity. After an error, iOS would show nothing at all, so the title is drawn instead. */
export default function activity(
	state: Props,
	environment: LiveActivityEnvironment,
): LiveActivityLayout {
	try {
		return draw(state, environment);
	} catch {
		return { banner: <Words text={state.title ?? 'Beckon'} weight="semibold" /> };
	}
}
