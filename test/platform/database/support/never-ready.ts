/** A data directory whose server never gets ready: it waits for an archive that gives it nothing, as one waits for a slow disk. */
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../../../src/platform/database";

export async function makeNeverReady(): Promise<{ dataDir: string; programs: () => number[] }> {
	const dataDir = mkdtempSync(join(tmpdir(), "sello-never-ready-"));
	const cluster = join(dataDir, "postgres");
	await (await startEmbeddedPostgres(dataDir)).stop();
	appendFileSync(join(cluster, "postgresql.conf"), "\nrestore_command = 'sleep 60'\n");
	writeFileSync(join(cluster, "recovery.signal"), "");
	return {
		dataDir,
		programs: () =>
			readdirSync("/proc").flatMap((name) => {
				try {
					return readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").includes(cluster) ? [Number(name)] : [];
				} catch {
					return [];
				}
			}),
	};
}
