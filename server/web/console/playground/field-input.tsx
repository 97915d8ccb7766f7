import {
	ActionIcon,
	Autocomplete,
	Button,
	Checkbox,
	Fieldset,
	Group,
	MultiSelect,
	NumberInput,
	Select,
	Stack,
	TagsInput,
	Text,
	Textarea,
	TextInput,
} from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { manyChoices, typed } from '../components/fields.tsx';
import type { RequestIssue } from '../../../src/contract/issues.ts';
import { ICONS, renderOption, Sample } from './option.tsx';
import { endsWith, toOption } from './words.ts';
import { type Field, isShown, type Values } from './fields.ts';

interface FieldInputProps {
	field: Field;
	value: unknown;
	onChange: (value: unknown) => void;
	/** Existing values for the fields that name something: channels and Live Activities. */
	known: Record<string, string[] | undefined>;
	issues: readonly RequestIssue[];
}

/** The preset recipients of a form: the visitor's own phones. No slug has spaces. */
export const ONLY_MINE = 'Only my phone';

/** Suggested names that begin as typed. */
const MAX_CHOICES = 50;

/** Hints go below, so that inputs on the same line align. */
const ORDER = {
	inputWrapperOrder: ['label', 'input', 'description', 'error'] as Array<
		'label' | 'input' | 'description' | 'error'
	>,
};

/** The input of one field of a request. */
export function FieldInput(props: FieldInputProps) {
	const { field, value, onChange, known, issues } = props;
	const error = issues.map(({ message }) => `${field.label} ${message}.`).join(' ');
	const common = { ...ORDER, label: field.label, description: field.hint, error };
	const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
	const choices = endsWith(field.path, 'icon.symbol') ? ICONS : known[field.path];
	switch (field.kind) {
		case 'area':
		case 'json':
			return (
				<Textarea
					{...common}
					autosize={false}
					rows={field.kind === 'json' ? 3 : 2}
					{...typed(text, onChange)}
				/>
			);
		case 'number':
			return (
				<NumberInput
					{...common}
					value={text}
					onChange={onChange}
					allowDecimal
					hideControls={false}
				/>
			);
		case 'boolean':
		case 'select':
			return (
				<Select
					{...common}
					data={(field.kind === 'boolean' ? ['true', 'false'] : field.options).map((option) => ({
						value: option,
						label: toOption(option),
					}))}
					renderOption={renderOption}
					leftSection={endsWith(field.path, 'color') && text !== '' && <Sample value={text} />}
					value={text === '' ? null : text}
					clearable
					clearButtonProps={{ 'aria-label': `No ${field.label.toLowerCase()}` }}
					onChange={onChange}
				/>
			);
		case 'list':
			return (
				<TagsInput
					{...common}
					data={[...field.options]}
					renderOption={renderOption}
					allowDuplicates
					value={listIn(value)}
					onChange={onChange}
				/>
			);
		case 'tags':
			return <Tags {...props} error={error} />;
		case 'channels':
			return (
				<MultiSelect
					{...common}
					{...manyChoices(known['Channels']?.length ?? 0)}
					data={known[field.path] ?? known['Channels'] ?? []}
					value={listIn(value ?? (known[field.path] && [ONLY_MINE]))}
					onChange={(list) =>
						onChange(
							list.at(-1) === ONLY_MINE ? undefined : list.filter((slug) => slug !== ONLY_MINE),
						)
					}
				/>
			);
		case 'rows':
			return <Rows {...props} />;
		default:
			return choices ? (
				<Autocomplete
					{...common}
					data={choices}
					limit={MAX_CHOICES}
					{...(choices === ICONS && { renderOption })}
					leftSection={ICONS.includes(text) && <Sample value={text} />}
					value={text}
					onChange={onChange}
				/>
			) : (
				<TextInput {...common} {...typed(text, onChange)} />
			);
	}
}

function listIn(value: unknown): string[] {
	return (value as string[] | undefined) ?? [];
}

/** If tags may already be set, clearing them is not the same as leaving them. */
function Tags({ field, value, onChange, error }: FieldInputProps & { error: string }) {
	const list = listIn(value);
	const isCleared = value !== undefined && list.length === 0;
	return (
		<div>
			<TagsInput
				{...ORDER}
				label={field.label}
				description={field.hint}
				error={error}
				value={list}
				disabled={isCleared}
				onChange={(tags) => onChange(tags.length > 0 ? tags : undefined)}
			/>
			{field.canClear && (
				<Checkbox
					mt="xs"
					size="xs"
					label="Clear the tags"
					checked={isCleared}
					onChange={(event) => onChange(event.currentTarget.checked ? [] : undefined)}
				/>
			)}
		</div>
	);
}

function Rows({ field, value, onChange, known, issues }: FieldInputProps) {
	const rows = (value as Values[] | undefined) ?? [];
	const ofAll = issues.filter(({ path }) => !/[a-z]/.test(path));
	const chooser = field.columns.find(({ of }) => of)?.of?.path;
	const first: Values = Object.fromEntries(
		field.columns
			.filter(({ path }) => path === chooser)
			.map(({ path, options }) => [path, options[0]]),
	);
	return (
		<Fieldset legend={field.label} className="field-wide">
			{field.hint !== undefined && (
				<Text size="xs" c="dimmed" mb="xs">
					{field.hint}
				</Text>
			)}
			<Stack gap="xs">
				{ofAll.map(({ message }) => (
					<Text key={message} size="xs" className="bad">
						{field.label} {message}.
					</Text>
				))}
				{rows.map((row, index) => (
					<Group key={index} gap="xs" align="flex-end" className="row">
						{field.columns
							.filter((column) => isShown(column, row))
							.map((column) => (
								<div className="grow" key={column.path}>
									<FieldInput
										field={{ ...column, hint: undefined }}
										value={row[column.path]}
										known={known}
										issues={issues.filter(({ path }) =>
											[`[${index}].${column.path}`, `.${column.path}`].includes(path),
										)}
										onChange={(entered) =>
											onChange(rows.with(index, { ...row, [column.path]: entered }))
										}
									/>
								</div>
							))}
						<ActionIcon
							variant="subtle"
							color="red"
							size="lg"
							aria-label={`Remove ${field.label.toLowerCase()} ${index + 1}`}
							onClick={() => onChange(rows.filter((_, at) => at !== index))}
						>
							<IconTrash size={18} />
						</ActionIcon>
					</Group>
				))}
				{rows.length < field.most && (
					<Button
						variant="light"
						size="compact-sm"
						leftSection={<IconPlus size={14} />}
						onClick={() => onChange([...rows, first])}
					>
						Add
						<span className="visually-hidden"> {field.label.toLowerCase()}</span>
					</Button>
				)}
			</Stack>
		</Fieldset>
	);
}
