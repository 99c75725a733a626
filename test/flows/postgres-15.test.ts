/** From the invoice to its webhook on PostgreSQL 15, the oldest that is supported; the embedded server is newer. */
import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findMemoryFolder } from "../support/memory-folder";
import { findFreePort, ROOT } from "../support/processes";
import { reportSkip } from "../support/skips";

const BINARIES = "/usr/lib/postgresql/15/bin";
const isThere = existsSync(join(BINARIES, "initdb"));
if (!isThere) reportSkip("PostgreSQL 15 is not installed, so the service is not tried on it", { requiredInCi: false });

const FLOW = "test/flows/invoice-to-webhook.test.ts";
const SETTINGS = {
	listen_addresses: "127.0.0.1",
	unix_socket_directories: "",
	max_connections: "200",
	shared_buffers: "32MB",
};

/** The server does not run as root. */
async function run(...command: readonly string[]): Promise<void> {
	const prefix = process.getuid?.() === 0 ? ["runuser", "-u", "postgres", "--"] : [];
	const child = Bun.spawn([...prefix, ...command], { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
	const complaint = await new Response(child.stderr).text();
	if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}: ${complaint}`);
}

test.skipIf(!isThere)(
	"the flow from the invoice to its webhook works on PostgreSQL 15",
	async () => {
		const folder = mkdtempSync(join(findMemoryFolder("sello-postgres-15-") ?? tmpdir(), "sello-postgres-15-"));
		chmodSync(folder, 0o777);
		const [cluster, log, port] = [join(folder, "cluster"), join(folder, "log"), await findFreePort()];
		const options = Object.entries({ ...SETTINGS, port: String(port) }).map(([name, value]) => `-c ${name}='${value}'`);
		const control = (...args: readonly string[]) => run(join(BINARIES, "pg_ctl"), "-D", cluster, ...args);
		try {
			await run(
				join(BINARIES, "initdb"),
				"-D",
				cluster,
				"-A",
				"trust",
				"-U",
				"postgres",
				"-E",
				"UTF8",
				"--locale=C",
				"--no-sync",
			);
			await control("-w", "-l", log, "-o", options.join(" "), "start");
			const child = Bun.spawn([process.execPath, "test", "--timeout", "60000", "-t", "acknowledged, accepted", FLOW], {
				...{ cwd: ROOT, stdin: "ignore", stdout: "ignore", stderr: "pipe" },
				env: { ...process.env, TEST_POSTGRES_URL: `postgres://postgres@127.0.0.1:${port}/postgres` },
			});
			const said = await new Response(child.stderr).text();
			expect(said).toMatch(/\n [1-9]\d* pass\n/);
			expect(await child.exited).toBe(0);
		} finally {
			await control("-m", "immediate", "stop");
			rmSync(folder, { recursive: true, force: true });
		}
	},
	120_000,
);
