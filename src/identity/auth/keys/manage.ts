/** What an owner does with its keys. Each step is one transaction's work and is written to the audit in it. */
import type { Sql, Tx } from "../../../platform/database";
import type { Principal } from "../../../platform/operation";
import { Problem } from "../../../platform/problem";
import { type Clock, type Environment, parseInstant } from "../../../platform/values";
import { type Actor, type AuditEntry, recordAudit } from "../../audit-log";
import { type ApiKey, type CreatedApiKey, drawKey } from "../api-key";
import type { Directory } from "../directory";
import { unauthorised } from "../refusal";
import { DEFAULT_SCOPES, lackOfScopes } from "../scope";
import { digestOf } from "../secret";
import { insertKey, type KeyRow } from "../store";
import {
	type CreateKeyRequest,
	findEndFaults,
	findExcess,
	findLateEnd,
	findRangeFaults,
	findWideList,
	type KeyPatch,
	missingScopes,
} from "./key";
import { countKeys, lockOwner, lockOwnKey, type Ring, updateKey } from "./store";

export type KeyDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly environment: Environment;
	/** Drops at once, in this process, what a change made untrue. */
	readonly forget: Directory["forget"];
};

/** Who changes a key: the caller, whose keys are meant, and how the audit names both. */
export type Keeper = { readonly principal: Principal; readonly ring: Ring; readonly actor: Actor; readonly now: Date };

/** Gap: keys of one owner that count at the same time, those in their grace included. */
export const KEYS_MAX = 100;

/**
 * Makes a key with the plan of the one that is sent. Throws: validation-error; insufficient-scope for scopes that the
 * caller lacks itself.
 */
export async function createKey(tx: Tx, keeper: Keeper, request: CreateKeyRequest): Promise<CreatedApiKey> {
	const { principal, ring, now } = keeper;
	const giver = await lockGiver(tx, keeper);
	const scopes = [...new Set(request.scopes ?? DEFAULT_SCOPES.filter((scope) => principal.scopes.has(scope)))];
	const lacking = missingScopes(principal.scopes, scopes);
	if (lacking.length > 0) throw lackOfScopes(lacking, "A key gives only scopes that your credentials have.");
	// What is not told follows the key that is sent.
	const end = request.expiresAt == null ? undefined : parseInstant(request.expiresAt);
	const expiresAt = request.expiresAt === undefined ? giver.expiresAt : (end ?? null);
	const ipAllowList = request.ipAllowList ?? giver.ipAllowList;
	const faults = [
		...(request.expiresAt == null ? [] : findEndFaults(end, now)),
		...(request.ipAllowList ?? []).flatMap(findRangeFaults),
	];
	if (faults.length === 0) faults.push(...findExcess(giver, { expiresAt, ipAllowList }));
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	await refuseTooMany(tx, ring, now);
	const { label, contactEmails = [] } = request;
	const wish = { label, scopes, expiresAt, ipAllowList, contactEmails, plan: giver.plan, createdBy: giver.id };
	const key = drawKey({ ...wish, ...ring }, now);
	await insertKey(tx, { ...key, digest: digestOf(key.key) });
	await recordMadeKey(tx, keeper.actor, key);
	return key;
}

/**
 * Makes a key that is like another one, which ends after the grace. One that has been rotated already gives a key that ends
 * with it: whoever has a copy of the old one gets no further. Throws: not-found, validation-error; insufficient-scope and forbidden for a key
 * that may do more than the caller.
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
	// Who holds the very key learns nothing new by it.
	if (before.id !== giver.id) refuseExcess(keeper.principal, giver, before);
	if (before.expiresAt !== null && before.expiresAt <= now) throw refuse("key-expired", "", "The key has expired.");
	await refuseTooMany(tx, ring, now);
	const { label, plan, scopes, ipAllowList, contactEmails, expiresAt } = before;
	const like = { label, plan, scopes, ipAllowList, contactEmails, expiresAt };
	const key = drawKey({ ...like, createdBy: giver.id, follows: before.id, ...ring }, now);
	const graceEnd = new Date(now.getTime() + graceSeconds * 1_000);
	const old = { ...before, expiresAt: expiresAt !== null && expiresAt < graceEnd ? expiresAt : graceEnd };
	await updateKey(tx, old);
	await insertKey(tx, { ...key, digest: digestOf(key.key) });
	await recordMadeKey(tx, actor, key, old);
	return { key, old };
}

/**
 * Changes what may change of a key. Throws: not-found, validation-error; insufficient-scope for freeing a key that may do more than
 * the caller from addresses, or giving it more time: whoever has a copy of it would get further.
 */
