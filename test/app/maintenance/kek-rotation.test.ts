/** The rotation of the key-encryption key by an operator while the service runs. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../../src/app/config/read-config";
import { SEALED_COLUMNS } from "../../../src/app/maintenance/kek-rotation";
import { type Service, startService } from "../../../src/app/service";
import { openAccess } from "../../../src/identity/auth";
import { queueAccountMail } from "../../../src/identity/users";
import { createEnvelope, keepTombstonePepper } from "../../../src/platform/secrets";
import { createLog } from "../../../src/platform/telemetry";
import { systemClock } from "../../../src/platform/values";
import { type SandboxAuthority, startSandboxAuthority } from "../../../src/sandbox/simulator";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { mailsTo } from "../../support/mails";
import { until } from "../../support/until";

const ROOT = join(import.meta.dir, "../../..");
const TIMEOUT_MS = 180_000;
const dataDir = mkdtempSync(join(tmpdir(), "sello-test-rotation-"));
const kek = join(dataDir, "kek");
let database: TestDatabase;
let simulator: SandboxAuthority;
let service: Service | undefined;
let key = "";

async function start(): Promise<void> {
	const settings = { PORT: "0", DATA_DIR: dataDir, DATABASE_URL: database.url, AUTHORITY_URL: simulator.url };
	service = await startService(await readConfig({ ...settings, SIGN_THREADS: "1", LOG_LEVEL: "silent" }, 1));
}

beforeAll(async () => {
	[database, simulator] = await Promise.all([openTestDatabase(), startSandboxAuthority(dataDir, 0, true)]);
	await start();
	const access = await openAccess({
		...{ sql: database.sql, envelope: createEnvelope({ file: kek }), environment: "sandbox" as const },
		...{ baseUrl: "http://localhost", clock: systemClock, log: createLog("silent", "test") },
	});
	key = (await access.createKey({ plan: "unlimited", label: "test", environment: "sandbox" })).key;
	await access.close();
}, TIMEOUT_MS);
afterAll(async () => {
	await service?.stop();
	await simulator.stop();
	await database.close();
	rmSync(dataDir, { recursive: true, force: true });
});

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
	const answer = await fetch(`${service?.url}${path}`, {
		method,
		headers: { "x-api-key": key, "content-type": "application/json", ...headers },
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	const text = await answer.text();
	return { status: answer.status, body: (text === "" ? {} : JSON.parse(text)) as Record<string, never> };
}

type Company = {
	readonly tenantId: string;
	readonly rnc: string;
	readonly name: string;
	readonly bearer: () => Promise<string>;
};

async function register(rnc: string): Promise<Company> {
	const { status, body } = await call("POST", "/v1/company", { rnc, webhooks: [{ url: "https://example.com/hook" }] });
	expect([rnc, status]).toEqual([rnc, 201]);
	const { tenantId, name, credentials } = body as unknown as Company & { credentials: Record<string, string> };
	const { clientId, clientSecret } = credentials as { clientId: string; clientSecret: string };
	const bearer = async () => {
		const grant = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
		const { access_token } = (await call("POST", "/v1/auth/token", grant)).body as unknown as { access_token: string };
		return `Bearer ${access_token}`;
	};
	return { tenantId, rnc, name, bearer };
}

let number = 1;
async function issue({ rnc, name, bearer }: Company): Promise<number> {
	const invoice = {
		...{ type: "31", encf: `E31${String(number++).padStart(10, "0")}`, company: { rnc, name } },
		customer: { rnc: "131880681", name: "CLIENTE SRL" },
		lines: [{ line_number: 1, description: "Cemento", quantity: "10", unit_price: "450.00", subtotal: "4500.00" }],
		totals: { subtotal: "4500.00", tax: "810.00", grand_total: "5310.00" },
	};
	const headers = { authorization: await bearer(), "idempotency-key": crypto.randomUUID() };
	return (await call("POST", "/v1/invoices", invoice, headers)).status;
}

const admin = (...words: string[]) => adminWith({}, ...words);

async function adminWith(settings: Record<string, string>, ...words: string[]) {
	const { NODE_ENV: _, ...env } = process.env;
	const child = Bun.spawn([process.execPath, "scripts/admin.ts", ...words, "--json"], {
		...{ cwd: ROOT, stdout: "pipe" as const, stderr: "pipe" as const },
		env: { ...env, DATABASE_URL: database.url, DATA_DIR: dataDir, ...settings },
	});
	const [output, complaint] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	return { exitCode: await child.exited, output, complaint };
}

/** Number of secrets under another key than that of the file. */
async function countUnderOthers(file: string): Promise<number> {
	const opened = createEnvelope(Buffer.from(readFileSync(file, "utf8").trim(), "base64"));
	let others = 0;
	for (const { table, column, context, kind } of SEALED_COLUMNS) {
		const rows = await database.sql`
			select * from ${database.sql(table)} where ${database.sql(column)} is not null
				${kind === undefined ? database.sql`` : database.sql`and kind = ${kind}`}`;
		for (const row of rows) {
			const names = Object.fromEntries(context.columns.map((name) => [name, String(row[name])]));
			try {
				const sealed = kind === undefined ? (row[column] as Buffer) : Buffer.from(row[column].sealed, "base64");
				opened.open(sealed, context.of(names));
			} catch {
				others++;
			}
		}
	}
	return others;
}

