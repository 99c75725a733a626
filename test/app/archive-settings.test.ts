/** A process whose archive is another place than that of its database is refused at the start. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../src/app/config/read-config";
import { explainStartupError } from "../../src/app/explain-startup-error";
import { startService } from "../../src/app/service";
import { openArchive } from "../../src/archive";
import { newId } from "../../src/platform/values";
import { fillArchive } from "../archive/support/fill-archive";
import { runAdmin } from "../support/processes";
import { openServiceIn } from "../support/service";

const TIMEOUT_MS = 120_000;

let first: Awaited<ReturnType<typeof openServiceIn>>;
let folder: string;
beforeAll(async () => {
	first = await openServiceIn("sandbox", { ROLE: "api" });
	folder = join(first.dataDir, "archive");
}, TIMEOUT_MS);
afterAll(() => first.stop());

const settingsWith = (archiveUrl: string) => ({
	...{
		ROLE: "api",
		PORT: "0",
		LOG_LEVEL: "silent",
		DATABASE_URL: first.databaseUrl,
		AUTHORITY_URL: first.simulatorUrl,
	},
	...{ DATA_DIR: join(first.dataDir, "second"), KEK_FILE: join(first.dataDir, "kek"), ARCHIVE_URL: archiveUrl },
});

/** Starts a second process and stops it; returns why it was refused. */
async function tryStart(archiveUrl: string): Promise<unknown> {
	try {
		await (await startService(await readConfig(settingsWith(archiveUrl), 1))).stop();
		return undefined;
	} catch (error) {
		return explainStartupError(error);
	}
}

test(
	"an empty folder is refused unless the operator begins a new archive there",
	async () => {
		const archive = await openArchive(folder);
		const [object] = await fillArchive(
			{ sql: first.sql, archive },
			{ tenantId: newId(), count: 1, from: new Date("2026-11-20T14:20:00Z") },
		);
		expect(await tryStart(folder)).toBeUndefined();
		renameSync(folder, `${folder}-away`);
		const refused = `ARCHIVE_URL names a store with neither the newest archived document (${object?.objectKey})`;
		expect(await tryStart(folder)).toStartWith(refused);
		await runAdmin(["archive", "rotate-key"], settingsWith(folder));
		expect(await tryStart(folder)).toBeUndefined();
	},
	TIMEOUT_MS,
);
