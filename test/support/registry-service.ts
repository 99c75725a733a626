/** The identity-validation API alone, over real HTTP, with its own source and database. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/app/config/read-config";
import { startService } from "../../src/app/service";
import type { Sql } from "../../src/platform/database";
import { openTestDatabase } from "./database";
import { openRegistryKeys, type RegistryKeys } from "./registry-keys";

export type RegistryService = Pick<RegistryKeys, "createKey" | "createOfficer"> & {
	readonly url: string;
	readonly sql: Sql;
	readonly dataDir: string;
	readonly databaseUrl: string;
	/** Of the tables' owner. */
	readonly ownerUrl: string;
	readonly stop: () => Promise<void>;
};

/** Starts it; `settings` are further environment variables, and `through` may put a proxy in front of its database. */
export async function startRegistryService(
	source: string,
	settings: Readonly<Record<string, string>> = {},
	through: (databaseUrl: string) => Promise<string> = async (url) => url,
): Promise<RegistryService> {
	const dataDir = mkdtempSync(join(tmpdir(), "sello-test-registry-"));
	const database = await openTestDatabase();
	const service = await startService(
		await readConfig(
			{
				...{ PORT: "0", ROLE: "registry", DATA_DIR: dataDir, REGISTRY_SOURCE: source },
				DATABASE_URL: await through(database.url),
				LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? "silent",
				...settings,
			},
			2,
		),
	);
	const kekFile = settings.KEK_FILE ?? join(dataDir, "kek");
	const keys = await openRegistryKeys({ sql: database.sql, kekFile, url: service.url });
	return {
		url: service.url,
		sql: database.sql,
		dataDir,
		databaseUrl: database.url,
		ownerUrl: database.ownerUrl,
		createKey: keys.createKey,
		createOfficer: keys.createOfficer,
		stop: async () => {
			await keys.close();
			await service.stop();
			await database.close();
			rmSync(dataDir, { recursive: true, force: true });
		},
	};
}
