import { expect, setSystemTime, test } from "bun:test";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	connect,
	DataDirLockedError,
	findEmbeddedOwnerUrl,
	findEmbeddedUrl,
	lockDataDir,
	startEmbeddedPostgres,
} from "../../../src/platform/database";
import { sharedMegabytes } from "../../../src/platform/database/embedded";
import { countAllowed } from "../../../src/platform/database/rights";
import { findFreePort } from "../../support/processes";
import { until } from "../../support/until";

test("a stopped embedded server keeps its data and gets a service login", async () => {
	const dataDir = mkdtempSync(join(tmpdir(), "sello-embedded-"));
	try {
		const first = await startEmbeddedPostgres(dataDir);
		const sql = connect({ url: first.url, name: "test", connectionsMax: 1 });
		await sql`create table kept (n int)`;
		await sql`insert into kept values (7)`;
		await sql`drop role sello_service`;
		await sql.end();
		await first.stop();
		rmSync(join(dataDir, "postgres.service-password"));
		const second = await startEmbeddedPostgres(dataDir);
		const again = connect({ url: second.url, name: "test", connectionsMax: 1 });
		expect([...(await again`select n from kept`)]).toEqual([{ n: 7 }]);
		await again.end();
		expect(findEmbeddedUrl(dataDir)).toBe(second.serviceUrl);
		expect(findEmbeddedOwnerUrl(dataDir)).toBe(second.url);
		const service = connect({ url: second.serviceUrl, name: "test", connectionsMax: 1 });
		const [rights] = await service`
			select rolname, rolsuper or rolcreaterole or rolcreatedb or rolbypassrls or rolreplication as "hasMore"
			from pg_roles where rolname = current_user`;
		expect(rights).toEqual({ rolname: "sello_service", hasMore: false });
		await service.end();
		await second.stop();
	} finally {
		rmSync(dataDir, { recursive: true, force: true });
	}
}, 120_000);

test("an embedded server gets its time although the machine's clock is set", async () => {
	const dataDir = mkdtempSync(join(tmpdir(), "sello-embedded-clock-"));
	const rightAt = Date.now();
	let leaps = 0;
	const timer = setInterval(() => setSystemTime(rightAt + ++leaps * 3_600_000), 5);
	try {
		const server = await startEmbeddedPostgres(dataDir);
		await server.stop();
		expect(leaps).toBeGreaterThan(1);
	} finally {
		clearInterval(timer);
		setSystemTime();
		rmSync(dataDir, { recursive: true, force: true });
	}
}, 120_000);

function programsOf(dataDir: string): number[] {
	return readdirSync("/proc").flatMap((name) => {
		try {
			return readFileSync(`/proc/${name}/cmdline`, "utf8").includes(dataDir) ? [Number(name)] : [];
		} catch {
			return [];
		}
	});
}

test("a cluster whose making was killed in the middle is made anew", async () => {
	const dataDir = mkdtempSync(join(tmpdir(), "sello-embedded-"));
	try {
		const killed = startEmbeddedPostgres(dataDir).catch((error: Error) => error.message);
		// The first file that is made.
		await until(() => readdirSync(dataDir).some((name) => existsSync(join(dataDir, name, "PG_VERSION"))), 30_000);
		await until(() => {
			const programs = programsOf(dataDir);
			for (const pid of programs) process.kill(pid, "SIGKILL");
			return programs.length === 0;
		});
		expect(await killed).toStartWith("initdb failed with ");
		const server = await startEmbeddedPostgres(dataDir);
		await server.stop();
	} finally {
		rmSync(dataDir, { recursive: true, force: true });
	}
}, 120_000);

test("what is no cluster and lies where one would be made is left as it is", async () => {
	const dataDir = mkdtempSync(join(tmpdir(), "sello-embedded-"));
	try {
		mkdirSync(join(dataDir, "postgres", "18"), { recursive: true });
		writeFileSync(join(dataDir, "postgres", "18", "PG_VERSION"), "18");
		await expect(startEmbeddedPostgres(dataDir)).rejects.toThrow(/postgres is not empty and no database: move it away/);
		expect(readFileSync(join(dataDir, "postgres", "18", "PG_VERSION"), "utf8")).toBe("18");
	} finally {
		rmSync(dataDir, { recursive: true, force: true });
	}
}, 120_000);

test("a cluster is made in the folder that a link in its place leads to", async () => {
	const dataDir = mkdtempSync(join(tmpdir(), "sello-embedded-"));
	try {
		mkdirSync(join(dataDir, "elsewhere"));
		symlinkSync(join(dataDir, "elsewhere"), join(dataDir, "postgres"));
		const server = await startEmbeddedPostgres(dataDir);
		await server.stop();
		expect(existsSync(join(dataDir, "elsewhere", "PG_VERSION"))).toBe(true);
	} finally {
		rmSync(dataDir, { recursive: true, force: true });
	}
}, 120_000);

