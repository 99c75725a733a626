/**
 * New signing keys: made for the first start, on a schedule, by the operator.
 *
 *   rotate ──► a new key signs from now on; the former ones verify for 24 hours more, far longer than any token lives
 *   rotate at once ──► the former ones verify nothing any more: every token that is out there ends. For a key that others have
 */
import { generateKeyPairSync } from "node:crypto";
import type { Sql, Tx } from "../../platform/database";
import type { Envelope } from "../../platform/secrets";
import type { Clock } from "../../platform/values";
import { type Actor, operatorActor, recordAudit } from "../audit-log";
import { randomBase62 } from "./base62";
import { earlierTime, insertSigningKey, lockSigningKeys, retireSigningKeys, selectSigningKeys } from "./store";

type Deps = { readonly sql: Sql; readonly envelope: Envelope; readonly clock: Clock };

export type RotatedSigningKeys = {
	/** The key that signs now. */
	readonly kid: string;
	/** Those that signed before it, and until when they verify. */
	readonly former: readonly { readonly kid: string; readonly retireAt: string }[];
};

const OVERLAP_MS = 24 * 3600 * 1000;
/** Gap: how often keys change by themselves. A month is as long as a refresh token lives. */
const AGE_MAX_MS = 30 * OVERLAP_MS;

/** Makes a new key that signs from now on. */
export function rotateSigningKey(
	deps: Deps,
	options: { readonly atOnce?: boolean; readonly actor?: Actor } = {},
): Promise<RotatedSigningKeys> {
	return deps.sql.begin(async (tx) => {
		await lockSigningKeys(tx);
		return rotate(tx, deps, options);
	});
}

/** The same when the key that signs is a month old; undefined when it is not. */
export function rotateWhenDue(deps: Deps): Promise<RotatedSigningKeys | undefined> {
	return deps.sql.begin(async (tx) => {
		await lockSigningKeys(tx);
		const now = deps.clock.now();
		const [newest] = await selectSigningKeys(tx, now);
		const isDue = newest?.retireAt !== null || now.getTime() - newest.createdAt.getTime() >= AGE_MAX_MS;
		return isDue ? rotate(tx, deps, {}) : undefined;
	});
}

async function rotate(
	tx: Tx,
	deps: Deps,
	{ atOnce = false, actor = operatorActor() }: { readonly atOnce?: boolean; readonly actor?: Actor },
): Promise<RotatedSigningKeys> {
	const now = deps.clock.now();
	const retireAt = atOnce ? await earlierTime(tx, now) : new Date(now.getTime() + OVERLAP_MS);
	const retired = await retireSigningKeys(tx, retireAt);
	const kid = await addKey(tx, deps);
	await recordAudit(tx, { at: now, actor, action: "signing-key.rotate", subject: kid, details: { atOnce } });
	return { kid, former: retired.map((key) => ({ kid: key.kid, retireAt: key.retireAt.toISOString() })) };
}

/** Makes a key within a transaction that holds the lock of the signing keys; answers its id. */
export async function addKey(tx: Tx, deps: Pick<Deps, "envelope" | "clock">): Promise<string> {
	const now = deps.clock.now();
	const kid = `${now.toISOString().slice(0, 7)}-${randomBase62(8)}`;
	const pair = generateKeyPairSync("ed25519");
	const { x } = pair.publicKey.export({ format: "jwk" });
	if (!x) throw new Error("the runtime exported an Ed25519 key without its x");
	const secret = pair.privateKey.export({ format: "der", type: "pkcs8" });
	const sealedPrivateKey = Buffer.from(deps.envelope.seal(secret, placeOfKey(kid)));
	secret.fill(0);
	const publicJwk = { kty: "OKP", crv: "Ed25519", x, kid, alg: "EdDSA", use: "sig" };
	await insertSigningKey(tx, { kid, publicJwk, sealedPrivateKey, now });
	return kid;
}

/** What the private part of a key is sealed for. */
export function placeOfKey(kid: string): string {
	return `token-key|${kid}`;
}
