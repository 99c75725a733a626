/** A running service whose terminal is closed or whose log reader ends. */
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestDatabase } from "../support/database";
import { ROOT, startService } from "../support/processes";
import { until } from "../support/until";

const folder = mkdtempSync(join(tmpdir(), "sello-hung-up-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const STOP_MAX_MS = 10_000;

/** Started by a shell whose `$0` is the runtime, so that outputs and ignored signals are set as by an operator's shell. */
function startByShell(command: string, settings: Readonly<Record<string, string>>) {
	return Bun.spawn(["sh", "-c", command, process.execPath], {
		cwd: ROOT,
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
		env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...settings },
	});
}

const freePort = () => {
	const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
	const { port } = server;
	server.stop(true);
	return port;
};

const isReady = (port: number | undefined) =>
	fetch(`http://127.0.0.1:${port}/readyz`).then(
		({ ok }) => ok,
		() => false,
	);

test("a SIGHUP stops the service as a SIGTERM does", async () => {
	const database = await openTestDatabase();
	const logPath = join(folder, "service.log");
	const settings = { PORT: "0", ROLE: "registry", PROCESSES: "2", DATABASE_URL: database.url, DATA_DIR: folder };
	const service = startService(settings, logPath);
	try {
		await service.ready;
		process.kill(service.pid, "SIGHUP");
		expect(await Promise.race([service.ended, Bun.sleep(STOP_MAX_MS).then(() => "late")])).toBe(0);
		expect(readFileSync(logPath, "utf8").match(/"msg":"stopped"/g)).toHaveLength(2);
	} finally {
		service.kill("SIGKILL");
		await database.close();
	}
}, 120_000);

test("a service started by nohup outlives its terminal with all processes", async () => {
	const database = await openTestDatabase();
	const port = freePort();
	const settings = {
		PORT: String(port),
		ROLE: "registry",
		PROCESSES: "2",
		DATABASE_URL: database.url,
		DATA_DIR: folder,
	};
	const logPath = join(folder, "nohup.log");
	writeFileSync(logPath, "");
	const service = startByShell(`exec nohup "$0" src/main.ts >'${logPath}' 2>&1`, settings);
	const log = () => readFileSync(logPath, "utf8");
	try {
		await until(() => log().includes('"msg":"ready"'), 60_000);
		const [further = ""] = readFileSync(`/proc/${service.pid}/task/${service.pid}/children`, "utf8").trim().split(" ");
		for (const pid of [service.pid, Number(further)]) process.kill(pid, "SIGHUP");
		for (let i = 0; i < 20; i++) expect(await isReady(port)).toBe(true);
		expect(log()).not.toMatch(/draining|was lost/);
		service.kill("SIGTERM");
		expect(await service.exited).toBe(0);
	} finally {
		service.kill("SIGKILL");
		await database.close();
	}
}, 120_000);

/** Writes its process id to a file and its exit code at the end of its output. */
const SERVICE = `{ sh -c 'echo $$ >"$PID_FILE"; exec "$0" src/main.ts' "$0"; echo $? >&2; }`;

test.each([
	["whose log's reader ends", `${SERVICE} | head -n 1`, "EPIPE"],
	["whose log's disk is full", `${SERVICE} >/dev/full`, "ENOSPC"],
])(
	"a service %s serves on, says so once and stops in order",
	async (_, command, code) => {
		const database = await openTestDatabase();
		const port = freePort();
		const pidFile = join(folder, `${code}.pid`);
		const settings = { PORT: String(port), ROLE: "registry", DATABASE_URL: database.url, DATA_DIR: folder };
		const shell = startByShell(command, { ...settings, PID_FILE: pidFile });
		const said = new Response(shell.stderr).text();
		try {
			await until(() => isReady(port), 60_000);
			for (let i = 0; i < 20; i++) expect(await isReady(port)).toBe(true);
		} finally {
			process.kill(Number(readFileSync(pidFile, "utf8")), "SIGTERM");
			await shell.exited;
			await database.close();
		}
		const lines = (await said).trim().split("\n");
		expect(lines.pop()).toBe("0");
		expect(lines.map((line) => JSON.parse(line))).toEqual([
			{ level: "error", event: "log.write_failed", msg: "cannot write the log; its lines are lost", code },
		]);
	},
	120_000,
);

test("a service below npx stops in order when npx is ended, also while it starts", async () => {
	const database = await openTestDatabase();
	try {
		for (const line of ['"msg":"starting"', '"msg":"ready"']) {
			const logPath = join(folder, "npx.log");
			writeFileSync(logPath, "");
			const settings = { PORT: "0", ROLE: "registry", DATABASE_URL: database.url, DATA_DIR: folder };
			// The shell's command line contains `npx`, and like npx it passes no signal on.
			const npx = startByShell(`"$0" src/main.ts >'${logPath}' 2>&1; : npx`, settings);
			const log = () => readFileSync(logPath, "utf8");
			await until(() => log().includes(line), 60_000);
			const [service = ""] = readFileSync(`/proc/${npx.pid}/task/${npx.pid}/children`, "utf8").trim().split(" ");
			npx.kill("SIGTERM");
			await until(() => !existsSync(`/proc/${service}`), STOP_MAX_MS);
		}
	} finally {
		await database.close();
	}
}, 120_000);
