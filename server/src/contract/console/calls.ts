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
import { type AuditPage, auditQuery } from './audit.ts';
import {
	type HistoryList,
	type EntryDetail,
	historyExportQuery,
	historyPartQuery,
	historyQuery,
	type UsageResponse,
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
	type MembersResponse,
	type OwnSession,
	passwordRequest,
	nameRequest,
	resetRequest,
	roleRequest,
} from './members.ts';
import type { PlaygroundPreview } from './playground.ts';
import {
	channelChange,
	channelRequest,
	type ChannelsPage,
	type ConsoleChannel,
	type ConsoleKey,
	type DevicesPage,
	devicesQuery,
	type FirstSteps,
	keyRequest,
	type LivePage,
	liveQuery,
	mergeRequest,
	metricChange,
	metricRequest,
	type MetricsPage,
	type NewKeyResponse,
	pairCodeRequest,
	type PairingResponse,
	type PeoplePage,
	type PersonName,
	type PhoneName,
	revokeRequest,
	type TestPushResponse,
	namesQuery,
	pageQuery,
} from './resources.ts';

/** Responses without a schema: only the console's own page reads them. */
const typed = z.custom;

/** A request to send is checked as its own endpoint does, and a file as a picture. */
const unchecked = z.unknown();

/** A file, or a stream of events. */
const notJson = z.unknown();

/** What anyone may call: signing in and using links. */
export const ENTRANCE_CALLS = {
	'POST /login': { body: loginRequest, response: typed<ConsoleSession>() },
	// By POST, so the link's token appears in no URL, and thus in no log.
	'POST /link': { body: linkRequest, response: typed<LinkInfo>() },
	'POST /join': { body: joinRequest, response: typed<ConsoleSession>() },
	'POST /reset': { body: resetRequest, response: typed<ConsoleSession>() },
} satisfies Record<string, Call>;

/** What a signed-in member may call. */
export const MEMBER_CALLS = {
	'GET /session': { response: typed<ConsoleSession>() },
	'POST /logout': {},
	'PUT /profile': { body: nameRequest },
	'PUT /account': { body: nameRequest },
	'PUT /email': { body: emailRequest },
	'PUT /password': { body: passwordRequest },
	'GET /sessions': { response: typed<OwnSession[]>() },
	'DELETE /sessions/:id': { params: idParams },
	'DELETE /sessions': { response: typed<{ ended: number }>() },
	'GET /events': { response: notJson, isStream: true },

	'GET /devices': { query: devicesQuery, response: typed<DevicesPage>() },
	'POST /devices/pair-code': { body: pairCodeRequest, response: typed<PairingResponse>() },
	'PUT /devices/:id': { params: idParams, body: nameRequest },
	'POST /devices/:id/test': { params: idParams, response: typed<TestPushResponse>() },
	'DELETE /devices/:id': { params: idParams },
	'POST /devices/:id/remove': { params: idParams },

	'GET /users': { query: namesQuery, response: typed<PeoplePage>() },
	// All of them, to choose from.
	'GET /user-names': { response: typed<PersonName[]>() },
	'GET /users/:id/phones': { params: idParams, response: typed<PhoneName[]>() },
	'POST /users': { body: nameRequest, response: typed<{ name: string }>() },
	'PUT /users/:id': { params: idParams, body: nameRequest },
	'POST /users/:id/merge': { params: idParams, body: mergeRequest },
	'DELETE /users/:id': { params: idParams },

	'GET /channels': { query: namesQuery, response: typed<ChannelsPage>() },
	// All of them, to choose from.
	'GET /channel-names': { response: typed<Array<{ slug: string; name: string }>>() },
	'GET /channels/:slug': { params: channelParams, response: typed<ConsoleChannel>() },
	'POST /channels': { body: channelRequest, response: typed<{ slug: string }>() },
	'PUT /channels/:slug': { params: channelParams, body: channelChange },
	'DELETE /channels/:slug': { params: channelParams },

	'GET /keys': { response: typed<ConsoleKey[]>() },
	'POST /keys': { body: keyRequest, response: typed<NewKeyResponse>() },
	'DELETE /keys/:id': { params: idParams, body: revokeRequest.nullable() },

	'GET /metrics': { query: pageQuery, response: typed<MetricsPage>() },
	'POST /metrics': { body: metricRequest, response: shownMetric },
	'PUT /metrics/:key': { params: metricParams, body: metricChange },
	'DELETE /metrics/:key': { params: metricParams },

	'GET /live': { query: liveQuery, response: typed<LivePage>() },
	'GET /first-steps': { response: typed<FirstSteps>() },
	'POST /streams/:stream_key/pause': { params: streamParams },
	'POST /streams/:stream_key/resume': {
		params: streamParams,
		response: typed<{ started: boolean }>(),
	},
	'DELETE /streams/:stream_key': { params: streamParams, response: streamDeleteResponse },
	'POST /activities/:id/end': { params: idParams, response: changeResponse },

	'GET /history': { query: historyQuery, response: typed<HistoryList>() },
	'GET /history/:id': { params: idParams, query: historyPartQuery, response: typed<EntryDetail>() },
	// A push as it was sent, to the phones that it had and still reaches, as an entry of its own.
	'POST /history/:id/send': { params: idParams, response: typed<{ history_id: string }>() },
	'GET /history.csv': { query: historyExportQuery, response: notJson },

	'GET /questions': { query: consoleQuestionsQuery, response: typed<ConsoleQuestions>() },
	'POST /questions/:question_id/answer': {
		params: questionParams,
		body: consoleAnswerRequest,
		response: phoneAnswerResponse,
	},
	'POST /questions/:question_id/callback': { params: questionParams },
	'DELETE /questions/:question_id': { params: questionParams },

	'GET /members': { response: typed<MembersResponse>() },
	'POST /invitations': { body: inviteRequest, response: typed<{ token: string }>() },
	// Reset links, too.
	'DELETE /invitations/:id': { params: idParams },
	'PUT /members/:id': { params: idParams, body: roleRequest },
	'POST /members/:id/reset-link': { params: idParams, response: typed<{ token: string }>() },
	'DELETE /members/:id': { params: idParams },

	'GET /audit': { query: auditQuery, response: typed<AuditPage>() },
	'GET /usage': { response: typed<UsageResponse>() },

	'POST /playground/preview': { body: unchecked, response: typed<PlaygroundPreview>() },
	'POST /playground/send': {
		body: unchecked,
		response: typed<{ history_id?: string; repeat_id?: string; activity_id?: string }>(),
	},
	'POST /playground/image': { body: unchecked, takesPicture: true, response: imageResponse },
} satisfies Record<string, Call>;

/** The calls of the console's page, below /console/api. */
export type ConsoleCalls = typeof ENTRANCE_CALLS & typeof MEMBER_CALLS;
