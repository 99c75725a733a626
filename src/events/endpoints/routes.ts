/** The operations on webhook endpoints and their secrets. */
import { type Static, Type } from "@sinclair/typebox";
import { actorOf } from "../../identity/audit-log";
import { requireConfirmation } from "../../identity/auth";
import { answerOnce, idempotencyKeyParameter, WRITE_PROBLEMS } from "../../platform/idempotency";
import {
	type Call,
	checkIfMatch,
	cutPage,
	idFrom,
	json,
	jsonBody,
	NEEDS_BOTH,
	type Operation,
	PRIVATE_NO_STORE,
	pageAnswer,
	pageParameters,
	patchBody,
	readPageQuery,
	readQuery,
	tenantOf,
} from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import {
	answerEndpoint,
	answerOnceWithSecret,
	type EndpointsDeps,
	EXAMPLE,
	headersOf,
	ID,
	IF_MATCH,
	KEY,
	pathOf,
	REPEATED,
	SHOWN,
	SHOWN_ONCE,
	toEndpointRecord,
	WRITING_BARE,
} from "./answer";
import {
	addEndpoint,
	applyPatch,
	checkEndpointCount,
	checkEndpointUrls,
	listChanges,
	promoteSecret,
	recordChange,
	rotateSecret,
	takeEndpoint,
	writeChange,
} from "./change-endpoint";
import {
	DEFAULT_EVENTS,
	ENDPOINTS_MAX,
	EndpointPatch,
	EndpointRecord,
	EndpointRequest,
	OWNER_EVENTS,
} from "./endpoint";
import { countEndpoints, deleteEndpoint, getEndpoint, listEndpoints, lockCompany } from "./store";

const TAG = "Webhooks";

export function endpointOperations(deps: EndpointsDeps): Operation[] {
	return [
		{
			id: "listWebhooks",
			sdk: "webhooks.list",
			...{ method: "GET", path: "/v1/webhooks", tag: TAG, summary: "List the company's webhooks" },
			description: "Endpoints with their events, status and limits. Secrets are not returned.",
			...{ credentials: NEEDS_BOTH, scope: "webhooks:read" },
			parameters: pageParameters(),
			answers: {
				200: pageAnswer("One page of webhooks, oldest first.", EndpointRecord, EXAMPLE),
			},
			problems: ["validation-error"],
			handle: (call) => listAll(deps, call),
		},
		{
			id: "createWebhook",
			sdk: "webhooks.create",
			...{ method: "POST", path: "/v1/webhooks", tag: TAG, summary: "Add a webhook" },
			description: `The plan limits the number per company: none with the demo key of a public sandbox, 2 free, 5 starter, 20 business, at most ${ENDPOINTS_MAX}. Only this answer shows the secret that signs the deliveries.`,
			...{ credentials: NEEDS_BOTH, scope: "webhooks:write" },
			confirms: true,
			parameters: [KEY],
			body: jsonBody(EndpointRequest, {
				url: EXAMPLE.url,
				events: ["invoice.*"],
				description: "ERP",
				rateLimitPerSecond: 20,
				recovery: "automatic",
			}),
			answers: {
				201: {
					...{ description: "The webhook with its secret.", ...SHOWN_ONCE },
					headers: { ...SHOWN_ONCE.headers, Location: "The webhook." },
				},
				200: REPEATED,
			},
			problems: [...WRITE_PROBLEMS, "forbidden", "webhook-url-not-allowed"],
			handle: (call) => create(deps, call),
		},
		{
			id: "getWebhook",
			sdk: "webhooks.get",
			...{ method: "GET", path: "/v1/webhooks/{id}", tag: TAG, summary: "Read a webhook" },
			description:
				"An endpoint with its events, status and limits. Its secret is not returned; `secretHint` shows which one is in use.",
			...{ credentials: NEEDS_BOTH, scope: "webhooks:read" },
			parameters: [ID],
			answers: { 200: { description: "The webhook.", ...SHOWN } },
			problems: ["not-found"],
			handle: (call) => read(deps, call),
		},
		{
			id: "patchWebhook",
			sdk: "webhooks.update",
			...{ method: "PATCH", path: "/v1/webhooks/{id}", tag: TAG, summary: "Change a webhook" },
			description:
				"A merge patch (RFC 7396): absent members stay, `null` clears. Deliveries under way go to the new URL with their next attempt. " +
				"Deliveries of a disabled webhook become dead letters and wait for `recover`. An enabled webhook gets events from then on. If " +
				"`recovery` becomes `automatic` again, older dead letters are retried too.",
			...{ credentials: NEEDS_BOTH, scope: "webhooks:write" },
			parameters: [ID, IF_MATCH, idempotencyKeyParameter()],
			body: patchBody(EndpointPatch, { events: ["invoice.rejected", "invoice.failed"], status: "enabled" }),
			answers: {
				200: {
					description: "The webhook after the change, or the first answer again if an idempotency key is repeated.",
					...SHOWN,
				},
			},
			problems: [
				...WRITE_PROBLEMS,
				"not-found",
				"precondition-failed",
				"webhook-url-not-allowed",
				"confirmation-required",
			],
			handle: (call) => patch(deps, call),
		},
		{
			id: "deleteWebhook",
			sdk: "webhooks.delete",
			...{ method: "DELETE", path: "/v1/webhooks/{id}", tag: TAG, summary: "Remove a webhook" },
			description:
				"The secret is deleted too. Deliveries under way become dead letters, which you can still send to another webhook.",
			...{ credentials: NEEDS_BOTH, scope: "webhooks:write" },
			parameters: [ID, IF_MATCH],
			answers: { 204: { description: "The webhook is removed." } },
			problems: ["validation-error", "not-found", "precondition-failed"],
			handle: (call) => remove(deps, call),
		},
		...secretOperations(deps),
	];
}

