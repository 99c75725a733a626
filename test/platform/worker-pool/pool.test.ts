import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Problem } from "../../../src/platform/problem";
import { createLog } from "../../../src/platform/telemetry";
import { openPool, type Pool } from "../../../src/platform/worker-pool";
import { until } from "../../support/until";
import type { OddJob, OddSetup } from "./odd.thread";
import { oddSpelling } from "./odd-spelling";

const log = createLog("silent", "test");
const entry = join(import.meta.dir, "odd.thread.ts");

async function withPool(
	options: {
		threads?: number;
		queueMax?: number;
		deadlineMs?: number;
		attemptsMax?: number;
		jobsMax?: number;
		aheadMax?: number;
		isLong?: (job: OddJob) => boolean;
		isWritten?: boolean;
	},
	use: (pool: Pool<OddJob, string>, file: string, failures: string) => Promise<void>,
) {
	const directory = mkdtempSync(join(tmpdir(), "sello-pool-"));
	const pool = await openPool<OddSetup, OddJob, string>({
		name: "odd",
		entry,
		threads: options.threads ?? 1,
		queueMax: options.queueMax ?? 100,
		deadlineMs: options.deadlineMs ?? 5_000,
		jobsMax: options.jobsMax ?? 1,
		aheadMax: options.aheadMax ?? 0,
		...(options.isLong ? { isLong: options.isLong } : {}),
		...(options.attemptsMax === undefined ? {} : { attemptsMax: options.attemptsMax }),
		...(options.isWritten ? { spelling: oddSpelling } : {}),
		setup: { word: "hello", failures: join(directory, "failures") },
		log,
	});
	try {
		await use(pool, join(directory, "seen"), join(directory, "failures"));
	} finally {
		await pool.close();
		rmSync(directory, { recursive: true });
	}
}

test("a job is answered by a thread that was set up once", () =>
	withPool({ threads: 2 }, async (pool) => {
		const answers = await Promise.all(Array.from({ length: 50 }, () => pool.run({ do: "echo" })));
		expect(new Set(answers)).toEqual(new Set(["hello 1"]));
	}));

test("jobs and answers cross as text where both sides know how", () =>
	withPool({ threads: 1, jobsMax: 8, isWritten: true }, async (pool) => {
		const jobs = ["echo", "echo", "wait", "echo", "throw", "echo", "echo"] as const;
		const answers = await Promise.all(jobs.map((name) => pool.run({ do: name }).catch((e: Error) => e.message)));
		expect(answers).toEqual(jobs.map((name) => (name === "throw" ? "thrown in the thread" : "hello 1")));
		expect(await Promise.all([pool.run({ do: "echo" }), pool.run({ do: "echo" })])).toEqual(["hello 1", "hello 1"]);
	}));

test("an error and a Problem keep their content between threads", () =>
	withPool({}, async (pool) => {
		const error = await pool.run({ do: "throw" }).catch((e) => e);
		expect([error.name, error.message]).toEqual(["TypeError", "thrown in the thread"]);
		const problem = await pool.run({ do: "problem" }).catch((e) => e);
		expect(problem).toBeInstanceOf(Problem);
		expect([problem.slug, String(problem.detail)]).toEqual(["certificate-invalid", "thrown by the thread"]);
	}));

test("the job of a thread that died is done by its replacement", () =>
	withPool({}, async (pool, file) => {
		expect(await pool.run({ do: "exit-once", file })).toBe("hello 1");
		expect(pool.stats()).toMatchObject({ threads: 1, replaced: 1 });
	}));

test("the job of a thread that hangs is done by its replacement", () =>
	withPool({ deadlineMs: 300 }, async (pool, file) => {
		expect(await pool.run({ do: "hang-once", file })).toBe("hello 1");
		expect(pool.stats().replaced).toBe(1);
	}));

test("a job that may take one thread fails with it, and the next one is done", () =>
	withPool({ deadlineMs: 300, attemptsMax: 1 }, async (pool, file) => {
		await expect(pool.run({ do: "hang-once", file })).rejects.toThrow("lost 1 threads");
		await until(() =>
			pool.run({ do: "echo" }).then(
				() => true,
				() => false,
			),
		);
	}));

test("a job that kills every thread fails, and the pool goes on", () =>
	withPool({}, async (pool) => {
		await expect(pool.run({ do: "exit" })).rejects.toThrow("lost 3 threads");
		expect(await pool.run({ do: "echo" })).toBe("hello 1");
	}));

test("a job that kills threads takes no other job along", () =>
	withPool({ jobsMax: 8 }, async (pool) => {
		const echoes = () => Array.from({ length: 5 }, () => pool.run({ do: "echo" }));
		const before = echoes();
		const deadly = pool.run({ do: "exit" }).catch((error: Error) => error.message);
		const after = echoes();
		expect(new Set(await Promise.all([...before, ...after]))).toEqual(new Set(["hello 1"]));
		expect(await deadly).toContain("lost 3 threads");
		expect(pool.stats()).toMatchObject({ threads: 1, busy: 0, queued: 0, replaced: 3 });
	}));

const waits = (pool: Pool<OddJob, string>, count: number, ms: number) =>
	Array.from({ length: count }, () => pool.run({ do: "wait", ms }));

