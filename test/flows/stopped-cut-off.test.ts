/** A process gets SIGTERM while its network to the database is gone and its connections never answer again. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestDatabase } from "../support/database";
import { startService } from "../support/processes";
import { startTcpProxy } from "../support/tcp-proxy";

test.each(["worker", "all"])(
	"a process of role %s with dead connections ends within ten seconds",
	async (ROLE) => {
		await using stack = new AsyncDisposableStack();
		const database = await openTestDatabase();
		stack.defer(database.close);
		const folder = mkdtempSync(join(tmpdir(), "sello-cut-off-"));
		stack.defer(() => rmSync(folder, { recursive: true }));
		const address = new URL(database.ownerUrl);
		const proxy = await startTcpProxy({ port: Number(address.port) });
		stack.defer(proxy.stop);
		address.port = String(proxy.port);
		const settings = { ROLE, DATABASE_URL: address.href, DATA_DIR: folder, PORT: "0" };
		const service = startService(settings, join(folder, "service.log"));
		stack.defer(() => service.kill("SIGKILL"));
		await service.ready;
		for (const link of proxy.links())
			for (const direction of ["upstream", "downstream"] as const)
				link.add(direction, { type: "timeout", timeoutMs: 0 });

		const signalledAt = performance.now();
		service.kill("SIGTERM");
		expect(await service.ended).toBe(0);
		expect(performance.now() - signalledAt).toBeLessThan(10_000);
	},
	120_000,
);
