/** What an owner does with its keys. Each step is one transaction, which also writes the audit entry. */
import type { Sql, Tx } from "../../../platform/database";
import type { Principal } from "../../../platform/operation";
import { type Fault, type Message, msg, Problem } from "../../../platform/problem";
import { type Clock, type Environment, parseInstant } from "../../../platform/values";
import { type Actor, type AuditEntry, recordAudit } from "../../audit-log";
import { type ApiKey, type CreatedApiKey, drawKey } from "../api-key";
import { isInForce } from "../client";
import type { Directory } from "../directory";
import { unauthorised } from "../refusal";
import { DEFAULT_SCOPES, lackOfScopes } from "../scope";
import { digestOf } from "../secret";
import { findCompanyIdsOf, insertKey, type KeyRow } from "../store";
import {
	type CreateKeyRequest,
	findEndFaults,
	findExcess,
	findFurtherCompanies,
	findLateEnd,
	findRangeFaults,
	findWideList,
	type Giver,
	type KeyPatch,
	missingScopes,
} from "./key";
import { countKeys, hasEqualKey, lockOwner, lockOwnKey, type Ring, updateKey } from "./store";

export type KeyDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly environment: Environment;
	/** Drops what a change made stale in this process. */
	readonly forget: Directory["forget"];
};

/** Who changes a key: the caller, the owner and environment of the keys, and both as the audit names them. */
export type Keeper = { readonly principal: Principal; readonly ring: Ring; readonly actor: Actor; readonly now: Date };

/** Gap: the most valid keys of one owner, including those in their grace period. */
export const KEYS_MAX = 100;

/** Creates a key with the plan of the caller. Throws: validation-error; insufficient-scope for scopes that the caller lacks. */
export async function createKey(tx: Tx, keeper: Keeper, request: CreateKeyRequest): Promise<CreatedApiKey> {
	const { principal, ring, now } = keeper;
	const giver = await lockGiver(tx, keeper);
	const scopes = [...new Set(request.scopes ?? DEFAULT_SCOPES.filter((scope) => principal.scopes.has(scope)))];
	const lacking = missingScopes(principal.scopes, scopes);
	if (lacking.length > 0) throw lackOfScopes(lacking, msg`A key gives only scopes that your credentials have.`);
	// Defaults follow the giver.
	const end = request.expiresAt == null ? undefined : parseInstant(request.expiresAt);
	const expiresAt = request.expiresAt === undefined ? giver.expiresAt : (end ?? null);
	const ipAllowList = request.ipAllowList ?? giver.ipAllowList;
	const tenantIds = [...new Set(request.tenantIds ?? giver.tenantIds)];
	const faults = [
		...(request.expiresAt == null ? [] : findEndFaults(end, now)),
		...(request.ipAllowList ?? []).flatMap(findRangeFaults),
		...(await findForeignCompanies(tx, ring, request.tenantIds ?? [])),
	];
	if (faults.length === 0) faults.push(...findExcess(giver, { expiresAt, ipAllowList, tenantIds }));
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	await refuseTooMany(tx, ring, now);
	const { label, contactEmails = [] } = request;
	const wish = {
		label,
		scopes,
		expiresAt,
		ipAllowList,
		tenantIds,
		contactEmails,
		plan: giver.plan,
		createdBy: giver.id,
	};
	const key = drawKey({ ...wish, ...ring }, now);
	await insertKey(tx, { ...key, digest: digestOf(key.key) });
	await recordMadeKey(tx, keeper.actor, key);
	return key;
}

/**
 * Creates a copy of a key, which ends after the grace period. A key that was rotated already gives one that ends with it, so a copy of the
 * old key leads no further. Throws: not-found, validation-error; insufficient-scope and forbidden for a key with more rights than the
 * caller's.
 */