test("an embedded server allows the wanted connections, at least 117", async () => {
	const dataDir = mkdtempSync(join(tmpdir(), "sello-embedded-"));
	try {
		for (const [wanted, given] of [
			[333, 333],
			[79, 117],
		] as const) {
			const server = await startEmbeddedPostgres(dataDir, { connections: wanted });
			const sql = connect({ url: server.serviceUrl, name: "test", connectionsMax: 1 });
			expect(await countAllowed(sql)).toBe(given);
			await sql.end();
			await server.stop();
		}
	} finally {
		rmSync(dataDir, { recursive: true, force: true });
	}
}, 120_000);

test("an embedded server takes another port when its own is taken before it starts", async () => {
	const dataDir = mkdtempSync(join(tmpdir(), "sello-embedded-"));
	const neighbour = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
	const ports = [neighbour.port, neighbour.port, await findFreePort()];
	try {
		const server = await startEmbeddedPostgres(dataDir, { findPort: async () => ports.shift() ?? 0 });
		expect(ports).toEqual([]);
		const sql = connect({ url: server.serviceUrl, name: "test", connectionsMax: 1 });
		expect([...(await sql`select 7 as n`)]).toEqual([{ n: 7 }]);
		await sql.end();
		await server.stop();
	} finally {
		neighbour.stop(true);
		rmSync(dataDir, { recursive: true, force: true });
	}
}, 120_000);

test("an embedded server that cannot start for another reason says so at once", async () => {
	const dataDir = mkdtempSync(join(tmpdir(), "sello-embedded-"));
	try {
		const server = await startEmbeddedPostgres(dataDir);
		await server.stop();
		rmSync(join(dataDir, "postgres", "global"), { recursive: true });
		let asked = 0;
		const findPort = async () => {
			asked++;
			return findFreePort();
		};
		const start = startEmbeddedPostgres(dataDir, { findPort });
		await expect(start).rejects.toThrow(/^PostgreSQL did not start: /);
		expect(asked).toBe(1);
	} finally {
		rmSync(dataDir, { recursive: true, force: true });
	}
}, 120_000);

test("a data directory held by a living process is refused with its process id", async () => {
	const dataDir = mkdtempSync(join(tmpdir(), "sello-held-"));
	const script = `import { lockDataDir } from "${join(import.meta.dir, "../../../src/platform/database")}"; lockDataDir(process.argv[1]); console.log("held"); await new Promise(() => setInterval(() => {}, 1000));`;
	const child = Bun.spawn([process.execPath, "-e", script, dataDir], { stdout: "pipe" });
	try {
		await child.stdout.getReader().read();
		expect(() => lockDataDir(dataDir)).toThrow(DataDirLockedError);
		expect(() => lockDataDir(dataDir)).toThrow(`process ${child.pid}`);
		child.kill("SIGKILL");
		await child.exited;
		const release = lockDataDir(dataDir);
		release();
	} finally {
		child.kill("SIGKILL");
		rmSync(dataDir, { recursive: true, force: true });
	}
});

test("a data directory of a dead holder is free, even if it is a zombie", async () => {
	const dataDir = mkdtempSync(join(tmpdir(), "sello-held-"));
	// A parent that takes no notice of its child's death: the shell gives way to a program that waits for no child.
	const script = `const { lockDataDir } = await import(${JSON.stringify(join(import.meta.dir, "../../../src/platform/database"))});
		lockDataDir(${JSON.stringify(dataDir)}); console.log(process.pid); await Bun.sleep(60_000);`;
	const command = ["sh", "-c", '"$0" -e "$1" & exec sleep 60', process.execPath, script];
	const parent = Bun.spawn(command, { stdout: "pipe" });
	try {
		const { value } = await parent.stdout.getReader().read();
		const pid = Number(new TextDecoder().decode(value));
		expect(() => lockDataDir(dataDir)).toThrow(DataDirLockedError);
		process.kill(pid, "SIGKILL");
		while (!readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")) await Bun.sleep(10);
		lockDataDir(dataDir)();
	} finally {
		parent.kill();
		await parent.exited;
		rmSync(dataDir, { recursive: true, force: true });
	}
}, 30_000);

test.each([
	["half a gibibyte", 0.5, 128],
	["four gibibytes", 4, 256],
	["24 GiB", 24, 1_024],
])("of %s the server has its part for buffers, and no more than a gibibyte", (_, gibibytes, megabytes) => {
	expect(sharedMegabytes(gibibytes * 1_024 ** 3)).toBe(megabytes);
});
