/**
 * Five times as many invoices as the service can process: throughput stays near the peak, accepted requests stay fast, the others get
 * Retry-After, and health checks are answered. Then a company exceeds its plan and gets its own status.
 *
 * A separate process generates the load. It shares the cores with the service and its database, and a virtual machine's host may take more.
 * So
 * the peak is measured before and after the overload with the same process and enough connections to keep the service busy. Goodput is
 * compared
 * with the part of the peak that the cores allow, less what load and host took in addition during the overload. Both ratios are reported.
 */

import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { type LoadResult, startLoad } from "../../../bench/load";
import type { ScenarioContext } from "../run-scenarios";
import { buildInvoice, type Caller, type Environment, post, type Settings } from "./environment";

/** Nothing is submitted meanwhile: this measures acceptance. As many signing threads as cores. */
export const OVERLOAD_SETTINGS: Settings = { ROLE: "api", AUTHORITY_URL: "http://127.0.0.1:9", SIGN_THREADS: "2" };

const SIZES = {
	full: { warmUp: 6_000, peakSeconds: 5, seconds: 10, companies: 8, ratePerSecondMax: Number.POSITIVE_INFINITY },
	small: { warmUp: 100, peakSeconds: 0.7, seconds: 1, companies: 2, ratePerSecondMax: 1_000 },
};
const PEAK_CONNECTIONS = 64;
/** As many as are used within a second: the listener closes connections idle for ten. */
const OVERLOAD_CONNECTIONS = { least: 64, most: 2_000 };
const TIMES = 5;
const GOODPUT_AT_LEAST = 0.8;
const P99_MAX_MS = 1_000;
const HEALTH_MAX_MS = 100;
/** Often enough that the 99th percentile is not just the slowest one. */
const HEALTH_EVERY_MS = 20;
/** Statuses that refuse a valid request. */
const REFUSALS = [429, 503];

export async function overloadScenario(context: ScenarioContext, environment: Environment) {
	const { small, violate } = context;
	const size = SIZES[small ? "small" : "full"];
	const callers: Caller[] = [];
	for (let i = 0; i < size.companies; i++) callers.push(await environment.register());
	await using stack = new AsyncDisposableStack();
	const load = startLoad(stack);
	const requests = callers.map(toTemplate);
	let firstNumber = 1;
	const plan = (connections: number) => ({
		...{ url: environment.url, requests, connections, firstNumber },
		...{ expectedStatus: 202, refusals: REFUSALS },
	});
	const count = (result: LoadResult) => {
		firstNumber += result.startedAtMs.length;
		return result;
	};
	const closed = async (until: { requests: number } | { seconds: number }) =>
		count(await load.ask({ kind: "closed", plan: plan(PEAK_CONNECTIONS), until } as Parameters<typeof load.ask>[0]));
	const findPeak = async () => withStolen(() => closed({ seconds: size.peakSeconds }));

	await closed({ requests: size.warmUp });
	const before = [await findPeak(), await findPeak()];
	const health = watchHealth(environment.url);
	const offered = TIMES * Math.max(...before.map(({ perSecond }) => perSecond));
	const ratePerSecond = Math.min(size.ratePerSecondMax, offered);
	const connections = Math.min(
		OVERLOAD_CONNECTIONS.most,
		Math.max(OVERLOAD_CONNECTIONS.least, Math.floor(ratePerSecond)),
	);
	const over = await withStolen(async () =>
		count(await load.ask({ kind: "open", plan: plan(connections), ratePerSecond, seconds: size.seconds })),
	);
	const asked = await health.stop();
	const peaks = [...before, await findPeak()].toSorted((a, b) => a.perSecond - b.perSecond);
	const [, peak] = peaks;
	if (!peak) throw new Error("no peak was measured");

	// An answer after the end does not count for the time.
	const goodput = over.answered / Math.max(size.seconds, over.tookSeconds);
	const share = goodput / peak.perSecond;
	// In production the load comes from other machines.
	const coresFor = (result: LoadResult & { stolen: number }) =>
		availableParallelism() - result.generatorBusy - result.stolen;
	const shareOfLeft = share / (coresFor(over) / coresFor(peak));
	const [healthP50, healthP99] = [0.5, 0.99].map((part) => percentile(asked.delaysMs, part));
	if (over.refusedWithoutRetryAfter > 0)
		violate(`${over.refusedWithoutRetryAfter} refusals do not say when to come again`);
	if (environment.service.hasEnded()) violate("the service has ended");
	if (!small) {
		if (asked.failures.length > 0) violate(`health was answered with ${asked.failures.join(", ")}`);
		if (shareOfLeft < GOODPUT_AT_LEAST)
			violate(`goodput is ${Math.round(shareOfLeft * 100)} % of the peak on the cores that the load left`);
		if (over.p99Ms > P99_MAX_MS) violate(`p99 of what was accepted is ${Math.round(over.p99Ms)} ms`);
		if ((healthP99 ?? 0) > HEALTH_MAX_MS) violate(`p99 of health is ${Math.round(healthP99 ?? 0)} ms`);
	}
	return {
		"peaks/s": peaks.map(({ perSecond }) => Math.round(perSecond)),
		"offered/s": Math.round(ratePerSecond),
		"goodput/s": Math.round(goodput),
		"goodput of peak": round(share),
		"on the cores that the load left": Math.round(shareOfLeft * 100) / 100,
		"accepted p50, p99, max ms": [over.p50Ms, over.p99Ms, over.maxMs].map(Math.round),
		refused: over.refused,
		"health p50, p99 ms": [healthP50, healthP99].map((ms) => Math.round(ms ?? Number.NaN)),
		"generator's share of a core": round(over.generatorBusy),
		"host's share of a core, at the peak and beyond": [peak.stolen, over.stolen].map(round),
		...(await exceedPlan(context, environment)),
	};
}

