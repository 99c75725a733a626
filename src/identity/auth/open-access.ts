import type { JWK } from "jose";
import { type ChangeFeed, openChangeFeed } from "../../platform/changes";
import { retryOnFailure, type Sql, type Tx } from "../../platform/database";
import type { Operation, Plan } from "../../platform/operation";
import type { Envelope } from "../../platform/secrets";
import type { Log } from "../../platform/telemetry";
import { type Clock, type Environment, isId, newId } from "../../platform/values";
import { type Actor, operatorActor, recordAudit } from "../audit-log";
import { type ApiKey, type CreatedApiKey, drawKey, type NewApiKey } from "./api-key";
import { type Authenticate, createAuthenticate, createRecognise, type Recognise } from "./authenticate";
import { type ClientCredentials, createClient, isInForce, type NewClient, retireClients } from "./client";
import { ensureDemo, findDemoKey } from "./demo";
import { type Directory, isAddressRange, type KnownKey, openDirectory, openKeyUse, toKnownKey } from "./directory";
import { createGrants } from "./grant";
import { recordMadeKey, revocationOf } from "./keys/manage";
import { keyOperations } from "./keys/routes";
import { accessOperations } from "./routes";
import { digestOf } from "./secret";
import { openSigningKeys, type RotatedSigningKeys, rotateSigningKey, rotateWhenDue } from "./signing-keys";
import {
	deleteExpired,
	findKeyById,
	insertKey,
	insertOwner,
	isOwner,
	revokeKeyRow,
	selectKeys,
	updatePlanOfClients,
} from "./store";
import { createTokens } from "./token";

export type Access = {
	/** Undefined where there is none, or the operator has revoked it. */
	readonly findDemoKey: () => Promise<string | undefined>;
	readonly authenticate: Authenticate;
	readonly recognise: Recognise;
	readonly grace: Directory["grace"];
	/** The caller of a key in force, for a link that acts for the key; undefined for any other key. It is read anew each time. */
	readonly findKeyCaller: (keyId: string) => Promise<Pick<KnownKey, "principal" | "allowsAddress"> | undefined>;
	/** Creates a key, and an owner for it unless one is named. Throws: RangeError for a malformed address. */
	readonly createKey: (request: NewApiKey) => Promise<CreatedApiKey>;
	/** Newest first, including revoked ones; those of one owner, or all. */
	readonly listKeys: (ownerId?: string) => Promise<ApiKey[]>;
	/** False for an unknown or already revoked key. Every process refuses the key within a second. */
	readonly revokeKey: (id: string) => Promise<boolean>;
	readonly createClient: (tx: Tx, request: NewClient) => Promise<ClientCredentials>;
	/** Ends a company's current credentials at a given time; call it before new ones are created. */
	readonly retireClients: (tx: Tx, tenantId: string, endsAt: Date) => Promise<void>;
	/** Changes the plan of a company's clients. Tokens that were given before keep theirs until they end. */
	readonly changePlan: (tx: Tx, tenantId: string, plan: Plan) => Promise<void>;
	/** The public keys of the receipts that were signed with the keys of tokens. */
	readonly receiptKeys: () => readonly JWK[];
	/** Creates a signing key; the former ones verify for 24 more hours, or with `atOnce` no longer. */
	readonly rotateSigningKey: (options?: { readonly atOnce?: boolean }) => Promise<RotatedSigningKeys>;
	/** The same once a month; undefined when it is not due. For the scheduler. */
	readonly rotateSigningKeyWhenDue: () => Promise<RotatedSigningKeys | undefined>;
	readonly operations: readonly Operation[];
	/** The operations with which owners manage their keys, for processes that serve companies, whose tokens they require. */
	readonly keyOperations: readonly Operation[];
	/** Removes tokens that ended over a day ago; returns how many. For the scheduler. */
	readonly sweep: () => Promise<number>;
	/** Stops the timers and the listener and writes what was noted. The caller closes the connections. */
	readonly close: () => Promise<void>;
};

const KEPT_AFTER_EXPIRY_MS = 24 * 3600 * 1000;

