/** How the operations on API keys are answered. The demo key is nobody's, so there are no keys beside it. */

import { answerOnce } from "../../../platform/idempotency";
import { type Call, cutPage, idFrom, json, NOT_KEPT, readPageQuery, readQuery } from "../../../platform/operation";
import { Problem } from "../../../platform/problem";
import { actorOf } from "../../audit-log";
import { type CreateKeyRequest, type KeyPatch, type RotateKeyRequest, toKeyRecord } from "./key";
import { changeKey, createKey, type Keeper, type KeyDeps, revokeKey, rotateKey } from "./manage";
import { findOwnKey, type Ring, selectKeyPage } from "./store";

const GRACE_SECONDS = 86_400;

export async function list(deps: KeyDeps, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const ring = ringOf(deps, call);
	const rows = ring ? await selectKeyPage(deps.sql, ring, query.after, limit) : [];
	const { page, place } = cutPage(rows, limit, ({ id }) => id);
	return json(200, { items: page.map(toKeyRecord), ...place }, NOT_KEPT);
}

export async function create(deps: KeyDeps, call: Call): Promise<Response> {
	const keeper = keeperOf(deps, call);
	if (!keeper) {
		throw new Problem("forbidden", {
			detail: "The demo key belongs to nobody, so nobody could own a key that it makes.",
		});
	}
	return answerOnce<CreateKeyRequest>(deps.sql, call, async (tx, request) => {
		const { key, ...made } = await createKey(tx, keeper, request);
		const record = toKeyRecord(made);
		return {
			...{ status: 201, body: { ...record, key }, kept: { ...record, key: null } },
			headers: { location: record._links.self, ...NOT_KEPT },
		};
	});
}

export async function read(deps: KeyDeps, call: Call): Promise<Response> {
	const ring = ringOf(deps, call);
	const id = idFrom(call);
	const key = ring && (await findOwnKey(deps.sql, ring, id));
	if (!key) throw new Problem("not-found");
	return json(200, toKeyRecord(key), NOT_KEPT);
}

export async function patch(deps: KeyDeps, call: Call): Promise<Response> {
	const keeper = keeperOf(deps, call);
	const id = idFrom(call);
	if (!keeper) throw new Problem("not-found");
	let changed: Buffer | undefined;
	const answer = await answerOnce<KeyPatch>(deps.sql, call, async (tx, changes) => {
		const key = await changeKey(tx, keeper, id, changes);
		changed = key.digest;
		return { status: 200, body: toKeyRecord(key), headers: NOT_KEPT };
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
			headers: { location: record._links.self, ...NOT_KEPT },
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

/** The keys that the caller may see; undefined for the demo key, which is nobody's. */
function ringOf({ environment }: KeyDeps, { principal, operation }: Call): Ring | undefined {
	if (!principal) throw new Error(`operation ${operation.id} has no principal`);
	return principal.ownerId === null ? undefined : { ownerId: principal.ownerId, environment };
}

function keeperOf(deps: KeyDeps, call: Call): Keeper | undefined {
	const ring = ringOf(deps, call);
	const { principal } = call;
	return ring && principal && { principal, ring, actor: actorOf(call), now: deps.clock.now() };
}
