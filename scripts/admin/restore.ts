/**
 * Puts a backup into an empty database, completes it from the archive, and checks the whole.
 *
 *     manifest ─▶ key-encryption key ─▶ empty database ─▶ tables, in one transaction ─▶ index of the archive ─▶ checks
 *
 * The archive's last checkpoint proves documents that were decided after the snapshot. They get their rows of the index, and their numbers are taken, so that
 * none is given again. Their invoices are not in the database; `archive export` has their documents.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { API_CONNECTIONS, type Config } from "../../src/app/config/config";
import type { Args } from "../../src/cli";
import { verifyReports } from "../../src/invoicing/reports";
import {
	connect,
	copyIn,
	findOwnerUrl,
	lockDataDir,
	prepareDatabase,
	type Sql,
	startEmbeddedPostgres,
	TableCopyError,
} from "../../src/platform/database";
import type { Objects } from "../../src/platform/objects";
import { nameOfKek, openWithRecoveryKey, RecoveryKeyError, readKek, writeKek } from "../../src/platform/secrets";
import type { Environment } from "../../src/platform/values";
import { digest, MANIFEST, Manifest, openPlace } from "./backup";
import { type Result, type Runs, refuseAsUsage, UsageError } from "./command";
import { completeFromArchive, takeBeyond } from "./complete";

export const restoreCommands = { restore: { runAlone: restore } } satisfies Runs;

const manifestForm = TypeCompiler.Compile(Manifest);

/** Exits with 1 on any fault. */
async function restore(config: Config, args: Args): Promise<Result> {
	const [startedAt, startedMs] = [new Date(), performance.now()];
	const place = openPlace("from", args.need("from"));
	const manifest = await readManifest(place, args.need("from"));
	const environment = manifest.environment as Environment;
	if (process.env.ENVIRONMENT && config.environment !== environment)
		throw new UsageError(`the backup is of the environment ${environment}, ENVIRONMENT is ${config.environment}`);
	const isDone: (() => Promise<void> | void)[] = [];
	try {
		if (config.databaseUrl === undefined) isDone.push(lockDataDir(config.dataDir));
		const key = takeKek(manifest, config.kekFile ?? join(config.dataDir, "kek"), args.text("recovery-key"));
		const { url, owner } = await openDatabase(config, isDone);
		const rows = await copyIn(owner, manifest.shape, (table) => readParts(place, manifest, table)).catch(
			refuseAsUsage(TableCopyError),
		);
		// Of another server. Numbers would wait for what they have in memory.
		await owner`delete from processes`;
		const restoredMs = performance.now() - startedMs;
		// The partitions of past months are for the owner alone.
		const { url: serviceUrl } = await prepareDatabase({ ...url, isStrict: config.databaseRights === "strict" });
		const sql = connect({ url: serviceUrl, name: "sello admin", connectionsMax: 4, isPatient: true });
		isDone.push(() => sql.end({ timeout: 2 }));
		const archive = await completeFromArchive(sql, config, environment);
		const beyond = await takeBeyond(owner, new Date(manifest.takenAt));
		const [{ documents, drift }, numbersWithoutName] = [await verifyReports(sql), await countUnnamed(owner)];
		const hasFault =
			archive.refused !== undefined || archive.faults.length > 0 || drift.length > 0 || numbersWithoutName > 0;
		const proven = beyond.lastDecidedAt === null ? 0 : Date.parse(beyond.lastDecidedAt) - Date.parse(manifest.takenAt);
		const data = {
			...{ takenAt: manifest.takenAt, version: manifest.version, rows, key },
			...{ archive, beyond, reports: { documents, drift }, numbers: { withoutName: numbersWithoutName } },
			rpo: {
				provenSeconds: Math.max(0, Math.ceil(proven / 1_000)),
				atMostSeconds: Math.ceil((startedAt.getTime() - Date.parse(manifest.takenAt)) / 1_000),
			},
			rto: {
				loadedSeconds: Math.ceil(restoredMs / 1_000),
				verifiedSeconds: Math.ceil((performance.now() - startedMs) / 1_000),
			},
		};
		return { data, exitCode: hasFault ? 1 : 0 };
	} finally {
		for (const done of isDone.reverse()) await done();
	}
}