async function listAll({ sql, clock }: EndpointsDeps, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const { after = "" } = query;
	const now = clock.now();
	// Reads all of them: a plan allows few.
	const following = (await listEndpoints(sql, tenantOf(call))).filter(({ id }) => id > after);
	const { page, place } = cutPage(following, limit, ({ id }) => id);
	return json(200, { items: page.map((endpoint) => toEndpointRecord(endpoint, now)), ...place }, PRIVATE_NO_STORE);
}

async function create({ sql, envelope, egress, clock }: EndpointsDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	return answerOnce<EndpointRequest>(sql, call, async (tx, request) => {
		const isOwners = tenantId === call.principal?.ownerId;
		const wanted = { events: isOwners ? OWNER_EVENTS : DEFAULT_EVENTS, ...request, pointer: "/url" };
		checkEndpointUrls(egress, [wanted]);
		await lockCompany(tx, tenantId);
		const { plan, isActive, count } = await countEndpoints(tx, tenantId, call.principal?.plan ?? "demo");
		if (!isActive)
			throw new Problem("forbidden", { detail: msg`The company is not active and gets no further webhooks.` });
		checkEndpointCount(plan, count + 1, "");
		const { endpoint, secret } = await addEndpoint(tx, envelope, tenantId, wanted);
		const now = clock.now();
		await recordChange(tx, { actor: actorOf(call), at: now }, "create", endpoint);
		const answer = answerOnceWithSecret(endpoint, secret, now);
		return { status: 201, ...answer, headers: { ...answer.headers, location: `${pathOf(endpoint)}/${endpoint.id}` } };
	});
}

async function read({ sql, clock }: EndpointsDeps, call: Call): Promise<Response> {
	const endpoint = await getEndpoint(sql, { tenantId: tenantOf(call), id: idFrom(call) });
	if (!endpoint) throw new Problem("not-found");
	return answerEndpoint(endpoint, clock.now());
}

async function patch({ sql, egress, clock, resumeProbe }: EndpointsDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const id = idFrom(call);
	return answerOnce<EndpointPatch>(sql, call, async (tx, changes) => {
		const before = await takeEndpoint(tx, tenantId, id);
		checkIfMatch(call.request, before.version);
		const now = clock.now();
		// Who chooses where events go reads them, as who knows the secret forges them.
		if (call.principal && changes.url !== undefined && changes.url !== before.url)
			requireConfirmation(call.principal, now);
		const after = await writeChange(tx, resumeProbe, before, applyPatch(egress, before, changes));
		await recordChange(tx, { actor: actorOf(call), at: now }, "patch", after, listChanges(before, after));
		return { status: 200, body: toEndpointRecord(after, now), headers: headersOf(after) };
	});
}

