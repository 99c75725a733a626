/** A service whose port another process of it takes over, seen from its callers. */
import { afterAll, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { REPLACE, readConfig } from "../../../src/app/config/read-config";
import { openTestDatabase } from "../../support/database";
import { findFreePort, runAdmin, startService, startSimulator } from "../../support/processes";
import { openConnection, type RawConnection, type RawRequest, writeRequest } from "../../support/raw-http";
import { buildInvoice, registerTenant } from "../../support/tenants";

const folder = mkdtempSync(join(tmpdir(), "sello-replace-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const REQUESTS = 2_000;
const CALLERS = 8;
const PAUSE_MS = 5;
const JSON_TYPE = { "content-type": "application/json" };

test("no request of 2,000 is refused while another process takes the port over", async () => {
	const database = await openTestDatabase();
	const simulator = startSimulator(folder, 5);
	const port = await findFreePort();
	const settings = {
		...{ PORT: String(port), DATABASE_URL: database.url, DATA_DIR: folder, AUTHORITY_URL: await simulator.ready },
		...{ DATABASE_MIGRATION_URL: database.ownerUrl, BASE_URL: `http://127.0.0.1:${port}`, SIGN_THREADS: "1" },
	};
	const former = startService(settings, join(folder, "former.log"));
	const url = await former.ready;
	const { key } = (await runAdmin(["keys", "create", "--plan", "unlimited", "--label", "x"], settings)) as {
		key: string;
	};
	const tenant = await registerTenant(url, key, 1);

	const refused: unknown[] = [];
	let sent = 0;
	let isOver = false;
	const toRequest = (n: number): RawRequest =>
		n % 20 === 0
			? {
					method: "POST",
					path: "/v1/invoices",
					headers: { ...JSON_TYPE, ...tenant.headers, "idempotency-key": randomUUID() },
					body: JSON.stringify(buildInvoice(tenant, n)),
				}
			: { method: "GET", path: "/readyz", headers: {} };
	/** Keeps its connection until an answer asks for another one; every second caller uses each once. */
	async function call(caller: number): Promise<void> {
		let connection: RawConnection | undefined;
		while (!isOver || sent < REQUESTS) {
			const n = ++sent;
			await Bun.sleep(PAUSE_MS);
			try {
				connection ??= await openConnection(port);
				const outcome = await connection.send(writeRequest(toRequest(n)));
				if (outcome.kind !== "answered" || outcome.answer.status >= 300) refused.push({ n, outcome });
				const isLast = outcome.kind !== "answered" || outcome.answer.headers.connection === "close" || caller % 2 === 0;
				if (isLast) connection = void connection.close();
			} catch (error) {
				refused.push({ n, error: String(error) });
			}
		}
		connection?.close();
	}
	const calls = Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)));
	const next = startService(settings, join(folder, "next.log"), [REPLACE]);
	try {
		await next.ready;
		expect(await former.ended).toBe(0);
		isOver = true;
		await calls;
		expect(sent).toBeGreaterThanOrEqual(REQUESTS);
		expect(refused).toEqual([]);
		expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ status: "ok" });
	} finally {
		isOver = true;
		for (const one of [former, next, simulator]) one.kill("SIGTERM");
		await Promise.all([calls, former.ended, next.ended, simulator.ended]);
		await database.close();
	}
}, 60_000);

test("what belongs to one process cannot be taken over", async () => {
	const replacing = readConfig({ PORT: "0" }, 1, { isReplacing: true });
	await expect(replacing).rejects.toThrow(/fixed PORT[\s\S]*needs DATABASE_URL[\s\S]*needs AUTHORITY_URL/);
});

test("a port of something else is left alone", async () => {
	const other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("other") });
	const database = await openTestDatabase();
	const settings = { PORT: String(other.port), DATABASE_URL: database.url, DATA_DIR: folder, ROLE: "registry" };
	const next = startService(settings, join(folder, "refused.log"), [REPLACE]);
	await expect(next.ready).rejects.toThrow(
		`--replace cannot take port ${other.port} over: it is held by something else`,
	);
	await Promise.all([other.stop(true), database.close()]);
}, 60_000);
