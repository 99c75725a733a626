/** A process gets SIGTERM while the authority hangs, a receiver is silent and a request arrives byte by byte: it releases everything. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { connect as connectSocket, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestDatabase } from "../support/database";
import { runAdmin, startService } from "../support/processes";
import { buildInvoice, registerTenant } from "../support/tenants";
import { until } from "../support/until";

const INVOICES = 6;

/** Takes connections and says nothing. */
async function startSilent(): Promise<{ url: string; server: Server }> {
	const server = createServer((socket) => socket.on("error", () => undefined));
	await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
	return { server, url: `http://127.0.0.1:${(server.address() as { port: number }).port}` };
}

test("SIGTERM releases everything within ten seconds while all partners are silent", async () => {
	await using stack = new AsyncDisposableStack();
	const database = await openTestDatabase();
	stack.defer(database.close);
	const folder = mkdtempSync(join(tmpdir(), "sello-stopped-busy-"));
	stack.defer(() => rmSync(folder, { recursive: true }));
	const { url: authority, server } = await startSilent();
	stack.defer(() => void server.close());
	const settings = {
		...{ DATABASE_URL: database.ownerUrl, DATA_DIR: folder, PORT: "0", AUTHORITY_URL: authority },
		...{ AUTHORITY_PROBE_SECONDS: "5", SHARD_LEASE_SECONDS: "60" },
	};
	const service = startService(settings, join(folder, "service.log"));
	stack.defer(() => service.kill("SIGKILL"));
	const url = await service.ready;
	const { key } = (await runAdmin(["keys", "create", "--plan", "unlimited", "--label", "test"], settings)) as {
		key: string;
	};
	const tenant = await registerTenant(url, key, 1);
	for (let n = 1; n <= INVOICES; n++) {
		const headers = {
			...tenant.headers,
			"idempotency-key": crypto.randomUUID(),
			"content-type": "application/json",
		};
		const answer = await fetch(`${url}/v1/invoices`, {
			method: "POST",
			headers,
			body: JSON.stringify(buildInvoice(tenant, n)),
		});
		expect(answer.status).toBe(202);
	}
	const held = () => database.owner`select 1 from shards where lane is not null`;
	// What runs for a while is marked.
	await until(async () => (await database.owner`select 1 from outbox where busy_until > now()`).length > 0);
	const { hostname, port } = new URL(url);
	const slow = connectSocket(Number(port), hostname);
	stack.defer(() => void slow.destroy());
	slow.on("error", () => undefined);
	slow.write(
		`POST /v1/auth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
	);

	const signalledAt = performance.now();
	service.kill("SIGTERM");
	expect(await service.ended).toBe(0);
	expect(performance.now() - signalledAt).toBeLessThan(10_000);
	expect(await held()).toHaveLength(0);
}, 60_000);
