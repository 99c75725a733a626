/** The identity-validation API alone, over real HTTP, with a source and a database of its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAccess } from "../../src/access";
import { readConfig } from "../../src/config";
import type { Sql } from "../../src/database";
import type { Plan, Scope } from "../../src/operation";
import { createEnvelope, readKek } from "../../src/secrets";
import { startService } from "../../src/start-service";
import { createLog } from "../../src/telemetry";
import { newId, systemClock } from "../../src/values";
import { openTestDatabase } from "./database";

export type RegistryService = {
	readonly url: string;
	readonly sql: Sql;
	readonly dataDir: string;
	/** A fresh key of a fresh owner. */
	readonly createKey: (scopes: readonly Scope[], plan?: Plan) => Promise<string>;
	/** Both credentials of somebody who may erase, as the invoicing part would have given them. */
	readonly createOfficer: (plan?: Plan) => Promise<Readonly<Record<string, string>>>;
	readonly stop: () => Promise<void>;
};

/** Starts it; `settings` are environment variables beyond the source. */
export async function startRegistryService(
	source: string,
	settings: Readonly<Record<string, string>> = {},
): Promise<RegistryService> {
	const dataDir = mkdtempSync(join(tmpdir(), "sello-test-registry-"));
	const database = await openTestDatabase();
	const service = await startService(
		readConfig(
			{
				...{ PORT: "0", ROLE: "registry", DATA_DIR: dataDir, DATABASE_URL: database.url, REGISTRY_SOURCE: source },
				LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? "silent",
				...settings,
			},
			2,
		),
	);
	const access = await openAccess({
		sql: database.sql,
		envelope: createEnvelope(readKek(settings.KEK_FILE ?? join(dataDir, "kek"))),
		environment: "sandbox",
		baseUrl: service.url,
		clock: systemClock,
		log: createLog("silent", "test"),
	});
	const createKey = async (scopes: readonly Scope[], plan: Plan = "unlimited") =>
		access.createKey({ plan, label: "test", environment: "sandbox", scopes });
	return {
		url: service.url,
		sql: database.sql,
		dataDir,
		createKey: async (scopes, plan) => (await createKey(scopes, plan)).key,
		createOfficer: async (plan = "unlimited") => {
			const scopes: readonly Scope[] = ["registry:read", "registry:purge"];
			const { key, ownerId } = await createKey(scopes, plan);
			const client = { tenantId: newId(), ownerId, plan, scopes, environment: "sandbox" as const };
			const { clientId, clientSecret } = await database.sql.begin((tx) => access.createClient(tx, client));
			const token = await fetch(`${service.url}/v1/auth/token`, {
				method: "POST",
				headers: { "content-type": "application/json" },
				body: JSON.stringify({
					grant_type: "client_credentials",
					client_id: clientId,
					client_secret: clientSecret,
				}),
			});
			const { access_token } = (await token.json()) as { access_token: string };
			return { "x-api-key": key, authorization: `Bearer ${access_token}` };
		},
		stop: async () => {
			await access.close();
			await service.stop();
			await database.close();
			rmSync(dataDir, { recursive: true, force: true });
		},
	};
}
