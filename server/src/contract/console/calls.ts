import { z } from 'zod';
import type { Call } from '../calls.ts';
import { channelParams } from '../common.ts';
import { changeResponse, streamDeleteResponse, streamParams } from '../live-activities.ts';
import { imageResponse } from '../images.ts';
import { metricParams } from '../metrics.ts';
import {
	consoleAnswerRequest,
	type ConsoleQuestions,
	consoleQuestionsQuery,
	phoneAnswerResponse,
	questionParams,
} from '../questions.ts';
import { shownMetric } from '../shown.ts';
import { type AuditAnswer, auditQuery } from './audit.ts';
import {
	type HistoryAnswer,
	type HistoryDetail,
	historyExportQuery,
	historyPartQuery,
	historyQuery,
	type UsageAnswer,
} from './history.ts';
import {
	type ConsoleSession,
	emailRequest,
	idParams,
	inviteRequest,
	joinRequest,
	type LinkInfo,
	linkRequest,
	loginRequest,
	type MembersAnswer,
	type OwnSession,
	passwordRequest,
	profileRequest,
	resetRequest,
	roleRequest,
} from './members.ts';
import type { PlaygroundPreview } from './playground.ts';
import {
	channelChange,
	channelRequest,
	type ChannelsAnswer,
	type ConsoleChannel,
	type ConsoleKey,
	type DevicesAnswer,
	devicesQuery,
	type FirstSteps,
	keyRequest,
	type LiveAnswer,
	liveQuery,
	mergeRequest,
	metricChange,
	metricRequest,
	type MetricsAnswer,
	type NewKeyAnswer,
	pairCodeRequest,
	type PairingAnswer,
	type PeopleAnswer,
	type PersonName,
	type PhoneName,
	renameRequest,
	revokeRequest,
	type TestPushAnswer,
	userRequest,
	namesQuery,
	pageQuery,
} from './resources.ts';

/** Answers without a schema: only the console's own page reads them. */
const typed = z.custom;

/** A request to send is checked as its own endpoint does, and a file as a picture. */
const unchecked = z.unknown();

/** A file, or a stream of events. */
const notJson = z.unknown();

/** What anyone may call: signing in and using links. */
export const ENTRANCE_CALLS = {
	'POST /login': { body: loginRequest, answer: typed<ConsoleSession>() },
	// By POST, so the link's token appears in no URL, and thus in no log.
	'POST /link': { body: linkRequest, answer: typed<LinkInfo>() },
	'POST /join': { body: joinRequest, answer: typed<ConsoleSession>() },
	'POST /reset': { body: resetRequest, answer: typed<ConsoleSession>() },
} satisfies Record<string, Call>;

