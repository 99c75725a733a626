/**
 * Receivers that never accept, stall, drip, flood, bomb, lie and hang up: every attempt ends in time by both sides' clocks, and the service
 * needs no more memory.
 */
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { readOwnMiB } from "../../../test/support/process-memory";
import { startProgram } from "../../../test/support/processes";
import type { HarnessTenant } from "../../../test/support/tenants";
import type { ScenarioContext } from "../run-scenarios";
import { type Environment, openEnvironment } from "./environment";
import { readAttempts, round, until, untilThrough } from "./outcome";

/** One attempt each, in real time: this counts attempts, not retries. */
const SETTINGS = { WEBHOOK_MAX_RETRIES: "0", WEBHOOK_TIME_SCALE: "1" };
const ENDS_WITHIN_MS = { full: 16_000, small: 60_000 };
const ORDINARY_EVENTS = 10;
/** Maximum growth of memory kept after an attack. */
const KEPT_MAX_MIB = { full: 16, small: 150 };
/**
 * Maximum peak above ordinary load. The runtime reads up to 512 KiB at a time, which leaves garbage in every flood; a body of a gigabyte
 * held
 * in memory, or a few inflated bombs, would exceed this by far.
 */
const PEAK_MAX_MIB = { full: 64, small: 150 };
const SAMPLE_EVERY_MS = 200;
/** Heap sizes fluctuate: a shorter time might miss the lowest point. */
const MEASURED_AT_LEAST_MS = 20_000;
const BACKLOG_MAX = 5_000;
const CONNECTED_WITHIN_MS = 1_000;

type Report = Readonly<Record<string, { port: number; connections: number; open: number; longestMs: number }>>;

export async function hostileReceiversScenario(context: ScenarioContext) {
	const { violate, small } = context;
	const size = small ? "small" : "full";
	const rounds = small ? 1 : 10;
	const hostile = startProgram(
		"scripts/scenarios/webhooks/hostile-program.ts",
		{},
		join(context.folder, "hostile.log"),
	);
	context.atEnd(() => hostile.kill("SIGTERM"));
	const readReport = async () => (await (await fetch(await hostile.ready)).json()) as Report;
	const deafHost = await startDeaf(context);
	const urls = new Map([["never-accepts", `http://${deafHost}/`]]);
	for (const [kind, { port }] of Object.entries(await readReport()))
		urls.set(kind, `${kind === "bad-certificate" ? "https" : "http"}://127.0.0.1:${port}/`);
	const allow = [...urls.values()].map((url) => new URL(url).host);
	const environment = await openEnvironment(context, { settings: SETTINGS, allow });

	const ordinary = await environment.register(...[...urls.keys()].map((kind) => ({ at: `/ordinary-${kind}` })));
	const victim = await environment.register(...[...urls.values()].map((at) => ({ at })));
	// A first wave of the same warms up compilers and caches before the measurement.
	if (!small) await sendWave(environment, victim, rounds, 0);
	const waveMs = small ? 0 : MEASURED_AT_LEAST_MS;
	const before = await sendWave(environment, ordinary, ORDINARY_EVENTS, waveMs);
	const attack = await sendWave(environment, victim, rounds, 0);
	const after = await sendWave(environment, ordinary, ORDINARY_EVENTS, waveMs);
	const kept = round(after.lowest - before.lowest);
	const above = round(attack.highest - Math.max(before.highest, after.highest));
	if (kept > KEPT_MAX_MIB[size]) violate(`the service kept ${kept} MiB more than before the attack`);
	if (above > PEAK_MAX_MIB[size]) violate(`the attack took ${above} MiB more than ordinary receivers do`);

	const attempts = Map.groupBy(await readAttempts(environment, [victim]), ({ webhookId }) => webhookId);
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
		"MiB before": before,
		"MiB under attack": attack,
		"MiB after": after,
		"kept MiB": kept,
		"highest above ordinary MiB": above,
		endings,
	};
}

/** Sends events to all webhooks of a company until settled; returns the bounds of the service's memory meanwhile, in MiB. */
async function sendWave(environment: Environment, tenant: HarnessTenant, events: number, atLeastMs: number) {
	const { pid } = environment.service();
	const samples: number[] = [readOwnMiB(pid)];
	const sampler = setInterval(() => samples.push(readOwnMiB(pid)), SAMPLE_EVERY_MS);
	try {
		const atLeast = Bun.sleep(atLeastMs);
		await environment.issue(tenant, events);
		await untilThrough(environment, [tenant]);
		await atLeast;
	} finally {
		clearInterval(sampler);
	}
	return { lowest: Math.min(...samples), highest: Math.max(...samples) };
}

/** A listener with a full queue: further connections do not even start. Returns `host:port`. */
async function startDeaf(context: ScenarioContext): Promise<string> {
	const deaf = startProgram("scripts/scenarios/webhooks/deaf-program.ts", {}, join(context.folder, "deaf.log"));
	context.atEnd(() => deaf.kill("SIGKILL"));
	const { host, hostname, port } = new URL(await deaf.ready);
	deaf.kill("SIGSTOP");
	const waiting: Socket[] = [];
	context.atEnd(() => {
		for (const socket of waiting) socket.destroy();
	});
	for (;;) {
		const socket = connect(Number(port), hostname);
		waiting.push(socket);
		const isConnected = await new Promise<boolean>((done) => {
			socket.once("connect", () => done(true));
			// Also ends with the run.
			socket.once("error", () => done(false));
			setTimeout(done, CONNECTED_WITHIN_MS, false);
		});
		if (!isConnected) return host;
		if (waiting.length > BACKLOG_MAX) throw new Error(`the kernel queues more than ${BACKLOG_MAX} connections`);
	}
}
