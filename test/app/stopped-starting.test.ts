/** A service that is stopped while it starts ends in time, whatever it waits for. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeNeverReady } from "../platform/database/support/never-ready";
import { openTestDatabase } from "../support/database";
import { startService } from "../support/processes";
import { until } from "../support/until";

const folder = mkdtempSync(join(tmpdir(), "sello-stopped-starting-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const STOP_MAX_MS = 10_000;

function childrenOf(pid: number): number[] {
	return readdirSync("/proc").flatMap((name) => {
		try {
			const stat = readFileSync(`/proc/${name}/stat`, "utf8");
			return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === pid ? [Number(name)] : [];
		} catch {
			return [];
		}
	});
}

const isFurther = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--child-process");

test("SIGTERM ends a start that waits for a child process, with that process", async () => {
	const database = await openTestDatabase();
	const settings = { ...{ PORT: "0", PROCESSES: "2", ROLE: "registry" }, DATABASE_URL: database.url, DATA_DIR: folder };
	const service = startService(settings, join(folder, "further.log"));
	try {
		// Not before the child runs its own program, because the start waits for that.
		await until(() => childrenOf(service.pid).some(isFurther), 30_000);
		const further = childrenOf(service.pid).find(isFurther) ?? 0;
		process.kill(further, "SIGSTOP");
		service.kill("SIGTERM");
		const ending = await Promise.race([service.ended, Bun.sleep(STOP_MAX_MS).then(() => "late")]);
		expect(ending).toBe(0);
		expect(() => process.kill(further, 0)).toThrow();
	} finally {
		service.kill("SIGKILL");
		await database.close();
	}
}, 120_000);

test("a start that waits for its own database server ends at a SIGTERM", async () => {
	const { dataDir, programs } = await makeNeverReady();
	const logPath = join(folder, "server.log");
	const service = startService({ PORT: "0", ROLE: "registry", DATA_DIR: dataDir }, logPath);
	try {
		await until(() => programs().length > 0, 30_000);
		service.kill("SIGTERM");
		const ending = await Promise.race([service.ended, Bun.sleep(STOP_MAX_MS).then(() => "late")]);
		expect(ending).toBe(0);
		await until(() => programs().length === 0);
	} finally {
		service.kill("SIGKILL");
		for (const pid of programs()) process.kill(pid, "SIGKILL");
		rmSync(dataDir, { recursive: true, force: true });
	}
}, 120_000);

test("a start that waits while another one migrates ends at a SIGTERM", async () => {
	const database = await openTestDatabase();
	const other = await database.owner.reserve();
	await other`select pg_advisory_lock(7301001)`;
	const settings = { PORT: "0", DATABASE_URL: database.ownerUrl, DATA_DIR: folder };
	const service = startService(settings, join(folder, "migrating.log"));
	const isWaiting = async () =>
		(
			await database.owner`
				select 1 from pg_stat_activity
				where datname = current_database() and pid <> pg_backend_pid() and query like '%pg_try_advisory_lock%'`
		).length > 0;
	try {
		await until(isWaiting, 30_000);
		service.kill("SIGTERM");
		const ending = await Promise.race([service.ended, Bun.sleep(STOP_MAX_MS).then(() => "late")]);
		expect(ending).toBe(0);
	} finally {
		service.kill("SIGKILL");
		other.release();
		await database.close();
	}
}, 120_000);

test("SIGTERM ends a start whose threads wait for a hanging bucket", async () => {
	const sockets = new Set<Socket>();
	const silent = createServer((socket) => void sockets.add(socket)).listen(0, "127.0.0.1");
	await until(() => silent.listening);
	const { port } = silent.address() as { port: number };
	const database = await openTestDatabase();
	const logPath = join(folder, "threads.log");
	const settings = {
		...{ PORT: "0", ROLE: "worker", SUBMIT_THREADS: "6", DATA_DIR: folder, DATABASE_URL: database.url },
		...{ ARCHIVE_URL: "s3://silent/a", ARCHIVE_S3_ENDPOINT: `http://127.0.0.1:${port}` },
		...{ AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b", AWS_REGION: "us-east-1" },
	};
	const service = startService(settings, logPath);
	try {
		// The process connects first, then its threads.
		await until(() => sockets.size > 1, 30_000);
		service.kill("SIGTERM");
		const ending = await Promise.race([service.ended, Bun.sleep(STOP_MAX_MS).then(() => "late")]);
		expect(ending).toBe(0);
	} finally {
		service.kill("SIGKILL");
		for (const socket of sockets) socket.destroy();
		silent.close();
		await database.close();
	}
}, 120_000);