export async function changeKey(tx: Tx, keeper: Keeper, id: string, patch: KeyPatch): Promise<KeyRow> {
	const { principal, ring, actor, now } = keeper;
	const giver = await lockGiver(tx, keeper);
	const before = await takeKey(tx, ring, id);
	if (Object.keys(patch).length === 0) return before;
	const end = patch.expiresAt == null ? undefined : parseInstant(patch.expiresAt);
	const expiresAt = patch.expiresAt === undefined ? before.expiresAt : (end ?? null);
	const ipAllowList = patch.ipAllowList === undefined ? before.ipAllowList : (patch.ipAllowList ?? []);
	const faults = [
		...(patch.expiresAt == null ? [] : findEndFaults(end, now)),
		...(patch.ipAllowList ?? []).flatMap(findRangeFaults),
	];
	const isLonger = findLateEnd(before, expiresAt).length > 0;
	if (isLonger && before.expiresAt !== null && before.expiresAt <= now) {
		faults.push({
			pointer: "/expiresAt",
			code: "key-expired",
			detail: "The key has expired and stays so: make another one.",
		});
	}
	if (faults.length === 0 && isLonger) faults.push(...findLateEnd(giver, expiresAt));
	if (faults.length === 0 && (isLonger || patch.ipAllowList !== undefined))
		faults.push(...findWideList(giver, ipAllowList));
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	if (isLonger || findWideList(before, ipAllowList).length > 0) {
		const lacking = missingScopes(principal.scopes, before.scopes);
		if (lacking.length > 0)
			throw lackOfScopes(lacking, "The key that would be freed has scopes that your credentials lack.");
	}
	const { label = before.label } = patch;
	const contactEmails = patch.contactEmails === undefined ? before.contactEmails : (patch.contactEmails ?? []);
	const key = { ...before, label, contactEmails, ipAllowList, expiresAt };
	await updateKey(tx, key);
	const details = { members: Object.keys(patch).join(" ") };
	await recordAudit(tx, { at: now, actor, action: "key.change", subject: id, details });
	return key;
}

/** Ends a key at once. Throws: not-found. */
export async function revokeKey(tx: Tx, { ring, actor, now }: Keeper, id: string): Promise<KeyRow> {
	const before = await takeKey(tx, ring, id);
	await updateKey(tx, { ...before, revokedAt: now });
	await recordAudit(tx, { at: now, actor, ...revocationOf(id) });
	return before;
}

/** The key that was sent, as it is now; nobody else makes keys of the owner meanwhile. */
async function lockGiver(tx: Tx, { principal, ring }: Keeper): Promise<ApiKey> {
	await lockOwner(tx, ring.ownerId);
	const giver = principal.keyId === undefined ? undefined : await lockOwnKey(tx, ring, principal.keyId);
	// Revoked since the guard let it in.
	if (!giver) throw unauthorised("The API key is not valid.");
	return giver;
}

async function takeKey(tx: Tx, ring: Ring, id: string): Promise<KeyRow> {
	const key = await lockOwnKey(tx, ring, id);
	if (!key) throw new Problem("not-found");
	return key;
}

function refuseExcess({ scopes }: Principal, giver: ApiKey, wanted: ApiKey): void {
	const lacking = missingScopes(scopes, wanted.scopes);
	if (lacking.length > 0) throw lackOfScopes(lacking, "The new key would have scopes that your credentials lack.");
	const [excess] = findExcess(giver, wanted);
	if (excess) throw new Problem("forbidden", { detail: excess.detail });
}

async function refuseTooMany(tx: Tx, ring: Ring, now: Date): Promise<void> {
	if ((await countKeys(tx, ring, now)) < KEYS_MAX) return;
	throw refuse("too-many-keys", "", `An owner has ${KEYS_MAX} keys at most. Remove one first.`);
}

function refuse(code: string, pointer: string, detail: string): Problem {
	return new Problem("validation-error", { faults: [{ pointer, code, detail }] });
}

/** What the audit keeps of changes to keys: never the key, nor whom its mail goes to. */

/** Notes that a key was made; of a rotation, which one it follows. */
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

/** Notes that a key will end, or has. */
export const revocationOf = (id: string): Pick<AuditEntry, "action" | "subject" | "details"> => ({
	...{ action: "key.revoke", subject: id, details: {} },
});
