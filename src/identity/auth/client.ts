/** OAuth clients: what a company logs in with at the token endpoint. */
import type { Sql, Tx } from "../../platform/database";
import type { Principal } from "../../platform/operation";
import { type Clock, type Environment, newId } from "../../platform/values";
import { type ClientClaim, invalidClient } from "./oauth-request";
import { digestOf, digestsEqual, ENVIRONMENT_WORDS, randomBase62 } from "./secret";
import { type Client, findClient, insertClient, limitClients } from "./store";

export type NewClient = Pick<Client, "tenantId" | "ownerId" | "plan" | "scopes" | "environment">;
export type ClientCredentials = { readonly clientId: string; readonly clientSecret: string };

/** Makes the credentials of a company within the transaction that needs them. The secret is shown here and never again. */
export async function createClient(tx: Tx, request: NewClient, now: Date): Promise<ClientCredentials> {
	const clientId = `cli_${newId().replaceAll("-", "")}`;
	const clientSecret = `cs_${ENVIRONMENT_WORDS[request.environment]}_${randomBase62(32)}`;
	const secretDigest = digestOf(clientSecret);
	await insertClient(tx, { ...request, clientId, secretDigest, createdAt: now, expiresAt: null, revokedAt: null });
	return { clientId, clientSecret };
}

/** Lets every client that a company has now end at a moment, its tokens with it; called before new ones are made. */
export async function retireClients(tx: Tx, tenantId: string, endsAt: Date): Promise<void> {
	await limitClients(tx, tenantId, endsAt);
}

/** True when a credential has been neither revoked nor outlived. */
export function isInForce(credential: { revokedAt: Date | null; expiresAt: Date | null }, now: Date): boolean {
	return credential.revokedAt === null && (credential.expiresAt === null || credential.expiresAt > now);
}

/** Clients that prove who they are at the token endpoint, and whether a client may be served at all. */

export type Proof = {
	/** The client of a claim. Throws: unauthorised, one answer for all that does not count. */
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

/** A key sent along must be of the client's owner; none and none are the demo key and what it has made. Throws: unauthorised. */
export function checkOwner(client: Client, principal: Principal | undefined, usedBasic: boolean): void {
	if (principal === undefined || principal.ownerId === client.ownerId) return;
	throw invalidClient(usedBasic, "Mismatch: the API key and the client do not belong to the same owner.");
}