test("every column of the database that holds a sealed secret is on the list", async () => {
	const rows = await database.sql<{ name: string }[]>`
		select table_name || '.' || column_name as name from information_schema.columns
		where table_schema = 'public' and column_name like 'sealed%' and data_type = 'bytea' order by 1`;
	const columns = SEALED_COLUMNS.filter(({ kind }) => kind === undefined);
	expect(rows.map(({ name }) => name)).toEqual(columns.map(({ table, column }) => `${table}.${column}`).sort());
});

test(
	"everything opens before, during and after a rotation with a restart",
	async () => {
		const company = await register("990000001");
		expect(await issue(company)).toBe(202);
		expect(await countUnderOthers(kek)).toBe(0);
		await database.sql`
			insert into webhook_endpoints (id, subject_id, tenant_id, url, events, sealed_secret, secret_hint)
			select gen_random_uuid(), subject_id, tenant_id, url, events, sealed_secret, secret_hint from webhook_endpoints limit 1`;

		expect((await admin("archive", "rotate-key")).exitCode).toBe(0);
		const found = await admin("keys-encryption", "rotate", "--to", `${kek}.next`);
		// A row that was copied to another place does not open: it is reported, and everything else is done.
		expect([found.exitCode, found.complaint]).toEqual([1, ""]);
		const { rewrapped, faults, then } = JSON.parse(found.output);
		expect(faults).toHaveLength(1);
		expect(rewrapped).toMatchObject({
			"archive_keys.sealed_private_key": 1,
			"kept_keys.sealed_key": 3,
			"signing_certificates.sealed_key": expect.any(Number),
			"webhook_endpoints.sealed_secret": expect.any(Number),
		});
		expect(then).toContain("running processes use");
		await database.sql`delete from webhook_endpoints where not sealed_secret is distinct from (
			select sealed_secret from webhook_endpoints where id = ${String(faults[0]).split("|")[2] ?? ""})`;
		expect(await countUnderOthers(`${kek}.next`)).toBe(0);

		expect(await issue(company)).toBe(202);
		const second = await register("990000002");
		expect(await issue(second)).toBe(202);
		expect(await countUnderOthers(`${kek}.next`)).toBe(0);
		const again = await admin("keys-encryption", "rotate", "--to", `${kek}.next`);
		expect([again.exitCode, JSON.parse(again.output).faults]).toEqual([0, []]);

		renameSync(`${kek}.next`, kek);
		expect(await issue(second)).toBe(202);
		await service?.stop();
		await start();
		for (const one of [company, second, await register("990000003")]) expect(await issue(one)).toBe(202);
		expect(await countUnderOthers(kek)).toBe(0);
		// The archive's key is opened, because it signs its successor.
		expect((await admin("archive", "rotate-key")).exitCode).toBe(0);
		const [entry] =
			await database.sql`select details from audit where action = 'keys-encryption.rotate' order by at limit 1`;
		expect(entry?.details).toMatchObject({ faults: 1 });
	},
	TIMEOUT_MS,
);

test(
	"a mail about an account that waits is sent after a rotation",
	async () => {
		const mails = { envelope: createEnvelope({ file: kek }), consoleUrl: "https://console.example" };
		const to = "ana@cliente.example";
		await database.sql.begin(async (tx) => {
			const mail = { kind: "factor", change: "totp-set", at: new Date() } as const;
			await queueAccountMail(tx, mails, { to, language: "es", mail });
			// It waits until it is called for.
			await tx`update outbox set available_at = now() + interval '1 day' where kind = 'mail.person'`;
		});
		const next = join(dataDir, "fourth");
		const { exitCode, output } = await admin("keys-encryption", "rotate", "--to", next);
		expect([exitCode, JSON.parse(output).rewrapped["outbox.payload"]]).toEqual([0, 1]);
		expect(await countUnderOthers(next)).toBe(0);
		renameSync(next, kek);
		await service?.stop();
		await start();
		await database.sql`update outbox set available_at = now() where kind = 'mail.person'`;
		await until(() => mailsTo({ dataDir }, to).length === 1);
	},
	TIMEOUT_MS,
);

test(
	"tombstones are made with the same pepper under the new key",
	async () => {
		const pepper = () =>
			keepTombstonePepper({ sql: database.sql, envelope: createEnvelope({ file: kek }) }, Buffer.alloc(32));
		const first = await pepper();
		const next = join(dataDir, "third");
		expect((await admin("keys-encryption", "rotate", "--to", next)).exitCode).toBe(0);
		renameSync(next, kek);
		expect((await pepper()).equals(first)).toBe(true);
	},
	TIMEOUT_MS,
);

test("a key that is in force already and a file without a key are reported", async () => {
	const same = await admin("keys-encryption", "rotate", "--to", kek);
	expect([same.exitCode, same.complaint]).toEqual([2, expect.stringContaining("in force already")]);
	const missing = await admin("keys-encryption", "rotate");
	expect([missing.exitCode, missing.complaint]).toEqual([2, expect.stringContaining("--to")]);
});

test("a KEK_FILE under which nothing is sealed changes nothing", async () => {
	const other = join(dataDir, "other");
	writeFileSync(other, randomBytes(32).toString("base64"));
	const found = await adminWith({ KEK_FILE: other }, "keys-encryption", "rotate", "--to", join(dataDir, "newer"));
	expect([found.exitCode, found.output]).toEqual([2, ""]);
	expect(found.complaint).toStartWith("KEK_FILE is not the key in force: no stored secret is sealed under it");
	expect(existsSync(join(dataDir, "newer"))).toBe(false);
	expect(await countUnderOthers(kek)).toBe(0);
});
