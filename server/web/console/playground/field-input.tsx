import {
	ActionIcon,
	Button,
	Fieldset,
	Group,
	MultiSelect,
	NumberInput,
	Select,
	Stack,
	TagsInput,
	Textarea,
	TextInput,
} from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { Field, Values } from './fields.ts';

interface FieldInputProps {
	field: Field;
	value: unknown;
	onChange: (value: unknown) => void;
	/** Slugs that there are. */
	channels: string[];
}

/** The input of one field of a request. */
export function FieldInput({ field, value, onChange, channels }: FieldInputProps) {
	const common = { label: field.label, description: field.hint };
	const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
	switch (field.kind) {
		case 'area':
		case 'json':
			return (
				<Textarea
					{...common}
					autosize={false}
					rows={field.kind === 'json' ? 3 : 2}
					value={text}
					onChange={(event) => onChange(event.currentTarget.value)}
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
		case 'select':
			return (
				<Select
					{...common}
					data={[...(field.options ?? [])]}
					value={text === '' ? null : text}
					clearable
					clearButtonProps={{ 'aria-label': `No ${field.label.toLowerCase()}` }}
					onChange={onChange}
				/>
			);
		case 'tags':
			return (
				<TagsInput {...common} value={(value as string[] | undefined) ?? []} onChange={onChange} />
			);
		case 'channels':
			return (
				<MultiSelect
					{...common}
					data={channels}
					value={(value as string[] | undefined) ?? []}
					onChange={onChange}
				/>
			);
		case 'rows':
			return (
				<Rows
					field={field}
					rows={(value as Values[] | undefined) ?? []}
					onChange={onChange}
					channels={channels}
				/>
			);
		default:
			return (
				<TextInput
					{...common}
					value={text}
					onChange={(event) => onChange(event.currentTarget.value)}
				/>
			);
	}
}

interface RowsProps {
	field: Field;
	rows: Values[];
	onChange: (rows: Values[]) => void;
	channels: string[];
}

function Rows({ field, rows, onChange, channels }: RowsProps) {
	const columns = field.columns ?? [];
	const first: Values = Object.fromEntries(
		columns.filter(({ options }) => options).map(({ path, options }) => [path, options?.[0]]),
	);
	return (
		<Fieldset legend={field.label} className="field-wide">
			<Stack gap="xs">
				{rows.map((row, index) => (
					<Group key={index} gap="xs" align="flex-end" className="row">
						{columns.map((column) => (
							<div className="grow" key={column.path}>
								<FieldInput
									field={column}
									value={row[column.path]}
									channels={channels}
									onChange={(value) =>
										onChange(
											rows.map((one, at) =>
												at === index ? { ...one, [column.path]: value } : one,
											),
										)
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
				{rows.length < (field.most ?? 8) && (
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
