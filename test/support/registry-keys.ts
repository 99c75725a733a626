/** Credentials for a service that runs the identity-validation API alone, created in its database as an operator would. */
import { openAccess } from "../../src/identity/auth";
import type { Sql } from "../../src/platform/database";
import type { Plan, Scope } from "../../src/platform/operation";
import { createEnvelope, readKek } from "../../src/platform/secrets";
import { createLog } from "../../src/platform/telemetry";
import { newId, systemClock } from "../../src/platform/values";

export type RegistryKeys = {
	/** A new key of a new owner. */
	readonly createKey: (scopes: readonly Scope[], plan?: Plan) => Promise<string>;
	/** Both credentials of a caller who may erase, as invoicing would have issued them. */
	readonly createOfficer: (plan?: Plan) => Promise<Readonly<Record<string, string>>>;
	readonly close: () => Promise<void>;
};

export async function openRegistryKeys(service: { sql: Sql; kekFile: string; url: string }): Promise<RegistryKeys> {
	const { sql, url } = service;
	const access = await openAccess({
		sql,
		envelope: createEnvelope(readKek(service.kekFile)),
		environment: "sandbox",
		baseUrl: url,
		clock: systemClock,
		log: createLog("silent", "keys"),
	});
	const createKey = (scopes: readonly Scope[], plan: Plan = "unlimited") =>
		access.createKey({ plan, label: "registry", environment: "sandbox", scopes });
	return {
		createKey: async (scopes, plan) => (await createKey(scopes, plan)).key,
		createOfficer: async (plan = "unlimited") => {
			const scopes: readonly Scope[] = ["registry:read", "registry:purge"];
			const { key, ownerId } = await createKey(scopes, plan);
			const client = { tenantId: newId(), ownerId, plan, scopes, environment: "sandbox" as const };
			const { clientId, clientSecret } = await sql.begin((tx) => access.createClient(tx, client));
			const token = await fetch(`${url}/v1/auth/token`, {
				method: "POST",
				headers: { "content-type": "application/json" },
				body: JSON.stringify({ grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret }),
			});
			const { access_token } = (await token.json()) as { access_token: string };
			return { "x-api-key": key, authorization: `Bearer ${access_token}` };
		},
		close: access.close,
	};
}