/** What a signed-in member may call. */
export const MEMBER_CALLS = {
	'GET /session': { answer: typed<ConsoleSession>() },
	'POST /logout': {},
	'PUT /profile': { body: profileRequest },
	'PUT /account': { body: profileRequest },
	'PUT /email': { body: emailRequest },
	'PUT /password': { body: passwordRequest },
	'GET /sessions': { answer: typed<OwnSession[]>() },
	'DELETE /sessions/:id': { params: idParams },
	'DELETE /sessions': { answer: typed<{ ended: number }>() },
	'GET /events': { answer: notJson },

	'GET /devices': { query: devicesQuery, answer: typed<DevicesAnswer>() },
	'POST /devices/pair-code': { body: pairCodeRequest, answer: typed<PairingAnswer>() },
	'PUT /devices/:id': { params: idParams, body: renameRequest },
	'POST /devices/:id/test': { params: idParams, answer: typed<TestPushAnswer>() },
	'DELETE /devices/:id': { params: idParams },
	'POST /devices/:id/remove': { params: idParams },

	'GET /users': { query: namesQuery, answer: typed<PeopleAnswer>() },
	// All of them, to choose from.
	'GET /user-names': { answer: typed<PersonName[]>() },
	'GET /users/:id/phones': { params: idParams, answer: typed<PhoneName[]>() },
	'POST /users': { body: userRequest, answer: typed<{ name: string }>() },
	'PUT /users/:id': { params: idParams, body: renameRequest },
	'POST /users/:id/merge': { params: idParams, body: mergeRequest },
	'DELETE /users/:id': { params: idParams },

	'GET /channels': { query: namesQuery, answer: typed<ChannelsAnswer>() },
	// All of them, to choose from.
	'GET /channel-names': { answer: typed<Array<{ slug: string; name: string }>>() },
	'GET /channels/:slug': { params: channelParams, answer: typed<ConsoleChannel>() },
	'POST /channels': { body: channelRequest, answer: typed<{ slug: string }>() },
	'PUT /channels/:slug': { params: channelParams, body: channelChange },
	'DELETE /channels/:slug': { params: channelParams },

	'GET /keys': { answer: typed<ConsoleKey[]>() },
	'POST /keys': { body: keyRequest, answer: typed<NewKeyAnswer>() },
	'DELETE /keys/:id': { params: idParams, body: revokeRequest.nullable() },

	'GET /metrics': { query: pageQuery, answer: typed<MetricsAnswer>() },
	'POST /metrics': { body: metricRequest, answer: shownMetric },
	'PUT /metrics/:key': { params: metricParams, body: metricChange },
	'DELETE /metrics/:key': { params: metricParams },

	'GET /live': { query: liveQuery, answer: typed<LiveAnswer>() },
	'GET /first-steps': { answer: typed<FirstSteps>() },
	'POST /streams/:stream_key/pause': { params: streamParams },
	'POST /streams/:stream_key/resume': {
		params: streamParams,
		answer: typed<{ started: boolean }>(),
	},
	'DELETE /streams/:stream_key': { params: streamParams, answer: streamDeleteResponse },
	'POST /activities/:id/end': { params: idParams, answer: changeResponse },

	'GET /history': { query: historyQuery, answer: typed<HistoryAnswer>() },
	'GET /history/:id': { params: idParams, query: historyPartQuery, answer: typed<HistoryDetail>() },
	// A push as it was sent, to the phones that it had and still reaches, as an entry of its own.
	'POST /history/:id/send': { params: idParams, answer: typed<{ history_id: string }>() },
	'GET /history.csv': { query: historyExportQuery, answer: notJson },

	'GET /questions': { query: consoleQuestionsQuery, answer: typed<ConsoleQuestions>() },
	'POST /questions/:question_id/answer': {
		params: questionParams,
		body: consoleAnswerRequest,
		answer: phoneAnswerResponse,
	},
	'POST /questions/:question_id/callback': { params: questionParams },
	'DELETE /questions/:question_id': { params: questionParams },

	'GET /members': { answer: typed<MembersAnswer>() },
	'POST /invitations': { body: inviteRequest, answer: typed<{ token: string }>() },
	// Reset links, too.
	'DELETE /invitations/:id': { params: idParams },
	'PUT /members/:id': { params: idParams, body: roleRequest },
	'POST /members/:id/reset-link': { params: idParams, answer: typed<{ token: string }>() },
	'DELETE /members/:id': { params: idParams },

	'GET /audit': { query: auditQuery, answer: typed<AuditAnswer>() },
	'GET /usage': { answer: typed<UsageAnswer>() },

	'POST /playground/preview': { body: unchecked, answer: typed<PlaygroundPreview>() },
	'POST /playground/send': {
		body: unchecked,
		answer: typed<{ history_id?: string; repeat_id?: string; activity_id?: string }>(),
	},
	'POST /playground/image': { body: unchecked, takesPicture: true, answer: imageResponse },
} satisfies Record<string, Call>;

/** The calls of the console's page, below /console/api. */
export type ConsoleCalls = typeof ENTRANCE_CALLS & typeof MEMBER_CALLS;
