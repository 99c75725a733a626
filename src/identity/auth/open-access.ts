import type { Sql, Tx } from "../../platform/database";
import type { Operation } from "../../platform/operation";
import type { Envelope } from "../../platform/secrets";
import type { Log } from "../../platform/telemetry";
import { type Clock, type Environment, isId, newId } from "../../platform/values";
import { type Actor, operatorActor, recordAudit } from "../audit-log";
import { type ApiKey, type CreatedApiKey, drawKey, type NewApiKey } from "./api-key";
import { type Authenticate, createAuthenticate, createRecognise, type Recognise } from "./authenticate";
import { type ClientCredentials, createClient, type NewClient, retireClients } from "./client";
import { ensureDemo, findDemoKey } from "./demo";
import { type Directory, isAddressRange, openDirectory, openKeyUse } from "./directory";
import { createGrants } from "./grant";
import { recordMadeKey, revocationOf } from "./keys/manage";
import { keyOperations } from "./keys/routes";
import { accessOperations } from "./routes";
import { digestOf } from "./secret";
import { openSigningKeys, type RotatedSigningKeys, rotateSigningKey, rotateWhenDue } from "./signing-keys";
import { deleteExpired, insertKey, insertOwner, isOwner, revokeKeyRow, selectKeys } from "./store";
import { createTokens } from "./token";

export type Access = {
	/** Undefined where there is none, or its operator has revoked it. */
	readonly findDemoKey: () => Promise<string | undefined>;
	readonly authenticate: Authenticate;
	readonly recognise: Recognise;
	/** Makes a key, and an owner for it unless one is named. Throws a RangeError for an address that is none. */
	readonly createKey: (request: NewApiKey) => Promise<CreatedApiKey>;
	/** Newest first, revoked ones included; those of one owner, or all. */
	readonly listKeys: (ownerId?: string) => Promise<ApiKey[]>;
	/** False when there is no such key or it was revoked before. Every process refuses the key within a second. */
	readonly revokeKey: (id: string) => Promise<boolean>;
	/** Makes the credentials of a company in the transaction that makes the company. */
	readonly createClient: (tx: Tx, request: NewClient) => Promise<ClientCredentials>;
	/** Lets the credentials that a company has now end at a moment; for those that replace them, call it before. */
	readonly retireClients: (tx: Tx, tenantId: string, endsAt: Date) => Promise<void>;
	/** Signs claims as a receipt: a compact JWS, verifiable with the public keys of the service. */
	readonly signReceipt: (claims: Readonly<Record<string, unknown>>) => Promise<string>;
	/** Makes a new signing key; the former ones verify for 24 hours more, or with `atOnce` no longer. */
	readonly rotateSigningKey: (options?: { readonly atOnce?: boolean }) => Promise<RotatedSigningKeys>;
	/** The same once a month; undefined when it was not due. For the scheduler. */
	readonly rotateSigningKeyWhenDue: () => Promise<RotatedSigningKeys | undefined>;
	readonly operations: readonly Operation[];
	/** Those with which owners keep their keys: for processes that serve companies, whose tokens they need. */
	readonly keyOperations: readonly Operation[];
	/** Removes tokens that have been of no use for a day; answers how many. For the scheduler. */
	readonly sweep: () => Promise<number>;
	/** Ends the timers and the listener and writes what is noted. The connections stay with their owner. */
	readonly close: () => Promise<void>;
};

const KEPT_AFTER_EXPIRY_MS = 24 * 3600 * 1000;

