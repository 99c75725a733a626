/**
 * The grants. A token exchange begins a family too, for the company that its key names.
 *
 *   client credentials ──► access token + refresh token A          (a family begins)
 *   A ──► access token + refresh token B       A is used           (the family grows)
 *   A again ──► 401; A, B and their access tokens end              (a copy of A exists, so the whole family ends)
 *
 * A refresh runs in one transaction that locks its family. Of two simultaneous uses one wins, and the other counts as a second use.
 */
import { type Static, Type } from "@sinclair/typebox";
import type { Sql, Tx } from "../../platform/database";
import { opensCompany, type Principal } from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import { type Clock, type Environment, isId, newId } from "../../platform/values";
import type { Actor } from "../audit-log";
import { checkOwner, createProof, isInForce } from "./client";
import type { Directory } from "./directory";
import {
	type ClientClaim,
	invalidClient,
	invalidGrant,
	invalidTarget,
	missing,
	TOKEN_EXCHANGE,
	type TokenRequest,
} from "./oauth-request";
import { createRevokeToken, type RevokeToken, recordEnd } from "./revoke-token";
import { requireScope, splitScope } from "./scope";
import { digestOf, makeRefreshToken, refreshTokenForm } from "./secret";
import {
	type Client,
	findClient,
	findClientOf,
	insertRefreshToken,
	markRefreshTokenUsed,
	revokeFamily,
	takeRefreshToken,
} from "./store";
import { ACCESS_TOKEN_SECONDS, LEEWAY_SECONDS, type Tokens } from "./token";

const REFRESH_TOKEN_SECONDS = 30 * 24 * 3600;

/** Source: RFC 8693, 3. */
const ACCESS_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token";

/** Source: RFC 6749, 5.1, and RFC 8693, 2.2.1. */
export const TokenAnswer = Type.Object({
	access_token: Type.String({ description: "Send it as `Authorization: Bearer …`." }),
	token_type: Type.Literal("Bearer"),
	expires_in: Type.Integer({ description: "Seconds." }),
	refresh_token: Type.String({ description: "Works once; the answer contains the next one." }),
	refresh_expires_in: Type.Integer({ description: "Seconds." }),
	scope: Type.String({ description: "Scopes of the access token." }),
	tenant_id: Type.String({ description: "The company of the token." }),
	environment: Type.String(),
	issued_token_type: Type.Optional(
		Type.Literal(ACCESS_TOKEN_TYPE, { description: "Only in the answer to a token exchange." }),
	),
});
export type TokenAnswer = Static<typeof TokenAnswer>;

export type Grants = {
	/** Throws: validation-error, invalid-scope, insufficient-scope, unauthorised. */
	readonly give: (
		request: TokenRequest,
		actor: Actor,
		claim?: ClientClaim,
		principal?: Principal,
	) => Promise<TokenAnswer>;
	readonly revoke: RevokeToken;
};

type Refreshed =
	| { readonly outcome: "given"; readonly answer: TokenAnswer }
	| { readonly outcome: "refused" }
	| { readonly outcome: "out-of-scope" }
	| { readonly outcome: "reused"; readonly endedTokens: readonly string[] };

