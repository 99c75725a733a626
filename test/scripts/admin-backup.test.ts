/** A backup of a service and its restore on an empty machine, as an operator types them. */
import { afterAll, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestDatabase } from "../support/database";
import { runAdmin } from "../support/processes";
import { openServiceIn } from "../support/service";
import { buildInvoice, registerTenant } from "../support/tenants";
import { until } from "../support/until";

const folder = mkdtempSync(join(tmpdir(), "sello-backup-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);
const { publicKey, privateKey } = generateKeyPairSync("rsa", {
	...{ modulusLength: 3_072, publicKeyEncoding: { type: "spki", format: "pem" } },
	privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
writeFileSync(at("public.pem"), publicKey);
writeFileSync(at("private.pem"), privateKey);

/** January 2020, by the ids of its documents. */
const PAST_MONTH = `
	create table documents_2020_01 partition of documents
	for values from ('016f5e66-e800-0000-0000-000000000000') to ('016ffe0c-5400-0000-0000-000000000000')`;

test("a restored backup has all rows, and names what the archive proves beyond it", async () => {
	const service = await openServiceIn("sandbox");
	const target = await openTestDatabase();
	try {
		const archive = { ENVIRONMENT: "sandbox", ARCHIVE_URL: join(service.dataDir, "archive") };
		const source = { ...archive, DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataDir };
		const empty = {
			...archive,
			DATABASE_URL: target.url,
			DATABASE_MIGRATION_URL: target.ownerUrl,
			DATA_DIR: at("empty"),
		};
		const tenant = await registerTenant(service.url, await service.createKey(), 1);
		const issue = async (n: number) => {
			const body = JSON.stringify(buildInvoice(tenant, n));
			const headers = { ...tenant.headers, "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
			const answer = await fetch(`${service.url}/v1/invoices`, { method: "POST", headers, body });
			expect(answer.status).toBe(202);
		};
		const sealed = async (count: number) => {
			const [row] = await service.sql<
				{ count: number }[]
			>`select count(*) from seals where tenant_id = ${tenant.tenantId}`;
			return row?.count === count;
		};
		await service.owner.unsafe(PAST_MONTH);
		await Promise.all([issue(1), issue(2)]);
		await until(() => sealed(2), 30_000);
		const command = ["--to", at("backup"), "--recovery-key", at("public.pem")];
		expect(await runAdmin(["backup", ...command], source)).toMatchObject({ key: "sealed to the recovery key" });
		await issue(4);
		await until(() => sealed(3), 30_000);

		const from = ["restore", "--from", at("backup")];
		await expect(runAdmin(from, empty)).rejects.toThrow("kek is missing: give it, or --recovery-key");
		// As production has it: a file of its own, which is not there yet.
		const keyed = { ...empty, KEK_FILE: at("keys/kek") };
		const restored = await runAdmin([...from, "--recovery-key", at("private.pem")], keyed);
		expect(restored).toMatchObject({
			archive: { restored: { objects: 1 }, objects: 3, verified: 3, faults: [] },
			beyond: {
				documents: 1,
				numbers: [{ tenantId: tenant.tenantId, type: "31", count: 1, highest: "E310000000004" }],
			},
			reports: { documents: 2, drift: [] },
			numbers: { withoutName: 0 },
		});
		const counts = async (sql: typeof target.sql) => sql`
			select (select count(*) from companies) as companies, (select count(*) from api_keys) as keys,
				(select count(*) from papers) as papers, (select count(*) from names) as names`;
		expect([...(await counts(target.sql))]).toMatchObject([{ companies: 2, papers: 2, names: 3 }]);
		expect([...(await target.owner`select to_regclass('documents_2020_01') is not null as "isThere"`)]).toEqual([
			{ isThere: true },
		]);
		expect(readFileSync(at("keys/kek"), "utf8")).toBe(readFileSync(join(service.dataDir, "kek"), "utf8"));
		await expect(runAdmin(from, keyed)).rejects.toThrow("the database is not empty");
	} finally {
		await Promise.all([service.stop(), target.close()]);
	}
}, 120_000);

test("a damaged part is refused, and the database stays empty", async () => {
	const [source, target] = [await openTestDatabase(), await openTestDatabase()];
	const settings = { DATABASE_URL: source.url, DATA_DIR: at("damaged-source"), ARCHIVE_URL: at("archive") };
	try {
		await expect(runAdmin(["backup", "--to", at("none")], settings)).rejects.toThrow("kek");
		writeFileSync(at("kek"), `${Buffer.alloc(32, 1).toString("base64")}\n`);
		const keyed = { ...settings, KEK_FILE: at("kek") };
		await runAdmin(["backup", "--to", at("damaged")], keyed);
		expect(existsSync(at("damaged/shards.0000.zst"))).toBe(true);
		writeFileSync(at("damaged/shards.0000.zst"), "cut");
		const empty = { ...keyed, DATABASE_URL: target.url, DATABASE_MIGRATION_URL: target.ownerUrl };
		const restoring = runAdmin(["restore", "--from", at("damaged")], empty);
		await expect(restoring).rejects.toThrow("shards.0000.zst of the backup is damaged");
		expect(await target.sql`select from shards`).toHaveLength(64);
	} finally {
		await Promise.all([source.close(), target.close()]);
	}
}, 120_000);
