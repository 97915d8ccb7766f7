import { Autocomplete, Button, FileInput, Group, Paper, Select, Stack } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { call } from '../api.ts';
import { CopyAs } from '../components/copy.tsx';
import { SendButton } from '../components/dialogs.tsx';
import { Page, Problem } from '../components/page.tsx';
import { useAction } from '../hooks/use-action.ts';
import { useAddressValue } from '../hooks/use-address.ts';
import { useData, useSetting } from '../hooks/use-data.ts';
import { useSession } from '../session.tsx';
import { toCurl, toNode } from './copies.ts';
import { FieldInput, ONLY_MINE } from './field-input.tsx';
import { type Field, isShown, recipientsOf, type Values } from './fields.ts';
import { Preview } from './preview.tsx';
import { takeIncoming } from './incoming.ts';
import { type FieldIssues, placeIssues, toLabeled } from './issues.ts';
import { REQUESTS, toBody, toValues, type RequestName } from './requests.ts';
import { Result } from './result.tsx';
import { TEMPLATES } from './templates.ts';
import { isExample, useDrafts } from './use-drafts.ts';
import { useFields } from './use-fields.ts';
import { endsWith } from './words.ts';
import { usePreview } from './use-preview.ts';

/** Number of fields shown at first; the others are behind a button. */
const FIELDS_AT_FIRST = 8;

export function Playground() {
	const { origin, member } = useSession();
	const mine = useData('GET /users/:id/phones', member.user_id ?? '');
	const [chosen, setChosen] = useAddressValue('request');
	const { forms, keys, request: last, ...drafts } = useDrafts();
	const form = REQUESTS.find((one) => one.name === (chosen || last)) ?? REQUESTS[0];
	const { name } = form;
	useEffect(() => drafts.show(name), [name]);
	const values = forms[name];
	const key = keys[name] ?? form.key?.example ?? '';
	const { fields, error } = useFields(form);
	const isKnown = fields.length > 0 && (mine.data ?? mine.error) !== undefined;
	useEffect(() => {
		// Only once it is known which fields there are. Not while rendering: React may discard the first render.
		const incoming = fields.length > 0 ? takeIncoming() : undefined;
		if (!incoming) return;
		drafts.replace(incoming.request, toValues(fields, incoming.body));
		if (incoming.key !== undefined) drafts.setKey(incoming.request, incoming.key);
	}, [fields.length > 0]);
	const own = mine.data?.map(({ slug }) => slug) ?? [];
	const to = own.length > 0 ? recipientsOf(fields)?.path : undefined;
	const known = useKnown(to);
	const body = toBody(
		form,
		fields,
		to !== undefined && values[to] === undefined ? { ...values, [to]: own } : values,
	);
	const request = { request: name, ...(form.key && { key }), body };
	const preview = usePreview(isKnown ? request : undefined);
	const node = toNode(form, key, body, preview.shown?.activity?.content_state.type);
	// A new form shows no error: it only lacks what the person must enter.
	const isUntouched =
		preview.problem !== undefined && isExample(name, values) && key === (form.key?.example ?? '');
	const send = useAction(() => call('POST /playground/send', request));
	const [response, setResponse] = useState<object>();
	const isMarked = !isUntouched || send.error !== undefined;
	const element = useRef<HTMLFormElement>(null);
	useEffect(() => {
		if (send.error === undefined) return;
		element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
	}, [send.error]);
	const { placed, rest } = placeIssues(fields, isMarked ? preview.issues : []);
	const keyIssue = rest.find(({ path }) => path === 'key');
	const marked = placed.size > 0 || keyIssue ? 'Correct the marked fields.' : undefined;
	const refusal = send.error && (marked ?? (rest.length > 0 ? toLabeled(rest) : send.error));
	const problem = preview.issues.length > 0 ? toLabeled(preview.issues) : preview.problem;

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
		drafts.change(name, { [path]: stored?.url });
	};

	const choose = (request: RequestName) => {
		setChosen(request);
		setResponse(undefined);
		send.reset();
		store.reset();
	};
	const submit = async () => {
		setResponse(undefined);
		store.reset();
		const received = await send.run();
		setResponse(received);
		const { repeat_id: repeatId, activity_id: id } = received ?? {};
		if (repeatId !== undefined) drafts.setKey('repeated_stop', repeatId);
		if (name !== 'start' || id === undefined) return;
		for (const next of ['update', 'end'] as const) drafts.change(next, { activity_id: id });
	};

	return (
		<Page
			title="Playground"
			about="Build a request, preview it, send it, or copy it into a workflow."
			error={error ?? mine.error}
		>
			<div className="playground">
				<Paper
					className="playground-form"
					withBorder
					component="form"
					ref={element}
					noValidate
					// Its button sends it, as does the Enter key.
					onSubmit={(event) => event.preventDefault()}
				>
					<Stack p="md">
						<Select
							label="Request"
							data={REQUESTS.map((one) => ({ value: one.name, label: one.label }))}
							value={name}
							allowDeselect={false}
							onChange={(value) => value && choose(value)}
						/>
						<Group gap={6} role="group" aria-label="Templates">
							{TEMPLATES.map((template) => (
								<Button
									key={template.name}
									variant="default"
									size="compact-sm"
									onClick={() => {
										choose(template.request);
										drafts.replace(template.request, template.values);
										if (template.key !== undefined) drafts.setKey(template.request, template.key);
									}}
								>
									{template.name}
								</Button>
							))}
							<Button
								variant="subtle"
								size="compact-sm"
								onClick={() => {
									choose(name);
									drafts.replace(name);
									drafts.setKey(name, form.key?.example ?? '');
								}}
							>
								Start over
							</Button>
						</Group>
						{form.key && (
							<Autocomplete
								label={form.key.label}
								data={known[form.key.label] ?? []}
								limit={50}
								value={key}
								error={keyIssue && `${form.key.label} ${keyIssue.message}.`}
								onChange={(value) => {
									send.reset();
									drafts.setKey(name, value);
								}}
							/>
						)}
						<Fields
							key={name}
							fields={fields.filter((field) => isShown(field, values))}
							values={values}
							known={known}
							issues={placed}
							onChange={(path, value) => {
								send.reset();
								drafts.change(name, { [path]: value });
							}}
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
					</Stack>
					<div className="playground-bar">
						<Problem message={store.error ?? refusal} />
						{response && <Result response={response} />}
						<Group gap="xs">
							<SendButton
								type="submit"
								label="Send"
								phones={preview.phones ?? null}
								// Until its fields and its phones are known, the form would send none of what it shows.
								isDisabled={preview.phones === undefined}
								isRunning={send.isRunning}
								onSend={() => void submit()}
							/>
							<CopyAs value={toCurl(form, key, body, `${origin}/api`)}>Copy as curl</CopyAs>
							{node !== undefined && <CopyAs value={node}>Copy as n8n node</CopyAs>}
						</Group>
					</div>
				</Paper>
				<Preview {...preview} problem={isUntouched ? (form.before ?? problem) : problem} />
			</div>
		</Page>
	);
}

