/** New client credentials for a company that has lost its own. */
import { type Static, Type } from "@sinclair/typebox";
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
	company: CompanyRow,
	request: RenewCredentialsRequest,
): Promise<Static<typeof RenewedCredentials>> {
	const endsAt = new Date(deps.clock.now().getTime() + (request.graceSeconds ?? GRACE_SECONDS) * 1000);
	const { tenantId, ownerId, plan, environment } = company;
	const credentials = await deps.sql.begin(async (tx) => {
		await deps.access.retireClients(tx, tenantId, endsAt);
		return deps.access.createClient(tx, { tenantId, ownerId, plan, scopes: [...principal.scopes], environment });
	});
	return { ...credentials, previousExpireAt: endsAt.toISOString() };
}
