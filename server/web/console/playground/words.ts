/** Plain labels for fields whose names say too little. By path, or by the end of it. */
const LABELS: Record<string, string> = {
	redirection: 'Tap opens',
	media: 'Media URL',
	actions: 'Buttons',
	action: 'Button',
	secondary_action: 'Second button',
	'actions.title': 'Label',
	'action.title': 'Label',
	'secondary_action.title': 'Label',
	'action.type': 'When tapped',
	'actions.type': 'When tapped',
	'secondary_action.type': 'When tapped',
	url: 'URL',
	'alert.title': 'Alert title',
	'alert.body': 'Alert text',
	'target.channels': 'Channels',
	'icon.symbol': 'Icon',
	'icon.color': 'Icon color',
	'badge.title': 'Badge',
	'badge.color': 'Badge color',
	'choices.id': 'Answer as',
	'choices.title': 'Label',
	'choices.destructive': 'Shown in red',
	answerable_by: 'Who may answer',
	'text.placeholder': 'Text field, while empty',
	'text.multiline': 'Text field of several lines',
	'text.max_length': 'Most characters of the text',
	'link.title': 'Label of the form',
	'link.url': 'URL of the form',
	'deadline.after_seconds': 'Seconds to answer',
	'deadline.at': 'Deadline',
	'deadline.choice': 'Answer at the deadline',
	'remind.every_minutes': 'Minutes between reminders',
	'remind.times': 'Most reminders',
	'escalate.after_minutes': 'Minutes until it escalates',
	'escalate.target.channels': 'Escalate to channels',
	'callback.url': 'Callback URL',
	'live_activity.stream_key': 'Stream key of its Live Activity',
	'live_activity.keep': 'Keep the Live Activity',
	duration_seconds: 'Duration in seconds',
	timestamp: 'Measured at',
	activity_id: 'Activity ID',
	auto_dismiss_minutes: 'Minutes until it leaves the lock screen',
	auto_dismiss_seconds: 'Seconds until it leaves the lock screen',
};

/** Values of choices whose names say too little. */
const OPTIONS: Record<string, string> = {
	'time-sensitive': 'Time Sensitive',
	open_url: 'Open a link',
	webhook: 'Call a webhook',
	true: 'Yes',
	false: 'No',
};

/** Hints in the console's words, where the API's own are about keys. */
export const HINTS: Record<string, string> = {
	channels: 'Sends to the phones in these channels only. Empty: to every phone.',
	'target.channels': 'Sends to the phones in these channels only. Empty: to every phone.',
};

/** These fields come first, in this order; the rest keep the contract's order. */
const FIRST_IN_FORM = [
	'activity_id',
	'type',
	'title',
	'message',
	'choices',
	'subtitle',
	'number_of_steps',
	'current_step',
	'percentage',
	'metrics',
	'duration_seconds',
	'value',
	'color',
	'icon.symbol',
	'interruption_level',
	'actions',
	'action',
	'secondary_action',
	'repeat.every_minutes',
	'repeat.times',
	'answerable_by',
	'deadline.after_seconds',
	'channels',
	'target.channels',
	'tags',
];

const LAST_IN_FORM = ['metadata'];

export function endsWith(path: string, name: string): boolean {
	return path === name || path.endsWith(`.${name}`);
}

/** The field's label in the form. */
export function toLabel(path: string): string {
	const name = Object.keys(LABELS)
		.filter((one) => endsWith(path, one))
		.sort((a, b) => b.length - a.length)[0];
	if (name !== undefined) return LABELS[name] as string;
	const words = (path.split('.').at(-1) ?? path).replaceAll('_', ' ');
	return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A choice in words: "Segmented progress" for `segmented_progress`. */
export function toOption(value: string): string {
	return OPTIONS[value] ?? (value.charAt(0).toUpperCase() + value.slice(1)).replaceAll('_', ' ');
}

/** The field's rank in the form: the order in which people fill it in. */
export function toRank(path: string): number {
	const at = FIRST_IN_FORM.indexOf(path.replace(/^(content_state|push)\./, ''));
	if (at !== -1) return at;
	return LAST_IN_FORM.includes(path) ? FIRST_IN_FORM.length + 1 : FIRST_IN_FORM.length;
}
