import type { Channel } from '../hooks/use-channels.ts';
import type { HistoryFilter } from '../hooks/use-history.ts';

const LEVELS: Record<string, string> = {
	'': 'Any level',
	passive: 'Passive',
	active: 'Active',
	'time-sensitive': 'Time Sensitive',
	critical: 'Critical',
};

interface HistoryFiltersProps {
	channels: readonly Channel[];
	filter: HistoryFilter;
	onChange: (changes: Partial<HistoryFilter>) => void;
}

/** Channel, tag and level of the entries in the history. */
export function HistoryFilters({ channels, filter, onChange }: HistoryFiltersProps) {
	return (
		<div className="history-filters">
			{channels.length > 0 && (
				<label>
					<span className="visually-hidden">Channel</span>
					<select
						value={filter.channel}
						onChange={({ target }) => onChange({ channel: target.value })}
					>
						<option value="">Any channel</option>
						{channels.map(({ slug, name }) => (
							<option key={slug} value={slug}>
								{name}
							</option>
						))}
					</select>
				</label>
			)}
			<label>
				<span className="visually-hidden">Level</span>
				<select value={filter.level} onChange={({ target }) => onChange({ level: target.value })}>
					{Object.entries(LEVELS).map(([level, words]) => (
						<option key={level} value={level}>
							{words}
						</option>
					))}
				</select>
			</label>
			<label>
				<span className="visually-hidden">Tag</span>
				<input
					type="text"
					placeholder="Tag"
					value={filter.tag}
					maxLength={64}
					autoCapitalize="none"
					autoComplete="off"
					spellCheck={false}
					onChange={({ target }) => onChange({ tag: target.value.trim().toLowerCase() })}
				/>
			</label>
		</div>
	);
}
