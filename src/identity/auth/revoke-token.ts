/** Ends tokens before their time. Source: RFC 7009. */

import type { Sql, Tx } from "../../platform/database";
import type { Principal } from "../../platform/operation";
import type { Clock, Environment } from "../../platform/values";
import { type Actor, recordAudit } from "../audit-log";
import type { Proof } from "./client";
import type { Directory } from "./directory";
import type { ClientClaim, RevokeRequest } from "./oauth-request";
import { digestOf, refreshTokenForm } from "./secret";
import { type Client, findClient, insertRevokedToken, revokeFamily, takeRefreshToken } from "./store";
import type { Tokens } from "./token";

/** Ends one of our tokens; other text is ignored. Throws: unauthorised for a client that is not authenticated. */
export type RevokeToken = (
	request: RevokeRequest,
	actor: Actor,
	claim?: ClientClaim,
	principal?: Principal,
) => Promise<void>;

type Deps = {
	readonly sql: Sql;
	readonly tokens: Tokens;
	readonly directory: Pick<Directory, "forget">;
	readonly environment: Environment;
	readonly clock: Clock;
	readonly proof: Proof;
};

/** Gap: anyone with a token may end it; client credentials are optional, but checked when they are sent. */
export function createRevokeToken({ sql, tokens, directory, environment, clock, proof }: Deps): RevokeToken {
	const refreshForm = refreshTokenForm(environment);

	/** The ids of the access tokens that end with a refresh token. */
	const endFamily = (text: string, actor: Actor, prover: Client | undefined) =>
		sql.begin(async (tx): Promise<string[]> => {
			const token = await takeRefreshToken(tx, digestOf(text));
			if (!token || token.revokedAt || (prover && prover.clientId !== token.clientId)) return [];
			const now = clock.now();
			const ended = await revokeFamily(tx, token.family, now);
			const client = await findClient(tx, token.clientId);
			await recordEnd(tx, actor, client, { at: now, action: "token.revoke", subject: token.family });
			return ended;
		});

	const endAccessToken = (jti: string, expiresAt: Date, clientId: string, actor: Actor) =>
		sql.begin(async (tx) => {
			const now = clock.now();
			if (!(await insertRevokedToken(tx, jti, expiresAt, now))) return;
			const client = await findClient(tx, clientId);
			await recordEnd(tx, actor, client, { at: now, action: "token.revoke", subject: jti });
		});

	return async ({ token: text }, actor, claim, principal) => {
		const prover = claim && (await proof.proveClient(claim, principal));
		if (refreshForm.test(text)) {
			for (const subject of await endFamily(text, actor, prover)) directory.forget({ kind: "token", subject });
			return;
		}
		const claims = await tokens.readAsIssued(text);
		if (!claims || (prover && prover.clientId !== claims.sub)) return;
		await endAccessToken(claims.jti, new Date(claims.exp * 1000), claims.sub, actor);
		directory.forget({ kind: "token", subject: claims.jti });
	};
}

/** Records the end of tokens in the audit of their company: the caller may have shown only the token. */
export function recordEnd(
	tx: Tx,
	actor: Actor,
	client: Client | undefined,
	entry: { readonly at: Date; readonly action: string; readonly subject: string },
): Promise<void> {
	const { clientId = null, tenantId, ownerId = null } = client ?? {};
	const { keyId, address, requestId } = actor;
	// A key of another customer that was sent along does not see this entry.
	const isOwnKey = keyId !== undefined && ownerId !== null && actor.ownerId === ownerId;
	const shownActor = {
		...{ address, ...(requestId === undefined ? {} : { requestId }), ...(isOwnKey ? { keyId } : {}) },
		...{ ...(tenantId ? { tenantId } : {}), ...(ownerId ? { ownerId } : {}) },
	};
	return recordAudit(tx, { ...entry, actor: shownActor, details: { clientId } });
}
