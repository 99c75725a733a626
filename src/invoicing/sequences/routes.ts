/** The operations on sequences: register, list, lease to a point of sale, void. */
import { findClockAhead, tenantsDay } from "../../companies";
import { answerOnce, idempotencyKeyParameter, REPEATED, WRITE_PROBLEMS } from "../../platform/idempotency";
import {
	type Call,
	cutPage,
	idFrom,
	json,
	jsonBody,
	NEEDS_BOTH,
	type Operation,
	oneOf,
	type Parameter,
	PRIVATE_NO_STORE,
	pageParameters,
	pageSchema,
	pathParameter,
	queryParameter,
	readPageQuery,
	tenantOf,
} from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import { type Clock, toLocalIsoDate } from "../../platform/values";
import { readSequences, toSequenceRecords } from "./forecast";
import { findLease, LEASE_STATUSES, listLeases } from "./hold-store";
import { leaseNumbers, returnLease, toLeaseRecord } from "./lease";
import { checkSequenceRequest, registerSequence, withdrawSequence } from "./register-sequence";
import { requestVoid, toVoidRecord } from "./request-void";
import {
	LeaseRecord,
	LeaseRequest,
	type SequenceDeps,
	SequenceRecord,
	SequenceRequest,
	VoidRecord,
	VoidRequest,
} from "./sequence";
import { findVoid, listVoids } from "./void-store";

const TAG = "Sequences";

const KEY: readonly Parameter[] = [idempotencyKeyParameter()];

const idOf = (what: string, example: string): Parameter => pathParameter("id", `The ${what}'s id.`, example);