/** Opens access for one deployment: makes the first signing key and, in the sandboxes, the demo key and client. */
export async function openAccess(deps: {
	sql: Sql;
	/**
	 * Connections for nothing but knowing callers and hearing of changes, so that neither waits behind the statements of others; `sql`
	 * unless told otherwise.
	 */
	directorySql?: Sql;
	envelope: Envelope;
	environment: Environment;
	/** Issuer of the tokens and base of the links, without a slash at the end. */
	baseUrl: string;
	clock: Clock;
	log: Log;
}): Promise<Access> {
	const { sql, envelope, environment, baseUrl, clock, log } = deps;
	await ensureDemo({ sql, environment, now: clock.now() });
	const keys = await openSigningKeys({ sql, envelope, clock, log, onChanged: () => tokens.forgetVerified() });
	const tokens = createTokens({ keys, clock, environment, baseUrl, log });
	let isReloadFailing = false;
	const reloadKeys = async (): Promise<void> => {
		try {
			await keys.reload();
			isReloadFailing = false;
		} catch (err) {
			// While the database is away this comes round each second.
			if (!isReloadFailing) log.error({ event: "signing-key.read_failed", err }, "cannot read the signing keys");
			isReloadFailing = true;
		}
	};
	const directory = await openDirectory({ sql: deps.directorySql ?? sql, log, onSigningKeysChanged: reloadKeys });
	const keyUse = openKeyUse({ sql, clock, log });
	const grants = createGrants({ sql, tokens, directory, environment, clock });
	/** Whoever has rotated signs with the new key from here on: a retired one may verify nowhere any more. */
	const signAnew = async <T>(rotated: T): Promise<T> => {
		if (rotated !== undefined) await reloadKeys();
		return rotated;
	};

	return {
		findDemoKey: () => findDemoKey(sql, environment),
		authenticate: createAuthenticate({ directory, tokens, keyUse, environment, clock }),
		recognise: createRecognise({ directory, keyUse, environment, clock }),
		createKey: (request) => createKey(sql, request, clock.now()),
		listKeys: (ownerId) => selectKeys(sql, ownerId),
		revokeKey: (id) => revokeKey(sql, directory, id, clock.now()),
		createClient: (tx, request) => createClient(tx, request, clock.now()),
		retireClients,
		signReceipt: tokens.signReceipt,
		rotateSigningKey: async (options) => signAnew(await rotateSigningKey({ sql, envelope, clock }, options)),
		rotateSigningKeyWhenDue: async () => signAnew(await rotateWhenDue({ sql, envelope, clock })),
		operations: accessOperations({ grants, keys, baseUrl }),
		keyOperations: keyOperations({ sql, clock, environment, forget: directory.forget }),
		sweep: () => deleteExpired(sql, new Date(clock.now().getTime() - KEPT_AFTER_EXPIRY_MS)),
		close: async () => {
			await directory.close();
			await keyUse.close();
		},
	};
}

/** As the operator does, who makes owners too. Throws: RangeError. */
async function createKey(sql: Sql, request: NewApiKey, now: Date): Promise<CreatedApiKey> {
	const odd = (request.ipAllowList ?? []).filter((range) => !isAddressRange(range));
	if (odd.length > 0) throw new RangeError(`expected addresses or CIDR ranges, got ${odd.join(", ")}`);
	const ownerId = request.ownerId ?? newId();
	const key = drawKey({ ...request, ownerId }, now);
	await sql.begin(async (tx) => {
		if (request.ownerId === undefined) await insertOwner(tx, { id: ownerId, label: key.label, now });
		else if (!(await isOwner(tx, ownerId))) throw new RangeError(`no owner has the id ${ownerId}`);
		await insertKey(tx, { ...key, digest: digestOf(key.key) });
		await recordMadeKey(tx, operatorFor(ownerId), key);
	});
	return key;
}

/** False when there is no such key or it was revoked before. */
async function revokeKey(sql: Sql, directory: Directory, id: string, now: Date): Promise<boolean> {
	if (!isId(id)) return false;
	const revoked = await sql.begin(async (tx) => {
		const row = await revokeKeyRow(tx, id, now);
		if (row) await recordAudit(tx, { at: now, actor: operatorFor(row.ownerId), ...revocationOf(id) });
		return row;
	});
	if (revoked) directory.forget({ kind: "key", subject: revoked.digest.toString("hex") });
	return revoked !== undefined;
}

/** The operator, doing what concerns a customer. */
function operatorFor(ownerId: string | null): Actor {
	return { ...operatorActor(), ...(ownerId === null ? {} : { ownerId }) };
}