/**
 * The keys and IDs that exist, by the label or the path of the field that takes them.
 * @param recipients the path of the field that offers the person's own phones
 */
function useKnown(recipients = ''): Record<string, string[] | undefined> {
	const { data: channels } = useSetting('GET /channel-names');
	const { data: live } = useSetting('GET /live');
	const { data: metrics } = useSetting('GET /metrics');
	const running = live?.activities.map(({ activity }) => activity) ?? [];
	const streams = [...running, ...(live?.streams ?? [])].flatMap(
		({ stream_key: key }) => key ?? [],
	);
	const slugs = channels?.map(({ slug }) => slug) ?? [];
	return {
		Channels: slugs,
		[recipients]: [ONLY_MINE, ...slugs],
		activity_id: running.map(({ activity_id: id }) => id),
		'Stream key': [...new Set(streams)],
		'Metric key': metrics?.metrics.map(({ key }) => key),
	};
}

interface FieldsProps {
	fields: readonly Field[];
	values: Values;
	known: Record<string, string[] | undefined>;
	issues: FieldIssues;
	onChange: (path: string, value: unknown) => void;
}

function Fields({ fields, values, known, issues, onChange }: FieldsProps) {
	const [showsAll, setShowsAll] = useState(false);
	// Fields with a value or an error are never hidden.
	const shown = fields.filter(
		({ path }, index) =>
			showsAll || index < FIELDS_AT_FIRST || values[path] !== undefined || issues.has(path),
	);
	const hidden = fields.length - shown.length;
	return (
		<>
			<div className="fields">
				{shown.map((field) => (
					<FieldInput
						key={field.path}
						field={field}
						value={values[field.path]}
						known={known}
						issues={issues.get(field.path) ?? []}
						onChange={(value) => onChange(field.path, value)}
					/>
				))}
			</div>
			{(hidden > 0 || showsAll) && fields.length > FIELDS_AT_FIRST && (
				<Button
					variant="subtle"
					size="compact-sm"
					aria-expanded={showsAll}
					onClick={() => setShowsAll(!showsAll)}
				>
					{showsAll ? 'Fewer fields' : `${hidden} more ${hidden === 1 ? 'field' : 'fields'}`}
				</Button>
			)}
		</>
	);
}