async function remove({ sql, clock }: EndpointsDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const id = idFrom(call);
	readQuery(call);
	await sql.begin(async (tx) => {
		const endpoint = await takeEndpoint(tx, tenantId, id);
		checkIfMatch(call.request, endpoint.version);
		await deleteEndpoint(tx, endpoint);
		await recordChange(tx, { actor: actorOf(call), at: clock.now() }, "delete", endpoint);
	});
	return new Response(null, { status: 204 });
}

const OVERLAP_SECONDS = 86_400;

const RotateSecretRequest = Type.Object(
	{
		overlapSeconds: Type.Optional(
			Type.Integer({
				minimum: 0,
				maximum: 604_800,
				description:
					"How long both secrets sign. A day when absent. Send 0 if the old secret leaked: it then ends at once.",
			}),
		),
	},
	{ additionalProperties: false },
);
type RotateSecretRequest = Static<typeof RotateSecretRequest>;

function secretOperations(deps: EndpointsDeps): Operation[] {
	return [
		{
			id: "rotateWebhookSecret",
			sdk: "webhooks.rotateSecret",
			...{ method: "POST", path: "/v1/webhooks/{id}/rotate-secret", tag: TAG, summary: "Give a webhook a new secret" },
			description:
				"Until the overlap ends, the old secret signs `X-Service-Signature` and the new one `X-Service-Signature-Next`. " +
				"`webhook-signature` lists both. Afterwards, or once you promote it, the new secret signs alone.",
			...{ credentials: NEEDS_BOTH, scope: "webhooks:write" },
			confirms: true,
			parameters: [ID, KEY],
			body: jsonBody(RotateSecretRequest, { overlapSeconds: OVERLAP_SECONDS }, false),
			answers: {
				201: { description: "The webhook with its new secret.", ...SHOWN_ONCE },
				200: REPEATED,
			},
			problems: [...WRITE_PROBLEMS, "not-found"],
			handle: (call) => rotate(deps, call),
		},
		{
			id: "promoteWebhookSecret",
			sdk: "webhooks.promoteSecret",
			...{ method: "POST", path: "/v1/webhooks/{id}/promote-secret", tag: TAG, summary: "End a rotation now" },
			description: "From now on the new secret signs alone. Without a rotation under way nothing changes.",
			...{ credentials: NEEDS_BOTH, scope: "webhooks:write" },
			confirms: true,
			parameters: [ID, idempotencyKeyParameter()],
			answers: {
				200: {
					description: "The webhook after the change, or the first answer again if an idempotency key is repeated.",
					...SHOWN,
				},
			},
			problems: [...WRITING_BARE, "not-found"],
			handle: (call) => promote(deps, call),
		},
	];
}

async function rotate({ sql, envelope, clock }: EndpointsDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const id = idFrom(call);
	return answerOnce<RotateSecretRequest>(sql, call, async (tx, { overlapSeconds = OVERLAP_SECONDS }) => {
		const before = await takeEndpoint(tx, tenantId, id);
		const now = clock.now();
		const { endpoint, secret } = await rotateSecret(tx, envelope, before, overlapSeconds, now);
		await recordChange(tx, { actor: actorOf(call), at: now }, "rotate-secret", endpoint);
		return { status: 201, ...answerOnceWithSecret(endpoint, secret, now) };
	});
}

async function promote({ sql, clock }: EndpointsDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const id = idFrom(call);
	return answerOnce(sql, call, async (tx) => {
		const before = await takeEndpoint(tx, tenantId, id);
		const now = clock.now();
		const after = await promoteSecret(tx, before, now);
		if (after !== before) await recordChange(tx, { actor: actorOf(call), at: now }, "promote-secret", after);
		return { status: 200, body: toEndpointRecord(after, now), headers: headersOf(after) };
	});
}