export function sequenceOperations(deps: Pick<SequenceDeps, "sql" | "clock" | "environment" | "wake">): Operation[] {
	return [
		{
			id: "createSequence",
			sdk: "sequences.create",
			method: "POST",
			path: "/v1/sequences",
			tag: TAG,
			summary: "Register a range of numbers",
			description:
				"Registers a range that the authority has authorised in the company's current environment. Documents state its last day. With the company setting " +
				'`sequenceMode: service`, invoices with `encf: "auto"` take their numbers from it, lowest first.',
			credentials: NEEDS_BOTH,
			scope: "sequences:write",
			parameters: KEY,
			body: jsonBody(SequenceRequest, {
				type: "31",
				from: "E310000000001",
				to: "E310000010000",
				expiresAt: "2030-12-31",
			}),
			answers: {
				201: { description: "The sequence.", schema: SequenceRecord },
				200: { description: REPEATED, schema: SequenceRecord },
			},
			problems: [...WRITE_PROBLEMS, "sequence-conflict"],
			handle: (call) => postSequence(deps, call),
		},
		{
			id: "listSequences",
			sdk: "sequences.list",
			method: "GET",
			path: "/v1/sequences",
			tag: TAG,
			summary: "List sequences",
			description: "Lists the sequences of the company's current environment of the authority.",
			credentials: NEEDS_BOTH,
			scope: "sequences:read",
			parameters: pageParameters(),
			answers: {
				200: {
					description: "A page of sequences, by type and in the order of use.",
					schema: pageSchema(SequenceRecord),
				},
			},
			problems: ["validation-error"],
			handle: (call) => listSequences(deps, call),
		},
		{
			id: "withdrawSequence",
			sdk: "sequences.withdraw",
			method: "DELETE",
			path: "/v1/sequences/{id}",
			tag: TAG,
			summary: "Withdraw a sequence",
			description:
				"For a range that was registered by mistake or that the authority does not know. Its numbers are no longer given out; documents keep theirs. " +
				"The authority is not notified: void authorised numbers that will not be used. The range may be registered again. " +
				"In the sandboxes a type without a sequence uses the test environment's range.",
			credentials: NEEDS_BOTH,
			scope: "sequences:write",
			parameters: [idOf("sequence", "0192f1a0-7a00-7b11-9c22-334455667788")],
			answers: { 204: { description: "The sequence was withdrawn." } },
			problems: ["not-found", "sequence-conflict"],
			handle: (call) => deleteSequence(deps, call),
		},
		{
			id: "leaseNumbers",
			sdk: "sequences.lease",
			method: "POST",
			path: "/v1/sequences/leases",
			tag: TAG,
			summary: "Lease numbers to a point of sale",
			description:
				"Reserves numbers for use while offline. Send documents with them as `encf`. " +
				"Unused numbers are free again when the lease ends or is returned, so do not use an expired lease.",
			credentials: NEEDS_BOTH,
			scope: "sequences:write",
			parameters: KEY,
			body: jsonBody(LeaseRequest, { type: "32", count: 100, ttl: 86_400 }),
			answers: {
				201: { description: "The numbers.", schema: LeaseRecord, headers: { Location: "The lease." } },
				200: { description: REPEATED, schema: LeaseRecord },
			},
			problems: [...WRITE_PROBLEMS, "tenant-config-missing", "sequence-exhausted", "sequence-reconciling"],
			handle: (call) => postLease(deps, call),
		},
		{
			id: "listLeases",
			sdk: "sequences.listLeases",
			method: "GET",
			path: "/v1/sequences/leases",
			tag: TAG,
			summary: "List leases",
			description: "Newest first.",
			credentials: NEEDS_BOTH,
			scope: "sequences:read",
			parameters: [
				queryParameter("status", "Only leases of this status.", oneOf(...LEASE_STATUSES)),
				...pageParameters(),
			],
			answers: { 200: { description: "A page of leases.", schema: pageSchema(LeaseRecord) } },
			problems: ["validation-error"],
			handle: async (call) => {
				const { limit, query } = readPageQuery(call);
				const rows = await listLeases(deps.sql, tenantOf(call), query, limit);
				const { page, place } = cutPage(rows, limit, ({ id }) => id);
				return json(200, { items: page.map(toLeaseRecord), ...place }, PRIVATE_NO_STORE);
			},
		},
		{
			id: "getLease",
			sdk: "sequences.getLease",
			method: "GET",
			path: "/v1/sequences/leases/{id}",
			tag: TAG,
			summary: "Read a lease",
			description: "The numbers that the lease reserved, and until when they may be used.",
			credentials: NEEDS_BOTH,
			scope: "sequences:read",
			parameters: [idOf("lease", "0192f1b0-7a00-7b11-9c22-334455667788")],
			answers: { 200: { description: "The lease.", schema: LeaseRecord } },
			problems: ["not-found"],
			handle: (call) => getLease(deps, call),
		},
		{
			id: "returnLease",
			sdk: "sequences.returnLease",
			method: "DELETE",
			path: "/v1/sequences/leases/{id}",
			tag: TAG,
			summary: "Return a lease early",
			description: "Send all documents first. Unused numbers are free again at once.",
			credentials: NEEDS_BOTH,
			scope: "sequences:write",
			parameters: [idOf("lease", "0192f1b0-7a00-7b11-9c22-334455667788")],
			answers: { 200: { description: "The ended lease.", schema: LeaseRecord } },
			problems: ["not-found"],
			handle: (call) => deleteLease(deps, call),
		},
		{
			id: "voidNumbers",
			sdk: "sequences.voidNumbers",
			method: "POST",
			path: "/v1/sequences/void",
			tag: TAG,
			summary: "Void numbers that will never be used",
			description:
				"Takes the numbers out of use at once and notifies the authority with a signed document (ANECF). Poll `_links.self` for the result. " +
				"A range with a used, leased or voided number is refused.",
			credentials: NEEDS_BOTH,
			confirms: true,
			scope: "sequences:write",
			parameters: KEY,
			body: jsonBody(VoidRequest, {
				...{ type: "31", from: "E310000000901", to: "E310000001000", reason: "Punto de venta cerrado" },
			}),
			answers: {
				202: {
					description: "The pending void.",
					schema: VoidRecord,
					headers: { Location: "The void.", "Retry-After": "When to poll." },
				},
				200: { description: REPEATED, schema: VoidRecord },
			},
			problems: [...WRITE_PROBLEMS, "sequence-conflict"],
			handle: (call) => postVoid(deps, call),
		},
		{
			id: "listVoids",
			sdk: "sequences.listVoids",
			method: "GET",
			path: "/v1/sequences/voids",
			tag: TAG,
			summary: "List voids",
			description: "Those in the company's current environment of the authority, newest first.",
			credentials: NEEDS_BOTH,
			scope: "sequences:read",
			parameters: pageParameters(),
			answers: { 200: { description: "A page of voids.", schema: pageSchema(VoidRecord) } },
			problems: ["validation-error"],
			handle: async (call) => {
				const { limit, query } = readPageQuery(call);
				const rows = await listVoids(deps.sql, tenantOf(call), query.after, limit);
				const { page, place } = cutPage(rows, limit, ({ id }) => id);
				return json(200, { items: page.map(toVoidRecord), ...place }, PRIVATE_NO_STORE);
			},
		},
		{
			id: "getVoid",
			sdk: "sequences.getVoid",
			method: "GET",
			path: "/v1/sequences/voids/{id}",
			tag: TAG,
			summary: "Read a void",
			description: "The voided numbers, and how far the authority has accepted the void.",
			credentials: NEEDS_BOTH,
			scope: "sequences:read",
			parameters: [idOf("void", "0192f1c0-7a00-7b11-9c22-334455667788")],
			answers: { 200: { description: "The void.", schema: VoidRecord } },
			problems: ["not-found"],
			handle: (call) => getVoid(deps, call),
		},
	];
}

