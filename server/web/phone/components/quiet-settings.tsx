import { useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import {
	INTERRUPTION_LEVELS,
	type InterruptionLevel,
	WEEKDAYS,
} from '../../../src/contract/values.ts';
import type { QuietHours } from '../../../src/contract/quiet.ts';
import type { QuietState } from '../hooks/use-quiet.ts';
import { useKeptFocus } from '../hooks/use-kept-focus.ts';
import { clockTime } from '../../device/times.ts';
import { PanelError } from './panel-error.tsx';
import { Switch } from './switch.tsx';

const NIGHT: QuietHours = { from: '22:00', to: '07:00', days: [...WEEKDAYS] };

/** Which messages notify from each level on. */
export const LEVELS: Record<InterruptionLevel, string> = {
	passive: 'Everything',
	active: 'Active and above',
	'time-sensitive': 'Time Sensitive and above',
	critical: 'Critical only',
};

/** Quiet hours, mute and minimum level of this phone. */
export function QuietSettings({ quiet, error, change, mute }: QuietState) {
	const levelId = useId();
	const muteRow = useRef<HTMLDivElement>(null);
	useKeptFocus(muteRow, quiet && quiet.muted_until !== null);
	if (quiet === undefined) return null;
	const { hours, minimum_level: level, questions, muted_until: mutedUntil } = quiet;
	return (
		<section className="panel-part" aria-label="Quiet">
			<h3>Quiet</h3>
			{mutedUntil === null ? (
				<div className="panel-row" ref={muteRow}>
					<button type="button" className="panel-button" onClick={() => mute('hour')}>
						Mute for 1 hour
					</button>
					<button type="button" className="panel-button" onClick={() => mute('morning')}>
						Mute until morning
					</button>
				</div>
			) : (
				<div className="panel-row" ref={muteRow}>
					<p role="status">Muted until {clockTime(Date.parse(mutedUntil))}</p>
					<button type="button" className="panel-button" onClick={() => mute(null)}>
						Unmute
					</button>
				</div>
			)}
			<Switch
				label="Quiet hours"
				isOn={hours !== null}
				onChange={(isOn) => change({ hours: isOn ? NIGHT : null })}
			/>
			{hours && <Hours hours={hours} onChange={(changed) => change({ hours: changed })} />}
			<label className="panel-field" htmlFor={levelId}>
				<span>Notify me about</span>
				<select
					id={levelId}
					value={level}
					onChange={({ target }) => {
						const chosen = INTERRUPTION_LEVELS.find((one) => one === target.value);
						if (chosen) change({ minimum_level: chosen });
					}}
				>
					{INTERRUPTION_LEVELS.map((one) => (
						<option key={one} value={one}>
							{LEVELS[one]}
						</option>
					))}
				</select>
			</label>
			<Switch
				label="Let questions through"
				isOn={questions}
				onChange={(isOn) => change({ questions: isOn })}
			/>
			<p className="panel-note">
				Held-back notifications appear here silently; one summary follows when the quiet time ends.
				Critical notifications always come through.
			</p>
			<PanelError words={error} />
		</section>
	);
}

function Hours({ hours, onChange }: { hours: QuietHours; onChange: (hours: QuietHours) => void }) {
	const { days } = hours;
	// While it is edited, a time may be empty or equal to the other.
	const set = (changed: Partial<QuietHours>) => {
		const next = { ...hours, ...changed };
		if (next.from !== '' && next.to !== '' && next.from !== next.to && next.days.length > 0)
			onChange(next);
	};
	return (
		<fieldset className="quiet-hours">
			<legend className="visually-hidden">Quiet hours</legend>
			<div className="quiet-times">
				<TimeField label="From" value={hours.from} onChange={(from) => set({ from })} />
				<TimeField label="To" value={hours.to} onChange={(to) => set({ to })} />
			</div>
			<div className="quiet-days">
				{WEEKDAYS.map((day, index) => {
					const isOn = days.includes(day);
					return (
						<button
							key={day}
							type="button"
							className="quiet-day"
							aria-pressed={isOn}
							aria-label={dayName(index, 'long')}
							disabled={isOn && days.length === 1}
							onClick={() =>
								set({ days: WEEKDAYS.filter((one) => days.includes(one) !== (one === day)) })
							}
						>
							{dayName(index, 'narrow')}
						</button>
					);
				})}
			</div>
		</fieldset>
	);
}

/** @param index 0 is Monday */
function dayName(index: number, weekday: 'long' | 'narrow'): string {
	// 1 January 2024 was a Monday.
	return new Date(2024, 0, 1 + index).toLocaleDateString([], { weekday });
}

interface TimeFieldProps {
	label: string;
	value: string;
	onChange: (value: string) => void;
}

/** Milliseconds without typing after which a time counts as typed. */
const TYPED_AFTER_MS = 800;

/** Stored once the person has stopped typing: every digit makes a valid time. */
function TimeField({ label, value, onChange }: TimeFieldProps) {
	/** Undefined unless the person is typing. */
	const [typed, setTyped] = useState<string>();
	const done = () => {
		if (typed !== undefined && typed !== value) onChange(typed);
		setTyped(undefined);
	};
	const onPause = useEffectEvent(done);
	useEffect(() => {
		if (typed === undefined) return undefined;
		const timer = setTimeout(() => onPause(), TYPED_AFTER_MS);
		return () => clearTimeout(timer);
	}, [typed]);
	return (
		<label className="panel-field">
			<span>{label}</span>
			<input
				type="time"
				required
				value={typed ?? value}
				onChange={({ target }) => setTyped(target.value)}
				onBlur={done}
			/>
		</label>
	);
}
