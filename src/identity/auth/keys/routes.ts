/**
 * The operations with which an owner manages its API keys.
 *
 * Gap: they require both credentials, like every operation that is not listed otherwise. A customer without a company registers one first,
 * with the key alone, and then has a token; a customer that never has a company gets keys from the operator.
 */
import { answerOnce, idempotencyKeyParameter, WRITE_PROBLEMS } from "../../../platform/idempotency";
import {
	type Call,
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
	pathParameter,
	readPageQuery,
	readQuery,
} from "../../../platform/operation";
import { msg, Problem } from "../../../platform/problem";
import { actorOf } from "../../audit-log";
import {
	CreateKeyRequest,
	KeyPatch,
	KeyRecord,
	NewKeyRecord,
	RotatedKeyRecord,
	RotateKeyRequest,
	toKeyRecord,
} from "./key";
import { changeKey, createKey, KEYS_MAX, type Keeper, type KeyDeps, revokeKey, rotateKey } from "./manage";
import { findOwnKey, type Ring, selectKeyPage } from "./store";

const TAG = "API keys";

const EXAMPLE: KeyRecord = {
	id: "0192f0c0-7a00-7b11-9c22-334455667788",
	...{ prefix: "ak_test_7Hq2", label: "POS backend", plan: "free", scopes: ["registry:read", "company:write"] },
	...{ environment: "sandbox", ipAllowList: ["192.0.2.0/24"], tenantIds: [], contactEmails: ["dev@cliente.do"] },
	createdBy: "0192f0a0-7a00-7b11-9c22-334455667788",
	...{ createdAt: "2026-11-20T14:00:00.000Z", lastUsedAt: null, expiresAt: null },
	_links: { self: "/v1/api-keys/0192f0c0-7a00-7b11-9c22-334455667788" },
};
const KEY_TEXT = { key: "ak_test_shown-once" };
const REPEAT = "The request repeats an idempotency key: the same answer, with `key` null.";

const ID = pathParameter("id", "The key's id.", EXAMPLE.id);
const IDEMPOTENCY_KEY = idempotencyKeyParameter("gets the first answer again, without the key");

