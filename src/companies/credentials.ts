/** Secrets that are shown once, and new client credentials for a company. */
import { type Static, Type } from "@sinclair/typebox";
import { type Actor, recordAudit } from "../identity/audit-log";
import type { Access } from "../identity/auth";
import type { Tx } from "../platform/database";
import type { Principal } from "../platform/operation";
import type { CompanyRow } from "./company";

/** Shown only in the answer that created them: client credentials, and webhook secrets by webhook id. Null in a repeat of that answer. */
export type Secrets = {
	readonly credentials?: { readonly clientId: string; readonly clientSecret: string | null };
	readonly endpoints: ReadonlyMap<string, string | null>;
};

/** The secrets as a repeat of an idempotency key shows them. */
export function hideSecrets({ credentials, endpoints }: Secrets): Secrets {
	return {
		...(credentials ? { credentials: { clientId: credentials.clientId, clientSecret: null } } : {}),
		endpoints: new Map([...endpoints.keys()].map((id) => [id, null])),
	};
}

export const RenewCredentialsRequest = Type.Object(
	{
		graceSeconds: Type.Optional(
			Type.Integer({
				minimum: 0,
				maximum: 604_800,
				description: "How long the old credentials stay valid; default 86400.",
			}),
		),
	},
	{ additionalProperties: false },
);
export type RenewCredentialsRequest = Static<typeof RenewCredentialsRequest>;

export const RenewedCredentials = Type.Object({
	clientId: Type.String(),
	clientSecret: Type.Union([Type.String(), Type.Null()], {
		description: "Shown only in this answer; null in a repeat of it.",
	}),
	previousExpiresAt: Type.String({ description: "When the old credentials and their tokens end." }),
});
export type RenewedCredentials = Static<typeof RenewedCredentials>;

const GRACE_SECONDS = 86_400;

/** Gives a company new client credentials after its secret was lost or disclosed. The old ones end after the grace period. */
export async function renewCredentials(
	tx: Tx,
	access: Pick<Access, "createClient" | "retireClients">,
	company: CompanyRow,
	{ graceSeconds = GRACE_SECONDS }: RenewCredentialsRequest,
	by: { readonly principal: Principal; readonly actor: Actor; readonly now: Date },
): Promise<RenewedCredentials & { clientSecret: string }> {
	const endsAt = new Date(by.now.getTime() + graceSeconds * 1000);
	const { tenantId, ownerId, plan, environment } = company;
	await access.retireClients(tx, tenantId, endsAt);
	const scopes = [...by.principal.scopes];
	const { clientId, clientSecret } = await access.createClient(tx, {
		tenantId,
		ownerId,
		plan,
		scopes,
		environment,
	});
	const previousExpiresAt = endsAt.toISOString();
	// The caller sends no token. The entry belongs to the company, where its users look for it.
	const entry = {
		at: by.now,
		actor: { ...by.actor, tenantId },
		action: "company.renew-credentials",
		subject: tenantId,
	};
	await recordAudit(tx, { ...entry, details: { clientId, previousExpiresAt } });
	return { clientId, clientSecret, previousExpiresAt };
}