export async function rotateKey(
	tx: Tx,
	keeper: Keeper,
	id: string,
	graceSeconds: number,
): Promise<{ key: CreatedApiKey; old: KeyRow }> {
	const { ring, actor, now } = keeper;
	const giver = await lockGiver(tx, keeper);
	const before = await takeKey(tx, ring, id);
	// The caller holds this key already.
	if (before.id !== giver.id) refuseExcess(keeper.principal, giver, before);
	if (before.expiresAt !== null && before.expiresAt <= now) throw refuse("key-expired", "", msg`The key has expired.`);
	await refuseTooMany(tx, ring, now);
	const { label, plan, scopes, ipAllowList, tenantIds, contactEmails, expiresAt } = before;
	const like = { label, plan, scopes, ipAllowList, tenantIds, contactEmails, expiresAt };
	const key = drawKey({ ...like, createdBy: giver.id, follows: before.id, ...ring }, now);
	const graceEnd = new Date(now.getTime() + graceSeconds * 1_000);
	const old = { ...before, expiresAt: expiresAt !== null && expiresAt < graceEnd ? expiresAt : graceEnd };
	await updateKey(tx, old);
	await insertKey(tx, { ...key, digest: digestOf(key.key) });
	await recordMadeKey(tx, actor, key, old);
	return { key, old };
}

/**
 * Changes a key. Throws: not-found, validation-error; insufficient-scope and forbidden for a key with more rights than the caller's, except its
 * label and contacts; last-key.
 */
export async function changeKey(tx: Tx, keeper: Keeper, id: string, patch: KeyPatch): Promise<KeyRow> {
	const { principal, ring, actor, now } = keeper;
	const giver = await lockGiver(tx, keeper);
	const before = await takeKey(tx, ring, id);
	if (Object.keys(patch).length === 0) return before;
	const end = patch.expiresAt == null ? undefined : parseInstant(patch.expiresAt);
	const expiresAt = patch.expiresAt === undefined ? before.expiresAt : (end ?? null);
	const ipAllowList = patch.ipAllowList === undefined ? before.ipAllowList : (patch.ipAllowList ?? []);
	const tenantIds = patch.tenantIds === undefined ? before.tenantIds : [...new Set(patch.tenantIds ?? [])];
	const faults = [
		...(patch.expiresAt == null ? [] : findEndFaults(end, now)),
		...(patch.ipAllowList ?? []).flatMap(findRangeFaults),
		...(await findForeignCompanies(tx, ring, patch.tenantIds ?? [])),
	];
	const isLonger = findLateEnd(before, expiresAt).length > 0;
	if (isLonger && before.expiresAt !== null && before.expiresAt <= now) {
		faults.push({
			pointer: "/expiresAt",
			code: "key-expired",
			detail: msg`The key has expired for good. Create another one.`,
		});
	}
	if (faults.length === 0 && isLonger) faults.push(...findLateEnd(giver, expiresAt));
	if (faults.length === 0 && (isLonger || patch.ipAllowList !== undefined))
		faults.push(...findWideList(giver, ipAllowList));
	if (faults.length === 0 && (isLonger || patch.tenantIds !== undefined))
		faults.push(...findFurtherCompanies(giver, tenantIds));
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	const isFreed =
		isLonger || findWideList(before, ipAllowList).length > 0 || findFurtherCompanies(before, tenantIds).length > 0;
	const isBound = ["expiresAt", "ipAllowList", "tenantIds"].some((name) => name in patch);
	if (isFreed || (isBound && before.id !== giver.id)) refuseStronger(principal, giver, before);
	const { label = before.label } = patch;
	const contactEmails = patch.contactEmails === undefined ? before.contactEmails : (patch.contactEmails ?? []);
	const key = { ...before, label, contactEmails, ipAllowList, tenantIds, expiresAt };
	if (findLateEnd(key, before.expiresAt).length > 0 || findFurtherCompanies(key, before.tenantIds).length > 0) {
		await refuseLast(tx, ring, before, now);
	}
	await updateKey(tx, key);
	const details = { members: Object.keys(patch).join(" ") };
	await recordAudit(tx, { at: now, actor, action: "key.change", subject: id, details });
	return key;
}

/** Ends a key at once. Throws: not-found; insufficient-scope and forbidden for a key with more rights than the caller's; last-key. */
export async function revokeKey(tx: Tx, keeper: Keeper, id: string): Promise<KeyRow> {
	const { principal, ring, actor, now } = keeper;
	const giver = await lockGiver(tx, keeper);
	const before = await takeKey(tx, ring, id);
	if (before.id !== giver.id) refuseStronger(principal, giver, before);
	await refuseLast(tx, ring, before, now);
	await updateKey(tx, { ...before, revokedAt: now });
	await recordAudit(tx, { at: now, actor, ...revocationOf(id) });
	return before;
}