test("a busy thread gets one full message in advance", () =>
	withPool({ jobsMax: 2, aheadMax: 1 }, async (pool) => {
		const first = waits(pool, 2, 20);
		// Of the next five two wait at the thread and three in the queue: by its bound of 100 and by what is posted to they all wait.
		const others = waits(pool, 5, 1);
		expect(pool.stats()).toMatchObject({ busy: 1, queued: 5 });
		expect(await Promise.all([...first, ...others])).toHaveLength(7);
		expect(pool.stats()).toMatchObject({ busy: 0, queued: 0, replaced: 0 });
	}));

test("jobs that wait at a dead thread are done by its replacement", () =>
	withPool({ jobsMax: 2, aheadMax: 1, attemptsMax: 2 }, async (pool) => {
		const deadly = pool.run({ do: "exit" }).catch((error: Error) => error.message);
		const others = Array.from({ length: 9 }, () => pool.run({ do: "echo" }));
		expect(new Set(await Promise.all(others))).toEqual(new Set(["hello 1"]));
		expect(await deadly).toContain("lost 2 threads");
		expect(pool.stats()).toMatchObject({ threads: 1, busy: 0, queued: 0, replaced: 2 });
	}));

test("what waits at a thread that hangs is done by its replacement", () =>
	withPool({ jobsMax: 2, aheadMax: 1, deadlineMs: 300 }, async (pool, file) => {
		const hung = pool.run({ do: "hang-once", file });
		const others = Array.from({ length: 5 }, () => pool.run({ do: "echo" }));
		expect(new Set(await Promise.all([hung, ...others]))).toEqual(new Set(["hello 1"]));
		expect(pool.stats().replaced).toBe(1);
	}));

test("each message has the whole time, however long it waited at its thread", () =>
	withPool({ jobsMax: 2, aheadMax: 1, deadlineMs: 1_000 }, async (pool) => {
		expect(await Promise.all(waits(pool, 6, 350))).toHaveLength(6);
		expect(pool.stats().replaced).toBe(0);
	}));

test("no job waits behind a long one while another thread is free", () =>
	withPool({ threads: 2, jobsMax: 2, aheadMax: 1, isLong: ({ ms }) => ms === 500 }, async (pool) => {
		const done: string[] = [];
		const long = pool.run({ do: "wait", ms: 500 }).then(() => done.push("long"));
		const short = Array.from({ length: 40 }, () => pool.run({ do: "echo" }).then(() => done.push("short")));
		await Promise.all([long, ...short]);
		expect(done.indexOf("long")).toBe(40);
	}));

test("of several jobs in a message the one that throws fails alone", () =>
	withPool({ jobsMax: 8 }, async (pool) => {
		const jobs: OddJob[] = [{ do: "echo" }, { do: "throw" }, { do: "echo" }];
		const settled = await Promise.allSettled(jobs.map((job) => pool.run(job)));
		expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
	}));

test("a full queue refuses with Retry-After and runs what it has taken", () =>
	withPool({ queueMax: 2 }, async (pool) => {
		const taken = [1, 2, 3].map(() => pool.run({ do: "wait", ms: 20 }));
		const refused = await pool.run({ do: "echo" }).catch((e) => e);
		expect(refused.slug).toBe("service-unavailable");
		expect(refused.headers["retry-after"]).toBe("1");
		expect(await Promise.all(taken)).toHaveLength(3);
	}));

test("a replacement that does not start is tried again until it does", () =>
	withPool({}, async (pool, file, failures) => {
		writeFileSync(failures, "xx");
		expect(await pool.run({ do: "exit-once", file })).toBe("hello 1");
		expect(pool.stats()).toMatchObject({ threads: 1, replaced: 1 });
	}));

test("a closing pool without threads refuses what still waits", () =>
	withPool({}, async (pool, file, failures) => {
		writeFileSync(failures, "x".repeat(100));
		const [first, second] = [pool.run({ do: "exit-once", file }), pool.run({ do: "echo" })];
		const closed = pool.close();
		for (const job of [first, second]) expect((await job.catch((e) => e)).slug).toBe("service-unavailable");
		await closed;
	}));

test("a broadcast reaches every thread between jobs, without answers", () =>
	withPool({ threads: 2 }, async (pool, file) => {
		pool.broadcast({ do: "note", file });
		const answers = await Promise.all(Array.from({ length: 10 }, () => pool.run({ do: "echo" })));
		expect(new Set(answers)).toEqual(new Set(["hello 1"]));
		await until(() => existsSync(file) && readFileSync(file, "utf8") === "notenote");
	}));

test("a thread that is lost between jobs is replaced", () =>
	withPool({ threads: 2 }, async (pool) => {
		pool.broadcast({ do: "exit" });
		await until(() => pool.stats().replaced === 2 && pool.stats().threads === 2);
		expect(await pool.run({ do: "echo" })).toBe("hello 1");
	}));

test("jobs that hang, die and answer at once are each answered once", () =>
	withPool({ threads: 2, deadlineMs: 600 }, async (pool, file) => {
		const jobs = Array.from({ length: 30 }, (_, i): OddJob => {
			if (i === 5) return { do: "hang-once", file: `${file}.hang` };
			if (i % 10 === 7) return { do: "exit-once", file: `${file}.${i}` };
			return { do: "wait", ms: i % 3 };
		});
		let answers = 0;
		await Promise.all(jobs.map((job) => pool.run(job).then(() => answers++)));
		expect(answers).toBe(30);
		expect(pool.stats()).toMatchObject({ busy: 0, queued: 0 });
	}));
