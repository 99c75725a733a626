/** Child processes of a service that cannot start: the database goes away when the first child is up. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startChildProcesses } from "../../../src/app/process/child-processes";
import { createLog } from "../../../src/platform/telemetry";
import { openTestDatabase } from "../../support/database";
import { startTcpProxy } from "../../support/tcp-proxy";
import { until } from "../../support/until";

const freePort = () => {
	const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
	const { port } = server;
	server.stop(true);
	return port;
};

test("running child processes end when the start fails", async () => {
	await using stack = new AsyncDisposableStack();
	const database = await openTestDatabase();
	stack.defer(database.close);
	const folder = mkdtempSync(join(tmpdir(), "sello-further-"));
	stack.defer(() => rmSync(folder, { recursive: true }));
	const address = new URL(database.url);
	const proxy = await startTcpProxy({ port: Number(address.port) });
	stack.defer(proxy.stop);
	address.port = String(proxy.port);
	const port = freePort();
	const settings = {
		...{ ROLE: "registry" as const, PORT: String(port), HOST: "127.0.0.1", DATABASE_URL: address.href },
		...{ DATABASE_MIGRATION_URL: "", DATA_DIR: folder, LOG_LEVEL: "fatal" },
	};
	const child = { entry: join(import.meta.dir, "../../../src/main.ts"), settings };
	const answers = () =>
		fetch(`http://127.0.0.1:${port}/health`).then(
			() => true,
			() => false,
		);
	const failed = startChildProcesses(2, child, createLog("silent", "test"), new AbortController().signal).then(
		() => undefined,
		(error: unknown) => error,
	);
	await until(answers);
	await proxy.stop();
	expect(await failed).toEqual(new Error("a child process exited before it was ready"));
	expect(await answers()).toBe(false);
}, 120_000);
