/** New client credentials for a company that has lost its own. */
import { type Static, Type } from "@sinclair/typebox";
import { type Actor, recordAudit } from "../audit";
import type { Principal } from "../operation";
import type { CompanyRow } from "./company";
import type { CompanyDeps } from "./register-company";

export const RenewCredentialsRequest = Type.Object(
	{
		graceSeconds: Type.Optional(
			Type.Integer({
				minimum: 0,
				maximum: 604_800,
				description: "How long the old credentials live on; default 86400.",
			}),
		),
	},
	{ additionalProperties: false },
);
export type RenewCredentialsRequest = Static<typeof RenewCredentialsRequest>;

export const RenewedCredentials = Type.Object({
	clientId: Type.String(),
	clientSecret: Type.String({ description: "Shown once." }),
	previousExpireAt: Type.String({ description: "When the old credentials and their tokens end." }),
});

const GRACE_SECONDS = 86_400;

/** Gives a company new client credentials, for one whose secret was lost or told; the old ones end after the grace. */
export async function renewCredentials(
	deps: CompanyDeps,
	principal: Principal,
	actor: Actor,
	company: CompanyRow,
	request: RenewCredentialsRequest,
): Promise<Static<typeof RenewedCredentials>> {
	const now = deps.clock.now();
	const endsAt = new Date(now.getTime() + (request.graceSeconds ?? GRACE_SECONDS) * 1000);
	const previousExpireAt = endsAt.toISOString();
	const { tenantId, ownerId, plan, environment } = company;
	const credentials = await deps.sql.begin(async (tx) => {
		await deps.access.retireClients(tx, tenantId, endsAt);
		const scopes = [...principal.scopes];
		const made = await deps.access.createClient(tx, { tenantId, ownerId, plan, scopes, environment });
		const details = { clientId: made.clientId, previousExpireAt };
		const action = "company.renew-credentials";
		await recordAudit(tx, { actor, at: now, action, subject: tenantId, tenantId, details });
		return made;
	});
	return { ...credentials, previousExpireAt };
}
