/** Archives with real sealed documents, their rows and leaves. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	type Archive,
	type ArchiveObject,
	type InvoiceFiles,
	insertArchiveObjects,
	openArchive,
	sealDocument,
} from "../../src/archive";
import { makeCheckpoint } from "../../src/archive/checkpoints";
import type { Sql } from "../../src/platform/database";
import { shardOf } from "../../src/platform/lanes";
import { createEnvelope } from "../../src/platform/secrets";
import { newId, systemClock } from "../../src/platform/values";
import { openTestDatabase } from "./database";

const KEK = randomBytes(32);

/** For exports of sealed objects alone. */
export const NO_INVOICES: InvoiceFiles = { head: "", listLines: async () => [], readFile: async () => undefined };

export type Scene = {
	readonly sql: Sql;
	readonly url: string;
	/** Connected under the role that owns the tables. */
	readonly owner: Sql;
	readonly ownerUrl: string;
	readonly archive: Archive;
	readonly folder: string;
};

/** An archive and a database for one test, because write-once data cannot be cleaned up. */
export async function withArchive(use: (scene: Scene) => Promise<void>): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "sello-sealed-"));
	const database = await openTestDatabase();
	try {
		await use({ ...database, archive: await openArchive(folder), folder });
	} finally {
		await database.close();
		rmSync(folder, { recursive: true, force: true });
	}
}

/** A sealed document with its entry in the index. */
export function makeSealed(change: Partial<Pick<ArchiveObject, "docId" | "tenantId" | "decidedAt">> = {}): {
	readonly object: ArchiveObject;
	readonly sealed: Uint8Array;
} {
	const { docId = newId(), tenantId = tenantOfLog(LOG), decidedAt = new Date("2026-11-20T14:20:00.902Z") } = change;
	const retainUntil = new Date(decidedAt);
	retainUntil.setUTCFullYear(retainUntil.getUTCFullYear() + 10);
	const decision = { encf: "E310000000001", type: "31", status: "accepted", decidedAt, retainUntil };
	const sealed = sealDocument({
		...{ docId, tenantId, environment: "sandbox", ...decision },
		ecf: Buffer.from(`<ECF><SignatureValue>${docId}</SignatureValue></ECF>`),
		request: JSON.stringify({ docId }),
		answers: [{ at: decidedAt, operation: "result", httpStatus: 200, mediaType: "application/json", body: "{}" }],
		events: [{ version: 1, at: decidedAt.toISOString(), status: "accepted" }],
	});
	const sha256 = new Bun.CryptoHasher("sha256").update(sealed).digest("hex");
	const objectKey = `${tenantId}/${decidedAt.getUTCFullYear()}/${docId}-${sha256.slice(0, 16)}.zip`;
	const bytes = sealed.length;
	return { object: { docId, tenantId, objectKey, sha256, bytes, decidedAt, retainUntil, versionId: null }, sealed };
}

/** The log of tenants that are made here without another wish. */
export const LOG = 7;

/** A new tenant whose documents are in a log. */
export function tenantOfLog(log: number): string {
	for (;;) {
		const id = newId();
		if (shardOf(id) === log) return id;
	}
}

/** Adds documents of several tenants, by default of one log, to the store and the index; returns them in the order of their leaves. */
export async function archiveSealed(
	{ sql, archive }: Pick<Scene, "sql" | "archive">,
	count: number,
	from: Date = new Date("2026-01-01T00:00:00Z"),
	tenantIds: readonly string[] = Array.from({ length: 3 }, () => tenantOfLog(LOG)),
): Promise<ArchiveObject[]> {
	const made = Array.from({ length: count }, (_, n) =>
		makeSealed({
			tenantId: tenantIds[n % tenantIds.length] ?? newId(),
			decidedAt: new Date(from.getTime() + n * 60_000),
		}),
	);
	for (const { object, sealed } of made) {
		await archive.putOnce(object.objectKey, sealed, { retainUntil: object.retainUntil });
	}
	await insertArchiveObjects(
		sql,
		made.map(({ object }) => object),
	);
	return made.map(({ object }) => object);
}

/** Signs a checkpoint of all leaves. */
export function signCheckpoint({ sql, archive }: Pick<Scene, "sql" | "archive">): ReturnType<typeof makeCheckpoint> {
	const envelope = createEnvelope(KEK);
	return makeCheckpoint({ sql, archive, envelope, environment: "sandbox", clock: systemClock }, () => false);
}

/** Changes write-once tables as their owner can after disabling the triggers. */
export async function asOwner({ owner }: Pick<Scene, "owner">, statement: string): Promise<void> {
	await owner.begin(async (tx) => {
		await tx.unsafe("set local session_replication_role = replica");
		await tx.unsafe(statement);
	});
}
