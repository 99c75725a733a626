/**
 * The Ed25519 keys that sign attestations and the receipts of erasures. All processes share them through the database; the private part is
 * sealed under the key-encryption key.
 *
 * The newest key signs. Every key verifies for ever, since what it signed has no end. Access tokens have keys of their own, which end.
 */
import { createHash, createPublicKey, type KeyObject, sign } from "node:crypto";
import type { JWK } from "jose";
import { operatorActor, recordAudit } from "../../identity/audit-log";
import { createSingleFlight, withTimeout } from "../../platform/concurrency";
import type { Sql, Tx } from "../../platform/database";
import { createSealedKey, type Envelope, openSealedKey, toPublicJwk } from "../../platform/secrets";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import { insertRegistryKey, lockRegistryKeys, selectRegistryKeys } from "./keys-store";

export type RegistryKeys = {
	/** A compact JWS over claims with the newest key. `typ` keeps one kind of statement from counting as another. */
	readonly sign: (typ: string, claims: object) => Promise<string>;
	readonly find: (kid: string) => Promise<KeyObject | undefined>;
	/** All public keys, newest first. Source: RFC 7517. */
	readonly publicKeys: () => Promise<readonly JWK[]>;
};

export type RegistryKeysDeps = {
	readonly sql: Sql;
	readonly envelope: Envelope;
	readonly clock: Clock;
	readonly log: Log;
};

/** What is signed is verified years later, so a process may use the former key for a second. */
const READ_EVERY_MS = 1_000;
/** Who signs may hold a connection, and all others may do the same: then the read gets none before they have signed. */
const READ_WAIT_MS = 500;

type ReadKeys = {
	readonly signer: { readonly kid: string; readonly privateKey: KeyObject };
	readonly verifiers: ReadonlyMap<string, { readonly jwk: JWK; readonly publicKey: KeyObject }>;
};

/** Reads the keys, and creates the first one. Throws if the database is down or the newest key does not open. */
export async function openRegistryKeys(deps: RegistryKeysDeps): Promise<RegistryKeys> {
	const { sql, log } = deps;
	await sql.begin(async (tx) => {
		await lockRegistryKeys(tx);
		if ((await selectRegistryKeys(tx)).length === 0) await addKey(tx, deps);
	});
	let current = await readKeys(deps, undefined);
	let readAt = performance.now();
	const reading = createSingleFlight<void>();
	const readAgain = async (): Promise<void> => {
		readAt = performance.now();
		try {
			current = await readKeys(deps, current);
		} catch (err) {
			// The known keys stay good: none ever ends.
			log.warn({ event: "registry-key.read_failed", err }, "registry keys not read again; the known ones are used");
		}
	};
	const latest = async (): Promise<ReadKeys> => {
		if (performance.now() - readAt >= READ_EVERY_MS) {
			await withTimeout(reading.run("", readAgain), READ_WAIT_MS, () => undefined);
		}
		return current;
	};
	return {
		sign: async (typ, claims) => {
			const { kid, privateKey } = (await latest()).signer;
			const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
			const text = `${encode({ alg: "EdDSA", kid, typ })}.${encode(claims)}`;
			return `${text}.${sign(null, Buffer.from(text), privateKey).toString("base64url")}`;
		},
		find: async (kid) => (current.verifiers.get(kid) ?? (await latest()).verifiers.get(kid))?.publicKey,
		publicKeys: async () => [...(await latest()).verifiers.values()].map(({ jwk }) => jwk),
	};
}

async function readKeys({ sql, envelope }: RegistryKeysDeps, known: ReadKeys | undefined): Promise<ReadKeys> {
	const rows = await selectRegistryKeys(sql);
	const [newest] = rows;
	if (!newest) throw new Error("there is no registry key: rotate the registry's key");
	const { kid, sealedPrivateKey } = newest;
	const verifiers = rows.map(({ kid, publicJwk }) => {
		const publicKey = () => createPublicKey({ key: publicJwk, format: "jwk" });
		return [kid, known?.verifiers.get(kid) ?? { jwk: publicJwk, publicKey: publicKey() }] as const;
	});
	const signer = () => ({ kid, privateKey: openSealedKey(envelope, sealedPrivateKey, registryKeyContext(kid)) });
	return { signer: known?.signer.kid === kid ? known.signer : signer(), verifiers: new Map(verifiers) };
}

/** Creates a key that signs from now on, for the operator; every process uses it within a second. Returns its id. */
export function rotateRegistryKey(deps: Omit<RegistryKeysDeps, "log">): Promise<{ readonly kid: string }> {
	return deps.sql.begin(async (tx) => {
		await lockRegistryKeys(tx);
		const kid = await addKey(tx, deps);
		const did = { actor: operatorActor(), action: "registry-key.rotate", subject: kid, details: {} };
		await recordAudit(tx, { at: deps.clock.now(), ...did });
		return { kid };
	});
}

async function addKey(tx: Tx, { envelope, clock }: Omit<RegistryKeysDeps, "log">): Promise<string> {
	const now = clock.now();
	const kidOf = (key: Uint8Array) =>
		`registry-${now.toISOString().slice(0, 7)}-${createHash("sha256").update(key).digest("hex").slice(0, 8)}`;
	const { publicKey, sealedPrivateKey } = createSealedKey(envelope, (key) => registryKeyContext(kidOf(key)));
	const kid = kidOf(publicKey);
	await insertRegistryKey(tx, { kid, publicJwk: toPublicJwk(kid, publicKey), sealedPrivateKey, now });
	return kid;
}

/** The context under which a key's private part is sealed. */
export function registryKeyContext(kid: string): string {
	return `registry-key|${kid}`;
}