/** Opens access for one deployment: creates the first signing key and, in sandboxes, the demo key and client. */
export async function openAccess(deps: {
	sql: Sql;
	/** Connections for authentication only, so that it does not wait behind other statements. Default: `sql`. */
	directorySql?: Sql;
	/** Default: a feed of its own. */
	changes?: ChangeFeed;
	/** How long known keys are accepted while the database is away. Default: 0. */
	graceSeconds?: number;
	envelope: Envelope;
	environment: Environment;
	/** Issuer of the tokens and base of the links, without a trailing slash. */
	baseUrl: string;
	clock: Clock;
	log: Log;
	/** Further public keys for the JWKS: those that sign receipts. Default: none. */
	signerKeys?: () => Promise<readonly JWK[]>;
}): Promise<Access> {
	const { sql, envelope, environment, baseUrl, clock, log, signerKeys = async () => [] } = deps;
	await ensureDemo({ sql, environment, now: clock.now() });
	const keys = await openSigningKeys({ sql, envelope, clock, log, onChanged: () => tokens.forgetVerified() });
	const tokens = createTokens({ keys, clock, environment, baseUrl, log });
	let isReloadFailing = false;
	const reloadKeys = async (): Promise<void> => {
		try {
			await keys.reload();
			isReloadFailing = false;
		} catch (err) {
			// Logged once, although it repeats every second while the database is away.
			if (!isReloadFailing) log.error({ event: "signing-key.read_failed", err }, "cannot read the signing keys");
			isReloadFailing = true;
		}
	};
	const { directorySql = sql, graceSeconds = 0 } = deps;
	const changes = deps.changes ?? (await openChangeFeed({ sql: directorySql, listenSql: directorySql, log }));
	const directory = openDirectory({ sql: directorySql, changes, onSigningKeysChanged: reloadKeys, graceSeconds });
	const keyUse = openKeyUse({ sql, clock, log });
	const grants = createGrants({ sql, tokens, directory, environment, clock });
	/** A process that has rotated signs with the new key at once: a retired one may not verify anywhere. */
	const signAnew = async <T>(rotated: T): Promise<T> => {
		if (rotated !== undefined) await reloadKeys();
		return rotated;
	};

	return {
		findDemoKey: () => findDemoKey(sql, environment),
		authenticate: createAuthenticate({ directory, tokens, keyUse, environment, clock }),
		recognise: createRecognise({ directory, keyUse, environment, clock }),
		grace: directory.grace,
		findKeyCaller: async (keyId) => {
			const row = await retryOnFailure(() => findKeyById(directorySql, keyId));
			if (!row || row.environment !== environment || !isInForce(row, clock.now())) return undefined;
			keyUse.note(keyId);
			return toKnownKey(row);
		},
		createKey: (request) => createKey(sql, request, clock.now()),
		listKeys: (ownerId) => selectKeys(sql, ownerId),
		revokeKey: (id) => revokeKey(sql, directory, id, clock.now()),
		createClient: (tx, request) => createClient(tx, request, clock.now()),
		retireClients,
		changePlan: updatePlanOfClients,
		receiptKeys: keys.receiptKeys,
		rotateSigningKey: async (options) => signAnew(await rotateSigningKey({ sql, envelope, clock }, options)),
		rotateSigningKeyWhenDue: async () => signAnew(await rotateWhenDue({ sql, envelope, clock })),
		operations: accessOperations({ grants, keys, signerKeys, baseUrl }),
		keyOperations: keyOperations({ sql, clock, environment, forget: directory.forget }),
		sweep: () => deleteExpired(sql, new Date(clock.now().getTime() - KEPT_AFTER_EXPIRY_MS)),
		close: async () => {
			directory.close();
			if (!deps.changes) await changes.close();
			await keyUse.close();
		},
	};
}

/** As the operator does, who also creates owners. Throws: RangeError. */
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

/** False for an unknown or already revoked key. */
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

function operatorFor(ownerId: string | null): Actor {
	return { ...operatorActor(), ...(ownerId === null ? {} : { ownerId }) };
}
