/** Metrics of waiting and dead messages and expiring certificates, over real HTTP. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createWebhook } from "../api/support/webhooks";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { findFreePort, runAdmin, startService } from "../support/processes";
import { buildInvoice, createTenant, openServiceIn, postInvoice, untilDecided } from "../support/service";
import { registerTenant } from "../support/tenants";
import { until } from "../support/until";

const TIMEOUT_MS = 120_000;

/** Scraped values by name and labels. */
async function scrape(port: number): Promise<Readonly<Record<string, number>>> {
	const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
	const lines = [...text.matchAll(/^(sello_\S+) (\S+)$/gm)];
	return Object.fromEntries(lines.map(([, name, value]) => [name, Number(value)]));
}

describe("a whole service", () => {
	let service: Awaited<ReturnType<typeof openServiceIn>>;
	let port: number;
	beforeAll(async () => {
		port = await findFreePort();
		service = await openServiceIn("sandbox", { METRICS_PORT: String(port) });
	}, TIMEOUT_MS);
	afterAll(() => service.stop(), TIMEOUT_MS);

	test(
		"reports dead letters of deliveries and documents, and expiring certificates",
		async () => {
			const tenant = await createTenant(service);
			const webhook = await createWebhook(service, tenant, { recovery: "manual", events: ["invoice.failed"] });
			service.receiver.answer(new URL(webhook.url).pathname, 500);
			const invoice = buildInvoice(tenant, { customer: { rnc: "000000006", name: "CLIENTE SRL" } });
			const { docId } = (await (await postInvoice(service, tenant, invoice)).json()) as { docId: string };
			expect(await untilDecided(service, tenant, docId)).toMatchObject({ status: "failed" });
			await until(
				async () => (await service.sql`select from deliveries where status = 'dead'`).length === 1,
				TIMEOUT_MS,
			);

			for (const ends of ["3 days", "20 days", "-1 day"]) {
				const { tenantId } = await createTenant(service);
				await service.sql`
					update signing_certificates set not_after = now() + ${ends}::interval where tenant_id = ${tenantId}`;
			}
			expect(await scrape(port)).toMatchObject({
				'sello_dead_letters{kind="invoice.submit"}': 1,
				'sello_dead_letters{kind="webhook.deliver"}': 1,
				'sello_outbox_due_oldest_seconds{kind="invoice.submit"}': 0,
				'sello_certificates_ending{within="1d"}': 0,
				'sello_certificates_ending{within="7d"}': 1,
				'sello_certificates_ending{within="30d"}': 2,
				'sello_certificates_ending{within="ended"}': 1,
				sello_signing_queued: 0,
			} as never);
		},
		TIMEOUT_MS,
	);
});

describe("a service of two processes without a dispatcher", () => {
	const folder = mkdtempSync(join(tmpdir(), "sello-figures-"));
	let database: TestDatabase;
	let service: ReturnType<typeof startService>;
	let settings: Record<string, string>;
	let port: number;
	beforeAll(async () => {
		database = await openTestDatabase();
		port = await findFreePort();
		settings = {
			...{ ROLE: "api", PROCESSES: "2", SIGN_THREADS: "1", PORT: "0", METRICS_PORT: String(port) },
			...{ DATABASE_URL: database.url, DATA_DIR: folder, AUTHORITY_URL: "http://127.0.0.1:9" },
		};
		service = startService(settings, join(folder, "service.log"));
		await service.ready;
	}, TIMEOUT_MS);
	afterAll(async () => {
		service.kill("SIGTERM");
		await service.ended;
		await database.close();
		rmSync(folder, { recursive: true, force: true });
	}, TIMEOUT_MS);

	test(
		"reports once for how long a document has been overdue",
		async () => {
			const url = await service.ready;
			const { key } = (await runAdmin(["keys", "create", "--plan", "unlimited", "--label", "f"], settings)) as {
				key: string;
			};
			const { rnc, name, headers } = await registerTenant(url, key, 1);
			const body = JSON.stringify(buildInvoice({ rnc, name } as Parameters<typeof buildInvoice>[0]));
			const posted = await fetch(`${url}/v1/invoices`, {
				method: "POST",
				headers: { ...headers, "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
				body,
			});
			expect(posted.status).toBe(202);
			await database.sql`update shards set done_before = now() - interval '2 hours'`;
			await database.sql`update work_log set id = first_id_at(now() - interval '1 hour')`;
			const found = await scrape(port);
			expect(found['sello_outbox_due_oldest_seconds{kind="invoice.submit"}']).toBeWithin(3_600, 3_900);
			expect(found['sello_dead_letters{kind="invoice.submit"}']).toBe(0);
		},
		TIMEOUT_MS,
	);

	test(
		"reports how many documents wait for signing threads of all processes",
		async () => {
			const url = await service.ready;
			const { key } = (await runAdmin(["keys", "create", "--plan", "unlimited", "--label", "s"], settings)) as {
				key: string;
			};
			// A signing thread generates a company's key, which takes long.
			const companies = Promise.all(Array.from({ length: 16 }, (_, i) => registerTenant(url, key, i + 2)));
			let most = 0;
			await until(async () => {
				most = Math.max(most, (await scrape(port)).sello_signing_queued ?? 0);
				return most > 0;
			});
			await companies;
			await until(async () => (await scrape(port)).sello_signing_queued === 0);
			expect(most).toBeGreaterThan(0);
		},
		TIMEOUT_MS,
	);
});
