/** The operations on webhook endpoints. */
import { actorOf } from "../../identity/audit-log";
import { answerOnce, idempotencyKeyParameter } from "../../platform/idempotency";
import {
	type Call,
	checkIfMatch,
	cutPage,
	idFrom,
	json,
	NEEDS_BOTH,
	NOT_KEPT,
	type Operation,
	pageParameters,
	pageSchema,
	readPageQuery,
	readQuery,
	tenantOf,
} from "../../platform/operation";
import { Problem } from "../../platform/problem";
import { addEndpoint, checkEndpointUrls } from "./add-endpoint";
import {
	type EndpointDeps,
	EXAMPLE,
	headersOf,
	ID,
	IF_MATCH,
	jsonBody,
	KEY,
	REPEATED,
	TOLD,
	TOLD_ONCE,
	tell,
	tellOnce,
	WRITING,
} from "./answer";
import { applyPatch, takeEndpoint, writeChange } from "./change-endpoint";
import { checkEndpointCount } from "./check-count";
import { DEFAULT_EVENTS, ENDPOINTS_MAX, EndpointPatch, EndpointRecord, EndpointRequest } from "./endpoint";
import { listChanges, noteEndpoint } from "./note-change";
import { toEndpointRecord } from "./record";
import { secretOperations } from "./routes-secrets";
import { countEndpoints, deleteEndpoint, getEndpoint, listEndpoints, lockCompany } from "./store";

const TAG = "Webhooks";

export function endpointOperations(deps: EndpointDeps): Operation[] {
	return [
		{
			id: "listWebhooks",
			...{ method: "GET", path: "/v1/webhooks", tag: TAG, summary: "List the company's webhooks" },
			...{ credentials: NEEDS_BOTH, scope: "webhooks:read" },
			parameters: pageParameters(),
			answers: {
				200: {
					description: "One page of webhooks, oldest first.",
					schema: pageSchema(EndpointRecord),
					example: { items: [EXAMPLE], count: 1, partial: false, next: null },
				},
			},
			problems: ["validation-error"],
			handle: (call) => listAll(deps, call),
		},
		{
			id: "createWebhook",
			...{ method: "POST", path: "/v1/webhooks", tag: TAG, summary: "Add a webhook" },
			description: `A company has as many as its plan allows: none with the demo key, 2 free, 5 starter, 20 business, ${ENDPOINTS_MAX} at most. The answer alone tells the secret that signs its deliveries.`,
			...{ credentials: NEEDS_BOTH, scope: "webhooks:write" },
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
					...{ description: "The webhook with its secret.", ...TOLD_ONCE },
					headers: { ...TOLD_ONCE.headers, Location: "The webhook." },
				},
				200: REPEATED,
			},
			problems: [...WRITING, "webhook-url-not-allowed"],
			handle: (call) => create(deps, call),
		},
		{
			id: "getWebhook",
			...{ method: "GET", path: "/v1/webhooks/{id}", tag: TAG, summary: "Read a webhook" },
			...{ credentials: NEEDS_BOTH, scope: "webhooks:read" },
			parameters: [ID],
			answers: { 200: { description: "The webhook.", ...TOLD } },
			problems: ["not-found"],
			handle: (call) => read(deps, call),
		},
		{
			id: "patchWebhook",
			...{ method: "PATCH", path: "/v1/webhooks/{id}", tag: TAG, summary: "Change a webhook" },
			description:
				"A merge patch (RFC 7396): what is absent stays, `null` clears. Deliveries under way go to the new URL with their next " +
				"attempt. Those of a disabled webhook become dead letters and wait for `recover`; an enabled one gets what happens from then on. Where " +
				"`recovery` is `automatic` again, what had died by itself before is tried again too.",
			...{ credentials: NEEDS_BOTH, scope: "webhooks:write" },
			parameters: [ID, IF_MATCH, idempotencyKeyParameter()],
			body: {
				...jsonBody(EndpointPatch, { events: ["invoice.rejected", "invoice.failed"], status: "enabled" }),
				mediaTypes: ["application/merge-patch+json", "application/json"],
			},
			answers: {
				200: {
					description: "The webhook as it is now; for a repeat of an idempotency key the first answer again.",
					...TOLD,
				},
			},
			problems: [...WRITING, "not-found", "precondition-failed", "webhook-url-not-allowed"],
			handle: (call) => patch(deps, call),
		},
		{
			id: "deleteWebhook",
			...{ method: "DELETE", path: "/v1/webhooks/{id}", tag: TAG, summary: "Remove a webhook" },
			description:
				"Its secret ends with it. Deliveries under way become dead letters, which another webhook can still be sent.",
			...{ credentials: NEEDS_BOTH, scope: "webhooks:write" },
			parameters: [ID, IF_MATCH],
			answers: { 204: { description: "It is gone." } },
			problems: ["validation-error", "not-found", "precondition-failed"],
			handle: (call) => remove(deps, call),
		},
		...secretOperations(deps),
	];
}

async function listAll({ sql, clock }: EndpointDeps, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const { after = "" } = query;
	const now = clock.now();
	// Read whole: a plan has few of them.
	const behind = (await listEndpoints(sql, tenantOf(call))).filter(({ id }) => id > after);
	const { page, place } = cutPage(behind, limit, ({ id }) => id);
	return json(200, { items: page.map((endpoint) => toEndpointRecord(endpoint, now)), ...place }, NOT_KEPT);
}

async function create({ sql, envelope, egress, clock }: EndpointDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	return answerOnce<EndpointRequest>(sql, call, async (tx, request) => {
		const wish = { events: DEFAULT_EVENTS, ...request, pointer: "/url" };
		checkEndpointUrls(egress, [wish]);
		await lockCompany(tx, tenantId);
		const { plan, count } = await countEndpoints(tx, tenantId);
		checkEndpointCount(plan, count + 1, "");
		const { endpoint, secret } = await addEndpoint(tx, envelope, tenantId, wish);
		const now = clock.now();
		await noteEndpoint(tx, { actor: actorOf(call), at: now }, "create", endpoint);
		const told = tellOnce(endpoint, secret, now);
		return { status: 201, ...told, headers: { ...told.headers, location: `/v1/webhooks/${endpoint.id}` } };
	});
}

async function read({ sql, clock }: EndpointDeps, call: Call): Promise<Response> {
	const endpoint = await getEndpoint(sql, idFrom(call));
	if (endpoint?.tenantId !== tenantOf(call)) throw new Problem("not-found");
	return tell(endpoint, clock.now());
}

async function patch({ sql, egress, clock, resumeProbe }: EndpointDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const id = idFrom(call);
	return answerOnce<EndpointPatch>(sql, call, async (tx, changes) => {
		const before = await takeEndpoint(tx, tenantId, id);
		checkIfMatch(call.request, before.version);
		const now = clock.now();
		const after = await writeChange(tx, resumeProbe, before, applyPatch(egress, before, changes));
		await noteEndpoint(tx, { actor: actorOf(call), at: now }, "patch", after, listChanges(before, after));
		return { status: 200, body: toEndpointRecord(after, now), headers: headersOf(after) };
	});
}

async function remove({ sql, clock }: EndpointDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const id = idFrom(call);
	readQuery(call);
	await sql.begin(async (tx) => {
		const endpoint = await takeEndpoint(tx, tenantId, id);
		checkIfMatch(call.request, endpoint.version);
		await deleteEndpoint(tx, id);
		await noteEndpoint(tx, { actor: actorOf(call), at: clock.now() }, "delete", endpoint);
	});
	return new Response(null, { status: 204 });
}
