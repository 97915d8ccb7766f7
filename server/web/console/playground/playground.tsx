import {
	Alert,
	Button,
	Code,
	FileInput,
	Group,
	Paper,
	Select,
	Stack,
	TextInput,
} from '@mantine/core';
import { IconCheck, IconSend } from '@tabler/icons-react';
import { type SyntheticEvent, useState } from 'react';
import { call } from '../api.ts';
import { CopyAs } from '../components/copy.tsx';
import { Page, Problem } from '../components/page.tsx';
import { useAction } from '../hooks/use-action.ts';
import { useAddressValue } from '../hooks/use-address.ts';
import { useSetting } from '../hooks/use-data.ts';
import { useSession } from '../session.tsx';
import { toCurl, toNode } from './copies.ts';
import { FieldInput } from './field-input.tsx';
import { type Field, isShown, type Values } from './fields.ts';
import { Preview } from './preview.tsx';
import { REQUESTS, toBody, type RequestName } from './requests.ts';
import { useFields } from './use-fields.ts';
import { endsWith } from './words.ts';
import { usePreview } from './use-preview.ts';

type Forms = Record<RequestName, Values>;

const EXAMPLES = Object.fromEntries(REQUESTS.map(({ name, example }) => [name, example])) as Forms;

/** Number of fields shown at first; the others are behind a button. */
const FIELDS_AT_FIRST = 8;

export function Playground() {
	const { origin } = useSession();
	const { data: channels } = useSetting('GET /channel-names');
	const [chosen, setChosen] = useAddressValue('request');
	const [forms, setForms] = useState(EXAMPLES);
	const [keys, setKeys] = useState<Partial<Record<RequestName, string>>>({});
	const form = REQUESTS.find((one) => one.name === chosen) ?? REQUESTS[0];
	const { name } = form;
	const values = forms[name];
	const key = keys[name] ?? form.key?.example ?? '';
	const { fields, error } = useFields(form);
	const body = toBody(form, fields, values);
	const request = { request: name, ...(form.key && { key }), body };
	const preview = usePreview(fields.length > 0 ? request : undefined);
	const node = toNode(form, key, body, preview.shown?.activity?.content_state.type);
	// A new form shows no error: it only lacks what the person must enter.
	const isUntouched =
		preview.problem !== undefined && values === form.example && key === (form.key?.example ?? '');
	const send = useAction(() => call('POST /playground/send', request));
	const [answer, setAnswer] = useState<object>();

	const setValue = (path: string, value: unknown) =>
		setForms((all) => ({ ...all, [name]: { ...all[name], [path]: value } }));

	const store = useAction((file: File) => call('POST /playground/image', file));
	const [picture, setPicture] = useState<{ file: File; url: string }>();
	const mediaPath = fields.find(({ path }) => endsWith(path, 'media'))?.path;
	const changePicture = async (path: string, file: File | null) => {
		send.reset();
		store.reset();
		const stored = file ? await store.run(file) : undefined;
		// Refused: an earlier picture stays.
		if (file && !stored) return;
		setPicture(file && stored ? { file, url: stored.url } : undefined);
		setValue(path, stored?.url);
	};

	const choose = (request: RequestName) => {
		setChosen(request);
		setAnswer(undefined);
		send.reset();
		store.reset();
	};
	const submit = async (event: SyntheticEvent) => {
		event.preventDefault();
		setAnswer(undefined);
		store.reset();
		const answered = await send.run();
		setAnswer(answered);
		const { repeat_id: repeatId, activity_id: id } = answered ?? {};
		if (repeatId !== undefined) setKeys((all) => ({ ...all, repeated_stop: repeatId }));
		if (name !== 'start' || id === undefined) return;
		setForms((all) => ({
			...all,
			update: { ...all.update, activity_id: id },
			end: { ...all.end, activity_id: id },
		}));
	};

	return (
		<Page
			title="Playground"
			about="Build a request, preview it, send it, or copy it into a workflow."
			error={error}
		>
			<div className="playground">
				<Paper
					withBorder
					p="md"
					component="form"
					noValidate
					onSubmit={(event) => void submit(event)}
				>
					<Stack>
						<Select
							label="Request"
							data={REQUESTS.map((one) => ({ value: one.name, label: one.label }))}
							value={name}
							allowDeselect={false}
							onChange={(value) => {
								const request = REQUESTS.find((one) => one.name === value);
								if (request) choose(request.name);
							}}
						/>
						{form.key && (
							<TextInput
								label={form.key.label}
								value={key}
								onChange={(event) => setKeys({ ...keys, [name]: event.currentTarget.value })}
							/>
						)}
						<Fields
							key={name}
							fields={fields.filter((field) => isShown(field, values))}
							values={values}
							channels={channels?.map(({ slug }) => slug) ?? []}
							onChange={setValue}
						/>
						{mediaPath !== undefined && (
							<FileInput
								label="Picture from a file"
								description="JPEG, PNG, GIF or WebP, up to 2 MB. Its URL becomes the media URL."
								accept="image/jpeg,image/png,image/gif,image/webp"
								placeholder={store.isRunning ? 'Storing…' : 'Choose a file'}
								clearable
								clearButtonProps={{ 'aria-label': 'Remove the picture' }}
								// Empty if the media was changed by hand.
								value={picture && picture.url === values[mediaPath] ? picture.file : null}
								onChange={(file) => void changePicture(mediaPath, file)}
							/>
						)}
						<Problem message={store.error ?? send.error} />
						{answer && (
							<Alert color="green" role="status" icon={<IconCheck aria-hidden />} title="Sent">
								<Code block className="json">
									{JSON.stringify(answer, null, 2)}
								</Code>
							</Alert>
						)}
						<Group>
							<Button
								type="submit"
								// Until its fields are known, the form would send none of what it shows.
								disabled={fields.length === 0}
								loading={send.isRunning}
								leftSection={<IconSend size={16} />}
							>
								Send
							</Button>
							<CopyAs value={toCurl(form, key, body, `${origin}/api`)}>Copy as curl</CopyAs>
							{node !== undefined && <CopyAs value={node}>Copy as n8n node</CopyAs>}
						</Group>
					</Stack>
				</Paper>
				<Preview
					{...preview}
					problem={isUntouched ? (form.before ?? preview.problem) : preview.problem}
				/>
			</div>
		</Page>
	);
}

interface FieldsProps {
	fields: readonly Field[];
	values: Values;
	channels: string[];
	onChange: (path: string, value: unknown) => void;
}

function Fields({ fields, values, channels, onChange }: FieldsProps) {
	const [showsAll, setShowsAll] = useState(false);
	const shown = showsAll ? fields : fields.slice(0, FIELDS_AT_FIRST);
	return (
		<>
			<div className="fields">
				{shown.map((field) => (
					<FieldInput
						key={field.path}
						field={field}
						value={values[field.path]}
						channels={channels}
						onChange={(value) => onChange(field.path, value)}
					/>
				))}
			</div>
			{fields.length > FIELDS_AT_FIRST && (
				<Button
					variant="subtle"
					size="compact-sm"
					aria-expanded={showsAll}
					onClick={() => setShowsAll(!showsAll)}
				>
					{showsAll ? 'Fewer fields' : `${fields.length - FIELDS_AT_FIRST} more fields`}
				</Button>
			)}
		</>
	);
}
