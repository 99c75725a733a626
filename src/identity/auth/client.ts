/** OAuth clients: what a company logs in with at the token endpoint. */
import type { Tx } from "../../platform/database";
import type { Plan } from "../../platform/operation";
import { type Environment, newId } from "../../platform/values";
import { randomBase62 } from "./base62";
import { digestOf, ENVIRONMENT_WORDS } from "./secret";
import { insertClient, limitClients } from "./store";

export type Client = {
	/** `cli_` and 32 hex digits; `demo` for the demo client. */
	readonly clientId: string;
	/** The company that its tokens speak for. */
	readonly tenantId: string;
	/** The owner of the key that created the company; null for the demo key's companies. */
	readonly ownerId: string | null;
	/** The plan of the key that created the company. */
	readonly plan: Plan;
	/** Most that a token of this client may do. */
	readonly scopes: readonly string[];
	readonly environment: Environment;
	readonly secretDigest: Buffer;
	readonly createdAt: Date;
	/** When its grace ends, once newer credentials have replaced it. */
	readonly expiresAt: Date | null;
	readonly revokedAt: Date | null;
};

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
