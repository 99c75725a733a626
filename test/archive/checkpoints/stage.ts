/** An archive of its own for a file of tests: a database, a store in files, and documents that get into both as the service archives them. */
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	type Archive,
	type ArchivedObject,
	getArchiveObject,
	insertArchiveObjects,
	openArchive,
} from "../../../src/archive";
import { makeCheckpoint } from "../../../src/archive/checkpoints";
import type { Signing } from "../../../src/archive/checkpoints/keys";
import { createEnvelope } from "../../../src/platform/secrets";
import { newId, systemClock } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { LOG, tenantOfLog } from "../../support/sealed-documents";

export type Stage = Signing & {
	/** Who owns the tables, and may do to rows what the service may not. */
	readonly owner: TestDatabase["owner"];
	readonly url: string;
	readonly folder: string;
	/** Archives so many documents, each tenant's in turn. */
	readonly add: (count: number, tenants?: readonly string[]) => Promise<ArchivedObject[]>;
	/** A checkpoint of all that there is, however new the newest one is. */
	readonly sign: () => ReturnType<typeof makeCheckpoint>;
	readonly close: () => Promise<void>;
};

export async function openStage(wrap: (archive: Archive) => Archive = (archive) => archive): Promise<Stage> {
	const database = await openTestDatabase();
	const folder = mkdtempSync(join(tmpdir(), "sello-checkpoints-"));
	const archive = wrap(await openArchive(folder));
	const { sql } = database;
	const deps: Signing = {
		sql,
		archive,
		envelope: createEnvelope(randomBytes(32)),
		environment: "sandbox",
		clock: systemClock,
	};
	const tenantId = tenantOfLog(LOG);
	return {
		...deps,
		...{ owner: database.owner, url: database.url },
		folder,
		async add(count, tenants = [tenantId]) {
			const objects = Array.from({ length: count }, (_, i) => {
				const docId = newId();
				const tenant = tenants[i % tenants.length] ?? tenantId;
				const bytes = Buffer.from(`document ${docId}`);
				const sha256 = createHash("sha256").update(bytes).digest("hex");
				const decidedAt = new Date(Date.UTC(2026, 10, 20) + i);
				const retainUntil = new Date(Date.UTC(2036, 10, 20) + i);
				return {
					docId,
					tenantId: tenant,
					sha256,
					bytes: bytes.length,
					decidedAt,
					retainUntil,
					versionId: null,
				};
			});
			await insertArchiveObjects(sql, objects);
			const archived = await Promise.all(
				objects.map(({ docId, tenantId: tenant }) => getArchiveObject(sql, tenant, docId)),
			);
			return archived.flatMap((one) => one ?? []);
		},
		sign: () => makeCheckpoint(deps, () => false),
		async close() {
			await database.close();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

/** Makes a change that the tables' rules refuse, as the owner of the database could. */
export async function behindTheirBack(stage: Stage, table: string, change: () => Promise<unknown>): Promise<void> {
	await stage.owner.unsafe(`alter table ${table} disable trigger user`);
	try {
		await change();
	} finally {
		await stage.owner.unsafe(`alter table ${table} enable trigger user`);
	}
}