/** The current row of the sent key, or a person's rights; the lock keeps others from creating keys of the owner meanwhile. */
async function lockGiver(tx: Tx, { principal, ring }: Keeper): Promise<Giver> {
	await lockOwner(tx, ring.ownerId);
	if (principal.person) {
		const tenantIds = ring.tenantId === undefined ? [] : [ring.tenantId];
		return { id: null, plan: principal.plan, expiresAt: null, ipAllowList: [], tenantIds };
	}
	const giver = principal.keyId === undefined ? undefined : await lockOwnKey(tx, ring, principal.keyId);
	// Revoked after the guard passed it.
	if (!giver) throw unauthorised(msg`The API key is not valid.`);
	return giver;
}

async function takeKey(tx: Tx, ring: Ring, id: string): Promise<KeyRow> {
	const key = await lockOwnKey(tx, ring, id);
	if (!key) throw new Problem("not-found");
	return key;
}

function refuseExcess({ scopes }: Principal, giver: Giver, wanted: ApiKey): void {
	const lacking = missingScopes(scopes, wanted.scopes);
	if (lacking.length > 0) throw lackOfScopes(lacking, msg`The new key would have scopes that your credentials lack.`);
	const [excess] = findExcess(giver, wanted);
	if (excess) throw new Problem("forbidden", { detail: excess.detail });
}

/** A key that may do more, or opens more companies, is not ended, narrowed or bound by one that may do less. */
function refuseStronger({ scopes }: Principal, giver: Giver, wanted: ApiKey): void {
	const lacking = missingScopes(scopes, wanted.scopes);
	if (lacking.length > 0) throw lackOfScopes(lacking, msg`The key has scopes that your credentials lack.`);
	if (findFurtherCompanies(giver, wanted.tenantIds).length === 0) return;
	throw new Problem("forbidden", { detail: msg`The key opens companies that your credentials do not open.` });
}

/**
 * Refuses to end a full key, which opens all companies and manages keys, while no other key of the owner could replace it: only the operator
 * could then help. Gap: it is full whatever else its scopes are; the other key has at least these and ends no earlier.
 */
async function refuseLast(tx: Tx, ring: Ring, key: ApiKey, now: Date): Promise<void> {
	const isFull = key.tenantIds.length === 0 && key.scopes.includes("keys:write") && isInForce(key, now);
	if (isFull && !(await hasEqualKey(tx, ring, key))) throw new Problem("last-key");
}

/** Violations of ids that name no company of the owner. */
async function findForeignCompanies(tx: Tx, { ownerId }: Ring, ids: readonly string[]): Promise<Fault[]> {
	const own = ids.length === 0 ? [] : await findCompanyIdsOf(tx, ownerId, ids);
	const detail = msg`Is not a company of the key's owner.`;
	return ids.flatMap((id, i) =>
		own.includes(id) ? [] : [{ pointer: `/tenantIds/${i}`, code: "unknown-company", detail }],
	);
}

async function refuseTooMany(tx: Tx, ring: Ring, now: Date): Promise<void> {
	if ((await countKeys(tx, ring, now)) < KEYS_MAX) return;
	throw refuse("too-many-keys", "", msg`An owner has ${KEYS_MAX} keys at most. Remove one first.`);
}

function refuse(code: string, pointer: string, detail: Message): Problem {
	return new Problem("validation-error", { faults: [{ pointer, code, detail }] });
}

/** What the audit records of key changes: never the key, nor its e-mail address. */

/** Records a created key and, for a rotation, the key that it follows. */
export async function recordMadeKey(tx: Tx, actor: Actor, key: ApiKey, follows?: ApiKey): Promise<void> {
	const end = key.expiresAt?.toISOString() ?? null;
	const details = {
		prefix: key.prefix,
		label: key.label,
		plan: key.plan,
		scopes: key.scopes.join(" "),
		expiresAt: end,
	};
	const made = { at: key.createdAt, actor, subject: key.id };
	if (follows) await recordAudit(tx, { ...made, action: "key.rotate", details: { ...details, follows: follows.id } });
	else await recordAudit(tx, { ...made, action: "key.create", details });
}

/** Records that a key will end, or has ended. */
export const revocationOf = (id: string): Pick<AuditEntry, "action" | "subject" | "details"> => ({
	...{ action: "key.revoke", subject: id, details: {} },
});