async function postSequence(
	{ sql, clock }: Pick<SequenceDeps, "sql" | "clock" | "environment" | "wake">,
	call: Call,
): Promise<Response> {
	const tenantId = tenantOf(call);
	const { now, today } = atNow(clock);
	return answerOnce<SequenceRequest>(sql, call, async (tx, request) => {
		const day = tenantsDay(now, await findClockAhead(tx, tenantId));
		checkSequenceRequest(request, day);
		const row = await registerSequence(tx, tenantId, request, now);
		const [record] = toSequenceRecords([row], [], today, day);
		return { status: 201, body: record, headers: {} };
	});
}

async function listSequences(
	{ sql, clock }: Pick<SequenceDeps, "sql" | "clock" | "environment" | "wake">,
	call: Call,
): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const items = await readSequences(sql, tenantOf(call), clock.now());
	const { page, place } = cutPage(behind(items, query.after), limit, ({ id }) => id);
	return json(200, { items: page, ...place }, PRIVATE_NO_STORE);
}

async function deleteSequence(
	{ sql, clock }: Pick<SequenceDeps, "sql" | "clock" | "environment" | "wake">,
	call: Call,
): Promise<Response> {
	await sql.begin((tx) => withdrawSequence(tx, tenantOf(call), idFrom(call), clock.now()));
	return new Response(null, { status: 204 });
}

/** A forecast depends on earlier sequences, so all are read. Throws: validation-error for an unknown cursor. */
function behind(items: readonly SequenceRecord[], after: string | undefined): readonly SequenceRecord[] {
	if (after === undefined) return items;
	const at = items.findIndex(({ id }) => id === after);
	if (at >= 0) return items.slice(at + 1);
	const fault = { pointer: "#/query/after", code: "invalid-cursor", detail: msg`Is not a cursor.` };
	throw new Problem("validation-error", { faults: [fault] });
}

async function postLease(
	{ sql, clock, environment, wake }: Pick<SequenceDeps, "sql" | "clock" | "environment" | "wake">,
	call: Call,
): Promise<Response> {
	const tenantId = tenantOf(call);
	const answer = await answerOnce<LeaseRequest>(sql, call, async (tx, request) => {
		const record = toLeaseRecord(await leaseNumbers(tx, tenantId, request, { ...atNow(clock), environment }));
		return { status: 201, body: record, headers: { location: record._links.self } };
	});
	wake();
	return answer;
}

async function getLease(
	{ sql }: Pick<SequenceDeps, "sql" | "clock" | "environment" | "wake">,
	call: Call,
): Promise<Response> {
	const row = await findLease(sql, tenantOf(call), idFrom(call));
	if (!row) throw new Problem("not-found");
	return json(200, toLeaseRecord(row), PRIVATE_NO_STORE);
}

async function deleteLease(
	{ sql }: Pick<SequenceDeps, "sql" | "clock" | "environment" | "wake">,
	call: Call,
): Promise<Response> {
	const row = await sql.begin((tx) => returnLease(tx, tenantOf(call), idFrom(call)));
	return json(200, toLeaseRecord(row), PRIVATE_NO_STORE);
}

async function postVoid(
	{ sql, clock, wake }: Pick<SequenceDeps, "sql" | "clock" | "environment" | "wake">,
	call: Call,
): Promise<Response> {
	const tenantId = tenantOf(call);
	const answer = await answerOnce<VoidRequest>(sql, call, async (tx, request) => {
		const record = toVoidRecord(await requestVoid(tx, tenantId, request, atNow(clock)));
		return { status: 202, body: record, headers: { location: record._links.self, "retry-after": "5" } };
	});
	wake();
	return answer;
}

async function getVoid(
	{ sql }: Pick<SequenceDeps, "sql" | "clock" | "environment" | "wake">,
	call: Call,
): Promise<Response> {
	const row = await findVoid(sql, tenantOf(call), idFrom(call));
	if (!row) throw new Problem("not-found");
	return json(200, toVoidRecord(row), PRIVATE_NO_STORE);
}

/** `today` is the calendar day, by which numbers are counted regardless of the tenant's test clock. */
function atNow(clock: Clock): { now: Date; today: string } {
	const now = clock.now();
	return { now, today: toLocalIsoDate(now) };
}
