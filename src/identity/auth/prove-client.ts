/** Clients that prove who they are at the token endpoint, and whether a client may be served at all. */
import type { Sql } from "../../platform/database";
import type { Principal } from "../../platform/operation";
import type { Clock, Environment } from "../../platform/values";
import { type Client, isInForce } from "./client";
import { invalidClient } from "./oauth-problem";
import type { ClientClaim } from "./oauth-request";
import { digestOf, digestsEqual } from "./secret";
import { findClient } from "./store";

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
