import { useEffect, useState } from 'react';
import type { TapResponse } from '../../../src/contract/device.ts';
import type { Button } from '../../../src/contract/shown.ts';
import { tapText } from '../answers.ts';
import { DeviceError } from '../device-client.ts';
import { safeLink } from '../safe-url.ts';
import { Glyph } from '../symbols/symbol.tsx';

type TapState =
	{ kind: 'pending' } | { kind: Exclude<TapResponse['outcome'], 'open'>; message: string };

interface ActionButtonsProps {
	buttons: Button[];
	/** Title of the card, to tell its buttons from others with the same title. */
	of: string;
	/** Reports the tap on the button at `index` to the server, which calls a webhook. */
	onTap: (index: number) => Promise<TapResponse>;
}

const RESULT_SHOWN_FOR = 6_000;

/** The buttons of a notification or Live Activity, with the result of the last tap. */
export function ActionButtons({ buttons, of, onTap }: ActionButtonsProps) {
	const [last, setLast] = useState<{ index: number; state: TapState }>();
	const isSettled = last !== undefined && last.state.kind !== 'pending';

	useEffect(() => {
		if (!isSettled) return undefined;
		const timer = setTimeout(() => setLast(undefined), RESULT_SHOWN_FOR);
		return () => clearTimeout(timer);
	}, [isSettled, last]);

	const call = async (index: number) => {
		setLast({ index, state: { kind: 'pending' } });
		const state = await toTapState(onTap(index));
		// Another button may have been tapped meanwhile; then its state is shown instead.
		setLast((current) => (current?.index === index ? { index, state } : current));
	};
	const report = (index: number) => {
		// The page has opened; a failed report to the server need not bother the person.
		onTap(index).catch(() => undefined);
	};

	return (
		<div className="actions">
			<div className="action-row" data-count={buttons.length}>
				{buttons.map((button, index) =>
					button.type === 'open_url' ? (
						<LinkButton key={index} button={button} of={of} onOpen={() => report(index)} />
					) : (
						<CallButton
							key={index}
							title={button.title}
							of={of}
							isClosed={button.closed === true}
							state={last?.index === index ? last.state : undefined}
							onTap={() => void call(index)}
						/>
					),
				)}
			</div>
			<p className="action-result" role="status" data-kind={last?.state.kind}>
				{last !== undefined && last.state.kind !== 'pending' && last.state.message}
			</p>
		</div>
	);
}

async function toTapState(tap: Promise<TapResponse>): Promise<TapState> {
	try {
		const response = await tap;
		const { outcome } = response;
		return {
			kind: outcome === 'open' ? 'called' : outcome,
			message: tapText(response, Date.now()),
		};
	} catch (error) {
		const message = error instanceof DeviceError ? error.message : 'The tap could not be reported.';
		return { kind: 'failed', message };
	}
}

/** A real link: it opens within the click itself, so no pop-up blocker interferes. */
function LinkButton({ button, of, onOpen }: { button: Button; of: string; onOpen: () => void }) {
	const name = `${button.title}: ${of}`;
	const link = safeLink(button.url);
	if (link === undefined) {
		return (
			<button
				type="button"
				className="action"
				aria-label={name}
				disabled
				title="This link is not allowed on the phone"
			>
				<span className="action-title" dir="auto">
					{button.title}
				</span>
			</button>
		);
	}
	return (
		<a
			className="action"
			aria-label={name}
			href={link.href}
			target={link.isWeb ? '_blank' : undefined}
			rel="noopener noreferrer"
			onClick={onOpen}
		>
			<span className="action-title" dir="auto">
				{button.title}
			</span>
		</a>
	);
}

interface CallButtonProps {
	title: string;
	of: string;
	isClosed: boolean;
	state: TapState | undefined;
	onTap: () => void;
}

function CallButton({ title, of, isClosed, state, onTap }: CallButtonProps) {
	const isPending = state?.kind === 'pending';
	return (
		<button
			type="button"
			className="action"
			aria-label={`${title}: ${of}`}
			data-state={state?.kind}
			disabled={isClosed}
			aria-busy={isPending}
			aria-disabled={isPending}
			onClick={isPending ? undefined : onTap}
		>
			{isPending && <span className="spinner" />}
			{state?.kind === 'called' && <Glyph name="check" />}
			{(state?.kind === 'failed' || state?.kind === 'refused') && <Glyph name="warning" />}
			{state?.kind === 'unclear' && <Glyph name="question" />}
			<span className="action-title" dir="auto">
				{title}
			</span>
		</button>
	);
}
