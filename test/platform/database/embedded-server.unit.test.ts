/** The embedded server on a disk that is slow: it gets ready late, or does not end. */
import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, startEmbeddedPostgres } from "../../../src/platform/database";
import { stopOrphan } from "../../../src/platform/database/embedded-server";
import { makeNeverReady } from "./support/never-ready";

test("a server that gets ready late is waited for, and what for is said", async () => {
	const dataDir = mkdtempSync(join(tmpdir(), "sello-embedded-"));
	const reported: string[] = [];
	try {
		const server = await startEmbeddedPostgres(dataDir, {
			report: (sentence) => reported.push(sentence),
			reportEveryMs: 1,
		});
		await server.stop();
		expect(reported[0]).toStartWith("PostgreSQL is not ready after 0 s;");
	} finally {
		rmSync(dataDir, { recursive: true, force: true });
	}
}, 120_000);

test("a start that waits for its server can be given up, and leaves no server behind", async () => {
	const { dataDir, programs } = await makeNeverReady();
	const signal = new AbortController();
	try {
		const start = startEmbeddedPostgres(dataDir, {
			reportEveryMs: 100,
			report: () => signal.abort(new Error("given up")),
			signal: signal.signal,
		});
		await expect(start).rejects.toThrow("given up");
		expect(programs()).toEqual([]);
	} finally {
		for (const pid of programs()) process.kill(pid, "SIGKILL");
		rmSync(dataDir, { recursive: true, force: true });
	}
}, 120_000);

function checkpointerOf(cluster: string): number {
	const postmaster = readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n")[0];
	const found = readdirSync("/proc").find((name) => {
		try {
			const isChild = readFileSync(`/proc/${name}/stat`, "utf8").includes(`) S ${postmaster} `);
			return isChild && readFileSync(`/proc/${name}/cmdline`, "utf8").includes("checkpointer");
		} catch {
			return false;
		}
	});
	return Number(found);
}

test("a server of an earlier start is killed, and nothing committed is lost", async () => {
	const dataDir = mkdtempSync(join(tmpdir(), "sello-embedded-"));
	const cluster = join(dataDir, "postgres");
	const reported: string[] = [];
	try {
		const first = await startEmbeddedPostgres(dataDir);
		const sql = connect({ url: first.url, name: "test", connectionsMax: 1 });
		await sql`create table kept (n int)`;
		await sql`insert into kept values (7)`;
		await sql.end();
		// What it holds is never written down, as on a disk that hangs.
		process.kill(checkpointerOf(cluster), "SIGSTOP");
		await stopOrphan(cluster, { endsByItselfMs: 500, report: (sentence) => reported.push(sentence) });
		expect(reported).toEqual([
			`PostgreSQL process ${first.pid} of an earlier start does not stop: killing it; the next start replays its log`,
		]);
		expect((await first.lost).message).toStartWith("PostgreSQL has ended by itself");
		const second = await startEmbeddedPostgres(dataDir);
		const again = connect({ url: second.url, name: "test", connectionsMax: 1 });
		expect([...(await again`select n from kept`)]).toEqual([{ n: 7 }]);
		await again.end();
		await second.stop();
	} finally {
		rmSync(dataDir, { recursive: true, force: true });
	}
}, 120_000);