export function keyOperations(deps: KeyDeps): Operation[] {
	return [
		{
			id: "listApiKeys",
			sdk: "apiKeys.list",
			...{ method: "GET", path: "/v1/api-keys", tag: TAG, summary: "List the owner's API keys" },
			description: "Newest first, including expired keys. Deleted keys are not listed.",
			...{ credentials: NEEDS_BOTH, scope: "keys:read" },
			parameters: pageParameters(),
			answers: {
				200: pageAnswer("A page of keys, without their secret text.", KeyRecord, EXAMPLE),
			},
			problems: ["validation-error"],
			handle: (call) => list(deps, call),
		},
		{
			id: "createApiKey",
			sdk: "apiKeys.create",
			...{ method: "POST", path: "/v1/api-keys", tag: TAG, summary: "Create an API key" },
			description:
				"The new key has the owner and plan of your credentials. It cannot have more rights: no further scope, address or " +
				`company and no later expiry. Only this answer contains the key. An owner can have ${KEYS_MAX} keys.`,
			...{ credentials: NEEDS_BOTH, scope: "keys:write", confirms: true },
			parameters: [IDEMPOTENCY_KEY],
			body: jsonBody(CreateKeyRequest, {
				...{ label: EXAMPLE.label, scopes: EXAMPLE.scopes, ipAllowList: EXAMPLE.ipAllowList },
				contactEmails: EXAMPLE.contactEmails,
			}),
			answers: {
				201: {
					description: "The key.",
					...{ schema: NewKeyRecord, example: { ...EXAMPLE, ...KEY_TEXT }, headers: { Location: "The key's record." } },
				},
				200: { description: REPEAT, schema: NewKeyRecord, example: { ...EXAMPLE, key: null } },
			},
			problems: [...WRITE_PROBLEMS, "forbidden"],
			handle: (call) => create(deps, call),
		},
		{
			id: "getApiKey",
			sdk: "apiKeys.get",
			...{ method: "GET", path: "/v1/api-keys/{id}", tag: TAG, summary: "Read an API key" },
			description: "The record without the key itself, which only the answers to creation and rotation contain.",
			...{ credentials: NEEDS_BOTH, scope: "keys:read" },
			parameters: [ID],
			answers: { 200: { description: "The record.", schema: KeyRecord, example: EXAMPLE } },
			problems: ["not-found"],
			handle: (call) => read(deps, call),
		},
		{
			id: "patchApiKey",
			sdk: "apiKeys.update",
			...{ method: "PATCH", path: "/v1/api-keys/{id}", tag: TAG, summary: "Change an API key" },
			description:
				"A merge patch (RFC 7396): absent members stay, `null` clears. Scopes and plan never change. Beyond label and contacts " +
				"you cannot change a key with more rights than your credentials. An expired key stays expired. The owner's last full key can be " +
				"neither bound to companies nor given an earlier expiry.",
			...{ credentials: NEEDS_BOTH, scope: "keys:write", confirms: true },
			parameters: [ID, idempotencyKeyParameter()],
			body: patchBody(KeyPatch, { label: "POS backend, north", ipAllowList: ["192.0.2.0/24", "2001:db8::/32"] }),
			answers: {
				200: {
					description: "The record after the change, or the first answer again if an idempotency key is repeated.",
					...{ schema: KeyRecord, example: EXAMPLE },
				},
			},
			problems: [...WRITE_PROBLEMS, "forbidden", "not-found", "last-key"],
			handle: (call) => patch(deps, call),
		},
		{
			id: "rotateApiKey",
			sdk: "apiKeys.rotate",
			...{ method: "POST", path: "/v1/api-keys/{id}/rotate", tag: TAG, summary: "Replace an API key" },
			description:
				"Creates a key with the same scopes, plan, expiry and addresses. The old key stays valid for the grace period; rotating it again " +
				"gives a key that expires with it. You cannot rotate a key with more rights than your credentials.",
			...{ credentials: NEEDS_BOTH, scope: "keys:write", confirms: true },
			parameters: [ID, IDEMPOTENCY_KEY],
			body: jsonBody(RotateKeyRequest, { graceSeconds: 3_600 }, false),
			answers: {
				201: {
					description: "The new key.",
					schema: RotatedKeyRecord,
					example: { ...EXAMPLE, ...KEY_TEXT, previousExpiresAt: "2026-11-21T14:00:00.000Z" },
					headers: { Location: "The new key's record." },
				},
				200: {
					...{ description: REPEAT, schema: RotatedKeyRecord },
					example: { ...EXAMPLE, key: null, previousExpiresAt: "2026-11-21T14:00:00.000Z" },
				},
			},
			problems: [...WRITE_PROBLEMS, "not-found", "forbidden"],
			handle: (call) => rotate(deps, call),
		},
		{
			id: "deleteApiKey",
			sdk: "apiKeys.delete",
			...{ method: "DELETE", path: "/v1/api-keys/{id}", tag: TAG, summary: "Delete an API key" },
			description:
				"Permanent: every process refuses the key within a second. Companies that it has registered stay. A key can delete itself " +
				"and those without more rights than your credentials. The owner's last full key stays: replace a leaked one with " +
				"`POST /v1/api-keys/{id}/rotate` and `graceSeconds: 0`.",
			...{ credentials: NEEDS_BOTH, scope: "keys:write", confirms: true },
			parameters: [ID],
			answers: { 204: { description: "The key is deleted." } },
			problems: ["validation-error", "forbidden", "not-found", "last-key"],
			handle: (call) => remove(deps, call),
		},
	];
}

/**
 * The answers. The demo key has no owner, so it sees no keys. Gap: nor does a person in a company of the demo key, because such a key would
 * open the companies of all who use the demo key.
 */

const GRACE_SECONDS = 86_400;

export async function list(deps: KeyDeps, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const ring = ringOf(deps, call);
	const rows = ring ? await selectKeyPage(deps.sql, ring, query.after, limit) : [];
	const { page, place } = cutPage(rows, limit, ({ id }) => id);
	return json(200, { items: page.map(toKeyRecord), ...place }, PRIVATE_NO_STORE);
}

