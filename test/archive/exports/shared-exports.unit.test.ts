/** Exports of a deployment whose archive is in S3: one machine makes the file, another one serves it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import {
	createMakeExport,
	exportOperations,
	openArchive,
	openSharedFiles,
	type SharedFiles,
	sweepExports,
} from "../../../src/archive";
import { linkTo } from "../../../src/archive/exports/export";
import { orderExport } from "../../../src/archive/exports/order";
import { findExport } from "../../../src/archive/exports/store";
import type { Call } from "../../../src/platform/operation";
import { createLog } from "../../../src/platform/telemetry";
import { newId, systemClock } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { holdMessage } from "../../support/held-messages";
import { hasS3Programs, sharedS3Server } from "../../support/s3-server";
import { NO_INVOICES } from "../../support/sealed-documents";
import { fillArchive } from "../support/fill-archive";

const BUCKET = "exports-shared";
const hasServer = hasS3Programs();
const before = { ...process.env };
const root = mkdtempSync(join(tmpdir(), "sello-exports-"));
let database: TestDatabase;
let address: string;
let shared: SharedFiles | undefined;

async function prepare(): Promise<void> {
	const server = await sharedS3Server();
	Object.assign(process.env, server.credentials);
	await server.makeBucket(BUCKET, { hasLock: true });
	address = `s3://${BUCKET}?endpoint=${encodeURIComponent(server.endpoint)}`;
	shared = await openSharedFiles(address);
	database = await openTestDatabase();
}
beforeAll(() => (hasServer ? prepare() : undefined), 120_000);
afterAll(async () => {
	await database?.close();
	rmSync(root, { recursive: true, force: true });
	for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) {
		if (before[name] === undefined) delete process.env[name];
		else process.env[name] = before[name];
	}
});

test.skipIf(!hasServer)(
	"an export made on one machine is served by another, and swept by either",
	async () => {
		const archive = await openArchive(address);
		const { sql } = database;
		const parts = { sql, shared, sharedExports: shared, clock: systemClock, log: createLog("silent", "test") };
		const [maker, server] = [join(root, "maker"), join(root, "server")];
		const tenantId = newId();
		await fillArchive({ sql, archive }, { tenantId, count: 2, from: new Date("2026-11-01T12:00:00Z") });
		const request = { from: "2026-11-01", to: "2026-11-30", format: "zip", docIds: null } as const;
		const doer = { actor: { address: "127.0.0.1" }, at: new Date() };
		const { id } = await sql.begin((tx) => orderExport(tx, { tenantId, ...request, doer }));
		await createMakeExport({ ...parts, archive, invoices: NO_INVOICES, folder: maker })(await holdMessage(sql, id));
		const row = await findExport(sql, tenantId, id);
		expect(row).toMatchObject({ status: "ready", documents: 2 });
		// The archive does not take the file for one of its objects.
		for await (const { key } of archive.list("")) expect(key).not.toContain(id);

		const key = randomBytes(32);
		const choice = { filter: Type.Object({}), check: () => [], find: async () => [] };
		const deps = {
			...parts,
			exportsFolder: server,
			exportLinkKey: key,
			baseUrl: "http://x",
			wake: () => undefined,
			choice,
		};
		const operation = exportOperations(deps).find(({ path }) => path.endsWith("/file"));
		const url = new URL(linkTo(key, "http://x", id, row?.expiresAt ?? new Date()));
		const read = async (range?: string) => {
			const headers: Record<string, string> = range === undefined ? {} : { range };
			const call = {
				request: new Request(url.href, { headers }),
				url,
				params: { exportId: id },
				operation,
			} as Partial<Call>;
			return (await operation?.handle(call as Call)) as Response;
		};
		const [whole, again] = await Promise.all([read(), read("bytes=0-3")]);
		expect([whole.status, whole.headers.get("content-length")]).toEqual([200, String(row?.bytes)]);
		expect(new Bun.CryptoHasher("sha256").update(await whole.bytes()).digest("hex")).toBe(row?.sha256 ?? "");
		expect([again.status, (await again.bytes()).length]).toEqual([206, 4]);
		expect(readdirSync(server).toSorted()).toEqual([".making", `${id}.zip`]);

		await sql`update archive_exports set expires_at = now() - interval '1 day' where tenant_id = ${tenantId}`;
		expect(await sweepExports({ ...parts, folder: server })).toEqual({ expired: 1, files: 2 });
		expect(await shared?.list()).toEqual([]);
	},
	120_000,
);

test.skipIf(!hasServer)(
	"a large file is kept in parts and comes back whole",
	async () => {
		const [from, to] = [join(root, "large"), join(root, "large-again")];
		const bytes = randomBytes(33 * 1_024 * 1_024);
		writeFileSync(from, bytes);
		await shared?.put("large", from);
		expect(await shared?.fetch("large", to, bytes.length)).toBe(true);
		expect(Buffer.compare(await Bun.file(to).bytes(), bytes)).toBe(0);
		expect(await shared?.fetch("missing", join(root, "missing"), 1)).toBe(false);
		await shared?.remove("large");
	},
	120_000,
);

test("machines of an archive of files share a folder", async () => {
	expect(await openSharedFiles(root)).toBeUndefined();
});
