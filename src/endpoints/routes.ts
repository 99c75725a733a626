/** The operations on webhook endpoints. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { Sql } from "../database";
import type { EgressPolicy } from "../egress";
import { answerOnce } from "../idempotency";
import {
	type Call,
	checkIfMatch,
	idFrom,
	json,
	NEEDS_BOTH,
	type Operation,
	type Parameter,
	readJson,
	tenantOf,
	versionTag,
} from "../operation";
import { Problem } from "../problem";
import type { Envelope } from "../secrets";
import type { Clock } from "../values";
import { addEndpoint, checkEndpointUrls } from "./add-endpoint";
import { applyPatch, promoteSecret, rotateSecret, takeEndpoint } from "./change-endpoint";
import { DEFAULT_EVENTS, ENDPOINTS_MAX, EndpointPatch, EndpointRecord, EndpointRequest } from "./endpoint";
import { toEndpointRecord } from "./record";
import { countEndpoints, deleteEndpoint, getEndpoint, listEndpoints, updateEndpoint } from "./store";

const TAG = "Webhooks";
const OVERLAP_SECONDS = 86_400;

export type EndpointDeps = {
	readonly sql: Sql;
	readonly envelope: Envelope;
	readonly egress: EgressPolicy;
	readonly clock: Clock;
};

const RotateSecretRequest = Type.Object(
	{
		overlapSeconds: Type.Optional(
			Type.Integer({
				minimum: 0,
				maximum: 604_800,
				description:
					"How long both secrets sign; a day when absent. 0 for a secret that others know: the old one ends at once.",
			}),
		),
	},
	{ additionalProperties: false },
);
type RotateSecretRequest = Static<typeof RotateSecretRequest>;

const EXAMPLE: EndpointRecord = {
	id: "0192f0a2-7a00-7b11-9c22-334455667788",
	url: "https://erp.elprogreso.do/hooks/ecf",
	events: ["invoice.*"],
	description: "ERP",
	status: "enabled",
	secretHint: "whsec_5W0b…",
	rateLimitPerSecond: 20,
	ordering: "per_document",
	recovery: "automatic",
	probe: null,
	version: 1,
	createdAt: "2026-11-20T14:00:00.000Z",
	updatedAt: "2026-11-20T14:00:00.000Z",
	_links: { self: "/v1/webhooks/0192f0a2-7a00-7b11-9c22-334455667788" },
};

const ID: Parameter = {
	...{ name: "id", in: "path", required: true, description: "The webhook's id.", schema: Type.String() },
	example: EXAMPLE.id,
};
const KEY: Parameter = {
	...{ name: "Idempotency-Key", in: "header", required: false, schema: Type.String() },
	description: "UUID v4; a repeat within 24 hours gets the first answer again, without the secret.",
};
const IF_MATCH: Parameter = {
	...{ name: "If-Match", in: "header", required: false, schema: Type.String() },
	description: "The version that is to be changed, as `ETag` told it.",
};

const body = (schema: TSchema, example: unknown, required = true) => ({
	...{ schema, example, required, limitBytes: 16_384 },
	mediaTypes: ["application/json"],
});
const WITH_SECRET = { ...EXAMPLE, secret: "whsec_shown-once" };
const RECORD = { schema: EndpointRecord, example: EXAMPLE, headers: { ETag: "The webhook's version." } };
const WRITING = ["malformed-json", "validation-error", "idempotency-key-reused", "idempotency-in-progress"] as const;

export function endpointOperations(deps: EndpointDeps): Operation[] {
	return [
		{
			id: "listWebhooks",
			...{ method: "GET", path: "/v1/webhooks", tag: TAG, summary: "List the company's webhooks" },
			...{ credentials: NEEDS_BOTH, scope: "webhooks:read" },
			answers: {
				200: {
					description: "All webhooks, oldest first.",
					schema: Type.Object({ items: Type.Array(EndpointRecord), count: Type.Integer() }),
					example: { items: [EXAMPLE], count: 1 },
				},
			},
			problems: [],
			handle: (call) => listAll(deps, call),
		},
		{
			id: "createWebhook",
			...{ method: "POST", path: "/v1/webhooks", tag: TAG, summary: "Add a webhook" },
			description: `A company has ${ENDPOINTS_MAX} at most. The answer alone tells the secret that signs its deliveries.`,
			...{ credentials: NEEDS_BOTH, scope: "webhooks:write" },
			parameters: [KEY],
			body: body(EndpointRequest, {
				url: EXAMPLE.url,
				events: ["invoice.*"],
				description: "ERP",
				rateLimitPerSecond: 20,
				recovery: "automatic",
			}),
			answers: {
				201: {
					...{ description: "The webhook with its secret.", schema: EndpointRecord, example: WITH_SECRET },
					headers: { Location: "The webhook.", ETag: "Its version." },
				},
				200: { description: "A repeat of an idempotency key: `secret` is null.", schema: EndpointRecord },
			},
			problems: [...WRITING, "webhook-url-not-allowed"],
			handle: (call) => create(deps, call),
		},
		{
			id: "getWebhook",
			...{ method: "GET", path: "/v1/webhooks/{id}", tag: TAG, summary: "Read a webhook" },
			...{ credentials: NEEDS_BOTH, scope: "webhooks:read" },
			parameters: [ID],
			answers: { 200: { description: "The webhook.", ...RECORD } },
			problems: ["not-found"],
			handle: (call) => read(deps, call),
		},
		{
			id: "patchWebhook",
			...{ method: "PATCH", path: "/v1/webhooks/{id}", tag: TAG, summary: "Change a webhook" },
			description:
				"A merge patch (RFC 7396): what is absent stays, `null` clears. Deliveries under way go to the new URL with their next " +
				"attempt. Those of a disabled webhook become dead letters; an enabled one gets what happens from then on.",
			...{ credentials: NEEDS_BOTH, scope: "webhooks:write" },
			parameters: [ID, IF_MATCH],
			body: {
				...body(EndpointPatch, { events: ["invoice.rejected", "invoice.failed"], status: "enabled" }),
				mediaTypes: ["application/merge-patch+json", "application/json"],
			},
			answers: { 200: { description: "The webhook as it is now.", ...RECORD } },
			problems: ["malformed-json", "validation-error", "not-found", "precondition-failed", "webhook-url-not-allowed"],
			handle: (call) => patch(deps, call),
		},
		{
			id: "deleteWebhook",
			...{ method: "DELETE", path: "/v1/webhooks/{id}", tag: TAG, summary: "Remove a webhook" },
			description:
				"Its secret ends with it. Deliveries under way become dead letters, which another webhook can still be sent.",
			...{ credentials: NEEDS_BOTH, scope: "webhooks:write" },
			parameters: [ID],
			answers: { 204: { description: "It is gone." } },
			problems: ["not-found"],
			handle: (call) => remove(deps, call),
		},
		{
			id: "rotateWebhookSecret",
			...{ method: "POST", path: "/v1/webhooks/{id}/rotate-secret", tag: TAG, summary: "Give a webhook a new secret" },
			description:
				"Until the overlap ends, `X-Service-Signature` is made with the old secret and `X-Service-Signature-Next` with the new one; " +
				"`webhook-signature` lists both. Then, or when the new one is promoted, it signs alone.",
			...{ credentials: NEEDS_BOTH, scope: "webhooks:write" },
			parameters: [ID, KEY],
			body: body(RotateSecretRequest, { overlapSeconds: OVERLAP_SECONDS }),
			answers: {
				201: { description: "The webhook with its new secret.", schema: EndpointRecord, example: WITH_SECRET },
				200: { description: "A repeat of an idempotency key: `secret` is null.", schema: EndpointRecord },
			},
			problems: [...WRITING, "not-found"],
			handle: (call) => rotate(deps, call),
		},
		{
			id: "promoteWebhookSecret",
			...{ method: "POST", path: "/v1/webhooks/{id}/promote-secret", tag: TAG, summary: "End a rotation now" },
			description: "The new secret signs alone from here on. Without a rotation under way nothing changes.",
			...{ credentials: NEEDS_BOTH, scope: "webhooks:write" },
			parameters: [ID],
			answers: { 200: { description: "The webhook as it is now.", ...RECORD } },
			problems: ["not-found"],
			handle: (call) => promote(deps, call),
		},
	];
}

const PRIVATE = { "cache-control": "private, no-store" };

async function listAll({ sql, clock }: EndpointDeps, call: Call): Promise<Response> {
	const now = clock.now();
	const items = (await listEndpoints(sql, tenantOf(call))).map((endpoint) => toEndpointRecord(endpoint, now));
	return json(200, { items, count: items.length }, PRIVATE);
}

async function create({ sql, envelope, egress, clock }: EndpointDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	return answerOnce<EndpointRequest>(sql, call, async (tx, request) => {
		const wish = { events: DEFAULT_EVENTS, ...request, pointer: "/url" };
		checkEndpointUrls(egress, [wish]);
		if ((await countEndpoints(tx, tenantId)) >= ENDPOINTS_MAX) throw tooMany();
		const { endpoint, secret } = await addEndpoint(tx, envelope, tenantId, wish);
		const headers = { location: `/v1/webhooks/${endpoint.id}`, etag: versionTag(endpoint.version), ...PRIVATE };
		return { status: 201, ...tellOnce(endpoint, secret, clock.now()), headers };
	});
}

async function read({ sql, clock }: EndpointDeps, call: Call): Promise<Response> {
	const endpoint = await getEndpoint(sql, idFrom(call));
	if (endpoint?.tenantId !== tenantOf(call)) throw new Problem("not-found");
	return answer(endpoint, clock.now());
}

async function patch({ sql, egress, clock }: EndpointDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const id = idFrom(call);
	const changes = await readJson<EndpointPatch>(call);
	const endpoint = await sql.begin(async (tx) => {
		const before = await takeEndpoint(tx, tenantId, id);
		checkIfMatch(call.request, before.version);
		return updateEndpoint(tx, applyPatch(egress, before, changes));
	});
	return answer(endpoint, clock.now());
}

async function remove({ sql }: EndpointDeps, call: Call): Promise<Response> {
	if (!(await deleteEndpoint(sql, tenantOf(call), idFrom(call)))) throw new Problem("not-found");
	return new Response(null, { status: 204 });
}

async function rotate({ sql, envelope, clock }: EndpointDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const id = idFrom(call);
	return answerOnce<RotateSecretRequest>(sql, call, async (tx, { overlapSeconds = OVERLAP_SECONDS }) => {
		const before = await takeEndpoint(tx, tenantId, id);
		const now = clock.now();
		const { endpoint, secret } = await rotateSecret(tx, envelope, before, overlapSeconds, now);
		return {
			status: 201,
			...tellOnce(endpoint, secret, now),
			headers: { etag: versionTag(endpoint.version), ...PRIVATE },
		};
	});
}

async function promote({ sql, clock }: EndpointDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const id = idFrom(call);
	const now = clock.now();
	const endpoint = await sql.begin(async (tx) => promoteSecret(tx, await takeEndpoint(tx, tenantId, id), now));
	return answer(endpoint, now);
}

function answer(endpoint: Parameters<typeof toEndpointRecord>[0], now: Date): Response {
	return json(200, toEndpointRecord(endpoint, now), { etag: versionTag(endpoint.version), ...PRIVATE });
}

/** The answer that tells the secret, and what is kept of it. */
function tellOnce(endpoint: Parameters<typeof toEndpointRecord>[0], secret: string, now: Date) {
	return { body: toEndpointRecord(endpoint, now, secret), kept: toEndpointRecord(endpoint, now, null) };
}

/** Gap: the specification has no limit; this is the one of a registration. */
function tooMany(): Problem {
	const detail = `A company has ${ENDPOINTS_MAX} webhooks at most. Remove one first.`;
	return new Problem("validation-error", { faults: [{ pointer: "", code: "too-many-webhooks", detail }] });
}