export function createGrants(deps: {
	sql: Sql;
	tokens: Tokens;
	directory: Directory;
	environment: Environment;
	clock: Clock;
}): Grants {
	const { sql, tokens, directory, environment, clock } = deps;
	const proof = createProof({ sql, environment, clock });
	const { proveClient, isUsable } = proof;
	const refreshForm = refreshTokenForm(environment);

	const issue = async (
		tx: Sql | Tx,
		client: Client,
		grant: { family: string; refreshScope: string; accessScopes: readonly string[]; lifeSeconds: number },
	): Promise<TokenAnswer> => {
		const { text, claims } = await tokens.issue(client, grant.accessScopes, grant.lifeSeconds);
		const refreshToken = makeRefreshToken(environment);
		const now = clock.now();
		await insertRefreshToken(tx, {
			digest: digestOf(refreshToken),
			family: grant.family,
			clientId: client.clientId,
			scope: grant.refreshScope,
			accessJti: claims.jti,
			accessExpiresAt: new Date(claims.exp * 1000),
			createdAt: now,
			expiresAt: new Date(now.getTime() + REFRESH_TOKEN_SECONDS * 1000),
			usedAt: null,
			revokedAt: null,
		});
		return {
			access_token: text,
			token_type: "Bearer",
			expires_in: grant.lifeSeconds,
			refresh_token: refreshToken,
			refresh_expires_in: REFRESH_TOKEN_SECONDS,
			scope: claims.scope,
			tenant_id: client.tenantId,
			environment,
		};
	};

	const giveTo = async (
		request: TokenRequest,
		client: Client,
		scopes: readonly string[] = client.scopes,
	): Promise<TokenAnswer> => {
		const accessScopes = chooseScopes(request.scope, scopes);
		if (!accessScopes) throw new Problem("invalid-scope");
		const lifeSeconds = request.expires_in ?? ACCESS_TOKEN_SECONDS;
		return issue(sql, client, { family: newId(), refreshScope: accessScopes.join(" "), accessScopes, lifeSeconds });
	};

	/**
	 * A token for another company of the key's owner. Gap: the key in `x-api-key` stands for `subject_token`, so that no secret is sent twice.
	 * Throws: validation-error, insufficient-scope, invalid-scope, unauthorised.
	 */
	const exchange = async (request: TokenRequest, principal: Principal | undefined): Promise<TokenAnswer> => {
		if (!principal) throw invalidClient(false, msg`Send the API key of the company's owner in x-api-key.`);
		requireScope(principal, "company:write");
		if (request.audience === undefined) throw missing(["audience"]);
		const { audience } = request;
		const client = isId(audience) ? await findClientOf(sql, audience, clock.now()) : undefined;
		const isOwn = client && principal.ownerId !== null && client.ownerId === principal.ownerId;
		if (!isOwn || !isUsable(client) || !opensCompany(principal, audience)) throw invalidTarget();
		const scopes = client.scopes.filter((scope) => principal.scopes.has(scope));
		return { ...(await giveTo(request, client, scopes)), issued_token_type: ACCESS_TOKEN_TYPE };
	};

	const refresh = (
		request: TokenRequest,
		text: string,
		actor: Actor,
		prover: Client | undefined,
		principal: Principal | undefined,
	) =>
		sql.begin(async (tx): Promise<Refreshed> => {
			const token = await takeRefreshToken(tx, digestOf(text));
			if (!token || (prover && prover.clientId !== token.clientId)) return { outcome: "refused" };
			const now = clock.now();
			const client = await findClient(tx, token.clientId);
			if (token.usedAt && !token.revokedAt) {
				await recordEnd(tx, actor, client, { at: now, action: "token.reuse", subject: token.family });
				return { outcome: "reused", endedTokens: await revokeFamily(tx, token.family, now) };
			}
			// Checked against both clocks: after the clock was set back, the token would live too long.
			const isOfTheFuture = token.createdAt.getTime() > now.getTime() + LEEWAY_SECONDS * 1000;
			if (isOfTheFuture || !isInForce(token, now)) return { outcome: "refused" };
			if (!client || !isUsable(client)) return { outcome: "refused" };
			checkOwner(client, principal, false);
			// A client that has lost scopes does not get them back by refreshing.
			const granted = splitScope(token.scope).filter((scope) => client.scopes.includes(scope));
			const accessScopes = chooseScopes(request.scope, granted);
			if (!accessScopes) return { outcome: "out-of-scope" };
			await markRefreshTokenUsed(tx, token.digest, now);
			const lifeSeconds = request.expires_in ?? ACCESS_TOKEN_SECONDS;
			const { family, scope: refreshScope } = token;
			return { outcome: "given", answer: await issue(tx, client, { family, refreshScope, accessScopes, lifeSeconds }) };
		});

	return {
		give: async (request, actor, claim, principal) => {
			if (request.grant_type === "client_credentials") {
				if (!claim) throw missing(["client_id", "client_secret"].filter((name) => !(name in request)));
				return giveTo(request, await proveClient(claim, principal));
			}
			if (request.grant_type === TOKEN_EXCHANGE) return exchange(request, principal);
			const text = request.refresh_token;
			if (text === undefined) throw missing(["refresh_token"]);
			const prover = claim && (await proveClient(claim, principal));
			if (!refreshForm.test(text)) throw invalidGrant(msg`The refresh token is not valid.`);
			// The end of the family must be committed, so the refusal is thrown outside the transaction.
			const refreshed = await refresh(request, text, actor, prover, principal);
			switch (refreshed.outcome) {
				case "given":
					return refreshed.answer;
				case "out-of-scope":
					throw new Problem("invalid-scope");
				case "reused":
					for (const subject of refreshed.endedTokens) directory.forget({ kind: "token", subject });
					throw invalidGrant(
						msg`The refresh token was used before; every token that descends from it has been revoked.`,
					);
				case "refused":
					throw invalidGrant(msg`The refresh token is not valid.`);
			}
		},
		revoke: createRevokeToken({ sql, tokens, directory, environment, clock, proof }),
	};
}

/** The requested scopes, or all; undefined when none is requested by name, or one is not granted. */
function chooseScopes(asked: string | undefined, granted: readonly string[]): string[] | undefined {
	if (asked === undefined) return [...granted];
	const wanted = splitScope(asked);
	return wanted.length > 0 && wanted.every((scope) => granted.includes(scope)) ? wanted : undefined;
}
