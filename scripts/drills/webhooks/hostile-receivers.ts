/**
 * Receivers that never accept, stall, drip, flood, bomb, lie and hang up: every attempt ends in time, whoever measures, and the service
 * needs no more memory for it.
 */
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { startProgram } from "../../harness/processes";
import type { HarnessTenant } from "../../harness/tenants";
import { readOwnMiB } from "../process-memory";
import type { Theatre } from "../theatre";
import { readAttempts, round, until, untilThrough } from "./outcome";
import { setStage } from "./stage";

/** One attempt each, in real time: what is counted is attempts, not patience. */
const SETTINGS = { WEBHOOK_MAX_RETRIES: "0", WEBHOOK_TIME_SCALE: "1" };
/** What a service does once and needs memory for, such as compiling what it runs, comes before the measurement: a first wave of the same. */
const WARM_UP = { full: { rounds: 10, ordinary: 300 }, small: { rounds: 0, ordinary: 10 } };
const ENDS_WITHIN_MS = { full: 16_000, small: 60_000 };
/** A small run has no warm-up, and would still see one body of a gigabyte, or a few bombs, in memory. */
const GROWTH_MAX_MIB = { full: 16, small: 150 };
const SAMPLE_EVERY_MS = 200;
const BACKLOG_MAX = 5_000;
const CONNECTED_WITHIN_MS = 1_000;

type Report = Readonly<Record<string, { port: number; connections: number; open: number; longestMs: number }>>;

export async function drillHostileReceivers(theatre: Theatre) {
	const { violate, small } = theatre;
	const size = small ? "small" : "full";
	const rounds = small ? 1 : 10;
	const hostile = startProgram("scripts/drills/webhooks/hostile-program.ts", {}, join(theatre.folder, "hostile.log"));
	theatre.atEnd(() => hostile.kill("SIGTERM"));
	const readReport = async () => (await (await fetch(await hostile.ready)).json()) as Report;
	const deafHost = await startDeaf(theatre);
	const urls = new Map([["never-accepts", `http://${deafHost}/`]]);
	for (const [kind, { port }] of Object.entries(await readReport()))
		urls.set(kind, `${kind === "bad-certificate" ? "https" : "http"}://127.0.0.1:${port}/`);
	const allow = [...urls.values()].map((url) => new URL(url).host);
	const stage = await setStage(theatre, { settings: SETTINGS, allow });

	const ordinary = await stage.register({ at: "/ordinary" });
	const victim = await stage.register(...[...urls.values()].map((at) => ({ at })));
	const through = async (tenant: HarnessTenant, count: number) => {
		await stage.issue(tenant, count);
		await untilThrough(stage, [tenant]);
	};
	await through(ordinary, WARM_UP[size].ordinary);
	const { pid } = stage.service();
	const idle = readOwnMiB(pid);
	let peak = idle;
	const sampler = setInterval(() => {
		peak = Math.max(peak, readOwnMiB(pid));
	}, SAMPLE_EVERY_MS);
	theatre.atEnd(() => clearInterval(sampler));
	await through(victim, WARM_UP[size].rounds);
	const first = round(peak - idle);
	const before = readOwnMiB(pid);
	peak = before;
	await through(victim, rounds);
	clearInterval(sampler);
	const growth = round(peak - before);
	if (growth > GROWTH_MAX_MIB[size]) violate(`the service grew by ${growth} MiB`);

	const attempts = Map.groupBy(await readAttempts(stage, [victim]), ({ webhookId }) => webhookId);
	let report = await readReport();
	await until("all connections are closed", async () => {
		report = await readReport();
		return Object.values(report).every(({ open }) => open === 0);
	});
	const endings: Record<string, string> = {};
	let slowestMs = 0;
	for (const [i, [kind, url]] of [...urls].entries()) {
		const made = attempts.get(victim.webhooks[i]?.id ?? "") ?? [];
		if (made.length < rounds) violate(`${made.length} attempts at ${kind}, expected ${rounds}`);
		const seenMs = report[kind]?.longestMs ?? 0;
		const longestMs = Math.max(seenMs, ...made.map(({ durationMs }) => durationMs));
		slowestMs = Math.max(slowestMs, longestMs);
		if (longestMs > ENDS_WITHIN_MS[size]) violate(`an attempt at ${kind} (${url}) took ${longestMs} ms`);
		endings[kind] = [...new Set(made.map(({ error, responseStatus }) => error ?? String(responseStatus)))].join(" ");
	}
	return {
		kinds: urls.size,
		attempts: [...attempts.values()].reduce((sum, made) => sum + made.length, 0),
		"longest attempt ms": slowestMs,
		"MiB when idle": idle,
		"first wave MiB": first,
		"MiB before": before,
		"grown by MiB": growth,
		endings,
	};
}

/** A listener whose queue is full: further connections are not even begun. Answers `host:port`. */
async function startDeaf(theatre: Theatre): Promise<string> {
	const deaf = startProgram("scripts/drills/webhooks/deaf-program.ts", {}, join(theatre.folder, "deaf.log"));
	theatre.atEnd(() => deaf.kill("SIGKILL"));
	const { host, hostname, port } = new URL(await deaf.ready);
	deaf.kill("SIGSTOP");
	const waiting: Socket[] = [];
	theatre.atEnd(() => {
		for (const socket of waiting) socket.destroy();
	});
	for (;;) {
		const socket = connect(Number(port), hostname);
		waiting.push(socket);
		const isConnected = await new Promise<boolean>((done) => {
			socket.once("connect", () => done(true));
			// An end of the run ends it too.
			socket.once("error", () => done(false));
			setTimeout(done, CONNECTED_WITHIN_MS, false);
		});
		if (!isConnected) return host;
		if (waiting.length > BACKLOG_MAX) throw new Error(`the kernel queues more than ${BACKLOG_MAX} connections`);
	}
}