async function readManifest(place: Objects, from: string): Promise<Manifest> {
	const text = await place.getText(MANIFEST);
	if (text === undefined) throw new UsageError(`--from ${from} has no whole backup: ${MANIFEST} is missing`);
	const manifest: unknown = JSON.parse(text);
	if (!manifestForm.Check(manifest)) throw new UsageError(`--from ${from}: ${MANIFEST} is of another format`);
	return manifest;
}

/** Makes sure that the file holds the key of the backup. Returns where it came from. Throws: UsageError. */
function takeKek({ kek: { name, sealed } }: Manifest, file: string, recoveryKey: string | undefined): string {
	if (existsSync(file)) {
		if (nameOfKek(readKek(file)) === name) return file;
		throw new UsageError(`${file} holds another key-encryption key than the backup was made with (${name})`);
	}
	if (sealed === null) throw new UsageError(`${file} is missing, and the backup holds no key-encryption key`);
	if (recoveryKey === undefined) throw new UsageError(`${file} is missing: give it, or --recovery-key`);
	try {
		const kek = openWithRecoveryKey(Buffer.from(sealed, "base64"), recoveryKey);
		if (nameOfKek(kek) !== name) throw new RecoveryKeyError("the backup's key-encryption key is damaged");
		writeKek(file, kek);
		return `${file}, opened with the recovery key`;
	} catch (error) {
		return refuseAsUsage(RecoveryKeyError)(error);
	}
}

type Closes = (() => Promise<void> | void)[];

/** The configured database, or the embedded one, which is started; with the service's tables. */
async function openDatabase(config: Config, closes: Closes) {
	const url = await findAddresses(config, closes);
	await prepareDatabase({ ...url, isStrict: config.databaseRights === "strict" });
	const ownerUrl = await findOwnerUrl(url.migrationUrl ?? url.directUrl ?? url.url);
	const owner = connect({
		url: ownerUrl,
		name: "sello restore",
		connectionsMax: 2,
		isPatient: true,
		statementTimeoutMs: 0,
	});
	closes.push(() => owner.end({ timeout: 2 }));
	return { url, owner };
}

async function findAddresses(config: Config, closes: Closes) {
	const { databaseUrl, databaseDirectUrl: directUrl, databaseMigrationUrl: migrationUrl } = config;
	if (databaseUrl !== undefined) return { url: databaseUrl, directUrl, migrationUrl };
	const postgres = await startEmbeddedPostgres(config.dataDir, { connections: 4 * API_CONNECTIONS });
	closes.push(postgres.stop);
	return { url: postgres.serviceUrl, migrationUrl: postgres.url, directUrl: undefined };
}

async function* readParts(place: Objects, { parts }: Manifest, table: string): AsyncGenerator<Uint8Array> {
	for (const { name, sha256 } of parts[table] ?? []) {
		const packed = await place.getBytes(name);
		if (packed === undefined) throw new TableCopyError(`the backup lacks ${name}`);
		if (digest(packed) !== sha256)
			throw new TableCopyError(`${name} of the backup is damaged: its SHA-256 is another one`);
		yield await Bun.zstdDecompress(packed);
	}
}

/** Documents whose number is neither theirs nor given back: it could be given twice. */
async function countUnnamed(owner: Sql): Promise<number> {
	const [row] = await owner<{ count: number }[]>`
		select count(*) from documents d where d.encf is not null
			and not exists (select from names n where n.tenant_id = d.tenant_id and n.name = d.encf and n.doc_id = d.doc_id)
			and not exists (select from released_names n where n.tenant_id = d.tenant_id and n.name = d.encf and n.doc_id = d.doc_id)`;
	return row?.count ?? 0;
}