/** Exceeds a company's plan: its requests get their own status, and others are not affected. */
async function exceedPlan({ violate }: ScenarioContext, environment: Environment) {
	const poor = await environment.register({ plan: "free" });
	const other = await environment.register();
	const issue = (caller: Caller, number: number) =>
		post(
			`${environment.url}/v1/invoices`,
			{ ...caller.headers, "idempotency-key": crypto.randomUUID() },
			buildInvoice(caller, number),
		);
	const limited = environment.api.operations.filter(({ answers }) => answers.has(429)).map(({ name }) => name);
	const hasIssueLimit = limited.includes("POST /v1/invoices");
	const flood = await Promise.all(Array.from({ length: 100 }, (_, i) => issue(poor, i + 1)));
	const others = await issue(other, 1);
	const statuses = Object.fromEntries(
		[...Map.groupBy(flood, ({ status }) => status)].map(([status, all]) => [status, all.length]),
	);
	if (others.status !== 202 && others.status !== 503)
		violate(`another company's invoice was answered with ${others.status}: ${others.text}`);
	for (const { status, headers, text } of flood) {
		if (status === 202) continue;
		// A machine under other load may be full at a hundred.
		if (status === 503 && headers.get("retry-after") !== null) continue;
		if (
			!hasIssueLimit ||
			status !== 429 ||
			headers.get("retry-after") === null ||
			!text.includes("/errors/rate-limit-exceeded")
		)
			violate(`an invoice beyond the plan was answered with ${status}: ${text}`);
	}
	if (hasIssueLimit && !statuses[429]) violate("100 invoices at once are within the free plan");
	const polls = await poll(environment, poor, flood);
	const early = polls.indexOf(429);
	if (!polls.includes(429)) violate(`${polls.length} polls in an hour are within the free plan`);
	return { "beyond the plan": statuses, "operations with a limit": limited.length, "polls until 429": early };
}

async function poll(
	environment: Environment,
	caller: Caller,
	flood: readonly { text: string; status: number }[],
): Promise<number[]> {
	const taken = flood.find(({ status }) => status === 202);
	const { docId } = JSON.parse(taken?.text ?? "{}") as { docId?: string };
	const statuses: number[] = [];
	for (let i = 0; i < 150; i++) {
		const answer = await fetch(`${environment.url}/v1/invoices/${docId}/status`, { headers: caller.headers });
		await answer.text();
		statuses.push(answer.status);
	}
	return statuses;
}

/** Adds the cores that the host took from this machine; undefined if the system does not report it. */
async function withStolen<Result>(work: () => Promise<Result>): Promise<Result & { stolen: number }> {
	const [before, from] = [readStolenSeconds(), performance.now()];
	const result = await work();
	return { ...result, stolen: ((readStolenSeconds() - before) * 1_000) / (performance.now() - from) };
}

/** Source: proc_stat(5), "steal": hundredths of a second. */
function readStolenSeconds(): number {
	if (process.platform !== "linux") return 0;
	const [, , , , , , , , steal = "0"] = readFileSync("/proc/stat", "utf8").split("\n", 1)[0]?.split(/ +/) ?? [];
	return Number(steal) / 100;
}

function watchHealth(url: string) {
	const delaysMs: number[] = [];
	const failures: string[] = [];
	let isOver = false;
	const watching = (async () => {
		while (!isOver) {
			const from = performance.now();
			try {
				const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(10_000) });
				await answer.text();
				if (answer.status !== 200) failures.push(String(answer.status));
			} catch (error) {
				failures.push(String(error));
			}
			delaysMs.push(performance.now() - from);
			await Bun.sleep(HEALTH_EVERY_MS);
		}
	})();
	return {
		stop: async () => {
			isOver = true;
			await watching;
			return { delaysMs, failures };
		},
	};
}

function toTemplate(caller: Caller) {
	const body = JSON.stringify(buildInvoice(caller, 0)).replace("E310000000000", "E31{{number}}");
	const headers = { ...caller.headers, "content-type": "application/json", "idempotency-key": "{{uuid}}" };
	return { method: "POST" as const, path: "/v1/invoices", headers, body };
}

function percentile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const round = (value: number) => Math.round(value * 100) / 100;
