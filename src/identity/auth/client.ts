/** OAuth clients: the credentials with which a company logs in at the token endpoint. */

import type { Sql, Tx } from "../../platform/database";
import { opensCompany, type Principal } from "../../platform/operation";
import { msg } from "../../platform/problem";
import { type Clock, type Environment, newId } from "../../platform/values";
import { type ClientClaim, invalidClient } from "./oauth-request";
import { digestOf, digestsEqual, ENVIRONMENT_WORDS, randomBase62 } from "./secret";
import { type Client, findClient, insertClient, limitClients } from "./store";

export type NewClient = Pick<Client, "tenantId" | "ownerId" | "plan" | "scopes" | "environment">;
export type ClientCredentials = { readonly clientId: string; readonly clientSecret: string };

/** Creates a company's credentials in the transaction that needs them. The secret is returned here and never again. */
export async function createClient(tx: Tx, request: NewClient, now: Date): Promise<ClientCredentials> {
	const clientId = `cli_${newId().replaceAll("-", "")}`;
	const clientSecret = `cs_${ENVIRONMENT_WORDS[request.environment]}_${randomBase62(32)}`;
	const secretDigest = digestOf(clientSecret);
	await insertClient(tx, { ...request, clientId, secretDigest, createdAt: now, expiresAt: null, revokedAt: null });
	return { clientId, clientSecret };
}

/** Ends all current clients of a company at a given time, and their tokens with them; call it before new ones are created. */
export async function retireClients(tx: Tx, tenantId: string, endsAt: Date): Promise<void> {
	await limitClients(tx, tenantId, endsAt);
}

/** True when a credential is neither revoked nor expired. */
export function isInForce(credential: { revokedAt: Date | null; expiresAt: Date | null }, now: Date): boolean {
	return credential.revokedAt === null && (credential.expiresAt === null || credential.expiresAt > now);
}

/** Authentication of clients at the token endpoint, and whether a client may be served at all. */

export type Proof = {
	/** The client of a claim. Throws: unauthorised, with the same answer for every reason. */
	readonly proveClient: (claim: ClientClaim, principal: Principal | undefined) => Promise<Client>;
	readonly isUsable: (client: Client) => boolean;
};

export function createProof(deps: { sql: Sql; environment: Environment; clock: Clock }): Proof {
	const { sql, environment, clock } = deps;
	const isUsable = (client: Client): boolean => client.environment === environment && isInForce(client, clock.now());
	return {
		isUsable,
		proveClient: async (claim, principal) => {
			const client = await findClient(sql, claim.clientId);
			const isProven = digestsEqual(client?.secretDigest, digestOf(claim.secret));
			if (!client || !isProven || !isUsable(client)) throw invalidClient(claim.usedBasic);
			checkOwner(client, principal, claim.usedBasic);
			return client;
		},
	};
}

/**
 * A key sent along must belong to the client's owner, and open its company; the demo key and its companies have no owner. Throws: unauthorised.
 */
export function checkOwner(client: Client, principal: Principal | undefined, usedBasic: boolean): void {
	if (principal === undefined) return;
	if (!opensCompany(principal, client.tenantId)) {
		throw invalidClient(usedBasic, msg`Mismatch: the API key does not open the client's company.`);
	}
	if (principal.ownerId === client.ownerId) return;
	throw invalidClient(usedBasic, msg`Mismatch: the API key and the client do not belong to the same owner.`);
}
