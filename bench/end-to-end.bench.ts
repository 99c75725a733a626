/**
 * How long does an invoice take from the POST to its verdict's webhook, and how many pass per second?
 *
 * Service, PostgreSQL, the simulated authority (which verifies every signature), receiver and load share the machine. Sustained: a batch is
 * posted
 * as fast as it is accepted; the rate is its size by the time from the first POST to the last webhook. Delay: at a steady 50 per second,
 * from
 * the moment a POST was due to the arrival of its webhook.
 */
import { join } from "node:path";
import { type BenchOptions, type Figure, median, newRounds, toCostFigure, toFigure } from "./bench";
import { makeFolder, type Program, startChild, startProgram } from "./child";
import { measureCpu } from "./cpu-time";
import { startLoad } from "./load";
import { startRawRsa } from "./raw-rsa";
import type { ReceiverAnswer, ReceiverQuestion } from "./receiver.process";
import { registerCompanies, type Service, startService, toInvoiceRequest } from "./service";

export const question = "How many invoices per second go from POST to webhook, and how long does one take?";
export const peer = "the runtime's bare RSA-2048 on one core, times the cores";

const CONNECTIONS = 32;
const COMPANIES = 8;
const STEADY_PER_SECOND = 50;
/** Compilers work during the first thousands, which cost up to half as much again. */
const WARM_UP_DOCUMENTS = 3_000;
/** Target duration of a batch, from the warm-up's rate. */
const BATCH_SECONDS = 8;
const HEAR_TIMEOUT_MS = 120_000;

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const { service, simulator, walk } = await openPipeline(stack, smoke ? 2 : COMPANIES);
	const rsa = startRawRsa(stack);

	const warm = await walk({ batch: smoke ? 10 : WARM_UP_DOCUMENTS });
	const batch = smoke ? 10 : Math.max(100, Math.round(perSecondOf(warm) * BATCH_SECONDS));
	const bare = newRounds("perSecond", "cpuMicros");
	const walked = newRounds("perSecond", "service", "simulator", "p50Ms", "p99Ms");
	for (let round = 0; round < (smoke ? 1 : 5); round++) {
		const { perSecond, cpuMicros } = await rsa.measureOne(smoke ? 0.1 : 1);
		bare.perSecond.push(perSecond);
		bare.cpuMicros.push(cpuMicros);
		const { result, micros } = await measureCpu(
			{ service: service.pid, simulator: simulator.pid },
			() => walk({ batch }),
			() => batch,
		);
		walked.perSecond.push(perSecondOf(result));
		walked.service.push(micros.service);
		walked.simulator.push(micros.simulator);
		const delays = (await walk({ steadySeconds: smoke ? 0.4 : 6 })).map((one) => one.heardAtMs - one.postedAtMs);
		walked.p50Ms.push(median(delays));
		walked.p99Ms.push(delays.sort((a, b) => a - b)[Math.ceil(delays.length * 0.99) - 1] ?? Number.NaN);
	}
	const peer = "bare RSA-2048, one core × cores";
	return [
		toFigure(peer, "signatures/s", bare.perSecond),
		toFigure("POST to webhook, sustained", "invoices/s", walked.perSecond, {
			against: { peer, rounds: bare.perSecond },
			target: "≥ 0.2",
		}),
		...toCostFigure("processor time, service and PostgreSQL", walked.service, {
			peer: "bare RSA-2048",
			rounds: bare.cpuMicros,
		}),
		...toCostFigure("processor time, simulator", walked.simulator, { peer: "bare RSA-2048", rounds: bare.cpuMicros }),
		toFigure(`POST to webhook at ${STEADY_PER_SECOND}/s, median`, "ms", walked.p50Ms, { target: "≤ 300" }),
		toFigure(`POST to webhook at ${STEADY_PER_SECOND}/s, p99`, "ms", walked.p99Ms),
	];
}

type Walked = { readonly postedAtMs: number; readonly heardAtMs: number };
type Road = {
	readonly service: Service;
	readonly simulator: Program;
	/** Posts, waits for the webhooks of every document, and returns when each was posted and announced. */
	readonly walk: (how: { batch: number } | { steadySeconds: number }) => Promise<Walked[]>;
};

/** Starts every program between a POST and its webhook, each in its own process. */
export async function openPipeline(stack: AsyncDisposableStack, companyCount: number): Promise<Road> {
	const receiver = startChild<ReceiverQuestion, ReceiverAnswer>(stack, "receiver.process.ts");
	const listening = await receiver.ask({ kind: "listen" });
	if (listening.kind !== "listening") throw new Error("the receiver answered another question");
	const simulator = await startProgram(stack, "src/simulator/main.ts", {
		PORT: "0",
		SIMULATOR_DATA: join(makeFolder(stack), "simulator.sqlite"),
		SIMULATOR_DELAY_MS: "0",
	});
	const service = await startService(stack, { AUTHORITY_URL: simulator.url, WEBHOOK_ALLOW: listening.host });
	const companies = await registerCompanies(service, companyCount, `http://${listening.host}/hooks`);
	const load = startLoad(stack);
	const requests = companies.map(toInvoiceRequest);
	let firstNumber = 1;
	return {
		service,
		simulator,
		async walk(how) {
			const plan = { url: service.url, requests, expectedStatus: 202, connections: CONNECTIONS, firstNumber };
			const { startedAtMs } = await load.ask(
				"batch" in how
					? { kind: "closed", plan, until: { requests: how.batch } }
					: { kind: "open", plan, ratePerSecond: STEADY_PER_SECOND, seconds: how.steadySeconds },
			);
			const documents = startedAtMs.length;
			const heard = await receiver.ask({ kind: "hear", firstNumber, documents, timeoutMs: HEAR_TIMEOUT_MS });
			if (heard.kind !== "heard") throw new Error("the receiver answered another question");
			firstNumber += documents;
			return Array.from(startedAtMs, (postedAtMs, i) => ({ postedAtMs, heardAtMs: heard.atMs[i] ?? Number.NaN }));
		},
	};
}

export function perSecondOf(walked: readonly Walked[]): number {
	const first = Math.min(...walked.map(({ postedAtMs }) => postedAtMs));
	const last = Math.max(...walked.map(({ heardAtMs }) => heardAtMs));
	return (walked.length * 1_000) / (last - first);
}