export async function create(deps: KeyDeps, call: Call): Promise<Response> {
	const keeper = keeperOf(deps, call);
	if (!keeper) {
		throw new Problem("forbidden", {
			detail: msg`The demo key and its companies have no owner, so they cannot create keys.`,
		});
	}
	return answerOnce<CreateKeyRequest>(deps.sql, call, async (tx, request) => {
		const { key, ...made } = await createKey(tx, keeper, request);
		const record = toKeyRecord(made);
		return {
			...{ status: 201, body: { ...record, key }, kept: { ...record, key: null } },
			headers: { location: record._links.self, ...PRIVATE_NO_STORE },
		};
	});
}

export async function read(deps: KeyDeps, call: Call): Promise<Response> {
	const ring = ringOf(deps, call);
	const id = idFrom(call);
	const key = ring && (await findOwnKey(deps.sql, ring, id));
	if (!key) throw new Problem("not-found");
	return json(200, toKeyRecord(key), PRIVATE_NO_STORE);
}

export async function patch(deps: KeyDeps, call: Call): Promise<Response> {
	const keeper = keeperOf(deps, call);
	const id = idFrom(call);
	if (!keeper) throw new Problem("not-found");
	let changed: Buffer | undefined;
	const answer = await answerOnce<KeyPatch>(deps.sql, call, async (tx, changes) => {
		const key = await changeKey(tx, keeper, id, changes);
		changed = key.digest;
		return { status: 200, body: toKeyRecord(key), headers: PRIVATE_NO_STORE };
	});
	if (changed) drop(deps, changed);
	return answer;
}

export async function rotate(deps: KeyDeps, call: Call): Promise<Response> {
	const keeper = keeperOf(deps, call);
	const id = idFrom(call);
	if (!keeper) throw new Problem("not-found");
	let changed: Buffer | undefined;
	const answer = await answerOnce<RotateKeyRequest>(deps.sql, call, async (tx, { graceSeconds = GRACE_SECONDS }) => {
		const { key: made, old } = await rotateKey(tx, keeper, id, graceSeconds);
		changed = old.digest;
		const { key, ...rest } = made;
		const record = { ...toKeyRecord(rest), previousExpiresAt: old.expiresAt?.toISOString() };
		return {
			...{ status: 201, body: { ...record, key }, kept: { ...record, key: null } },
			headers: { location: record._links.self, ...PRIVATE_NO_STORE },
		};
	});
	if (changed) drop(deps, changed);
	return answer;
}

export async function remove(deps: KeyDeps, call: Call): Promise<Response> {
	const keeper = keeperOf(deps, call);
	const id = idFrom(call);
	readQuery(call);
	if (!keeper) throw new Problem("not-found");
	const { digest } = await deps.sql.begin((tx) => revokeKey(tx, keeper, id));
	drop(deps, digest);
	return new Response(null, { status: 204 });
}

function drop(deps: KeyDeps, digest: Buffer): void {
	deps.forget({ kind: "key", subject: digest.toString("hex") });
}

/**
 * The keys that the caller may see; undefined without an owner. Gap: a key sees all of its owner's, whatever companies it opens; a person who
 * sees some companies only, those that open the company of the request.
 */
function ringOf({ environment }: KeyDeps, { principal, operation }: Call): Ring | undefined {
	if (!principal) throw new Error(`operation ${operation.id} has no principal`);
	const { ownerId, person, tenantId } = principal;
	if (ownerId === null) return undefined;
	const isBound = person !== undefined && !person.memberships.some((one) => one.ownerId === ownerId && !one.tenantIds);
	return { ownerId, environment, ...(isBound ? { tenantId } : {}) };
}

function keeperOf(deps: KeyDeps, call: Call): Keeper | undefined {
	const ring = ringOf(deps, call);
	const { principal } = call;
	return ring && principal && { principal, ring, actor: actorOf(call), now: deps.clock.now() };
}
