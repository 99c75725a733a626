/**
 * How long is the way of an invoice from the POST to the webhook that tells its verdict, and how many walk it per second?
 *
 * Service, PostgreSQL, the authority's simulator (which verifies every signature), the receiver and the load share the machine.
 * Sustained: a batch is posted as fast as it is taken; its size by the time from the first POST to the last webhook. Delay: at
 * a steady 50 per second, from the moment at which a POST was due to the arrival of its webhook.
 */
import { join } from "node:path";
import { type BenchOptions, type Figure, median, toFigure } from "./bench";
import { makeFolder, startChild, startProgram } from "./child";
import { startLoad } from "./load";
import { startRawRsa } from "./raw-rsa";
import type { ReceiverAnswer, ReceiverQuestion } from "./receiver.process";
import { registerCompanies, startService, toInvoiceRequest } from "./service";

export const question = "How many invoices per second go from POST to webhook, and how long does one take?";
export const peer = "the runtime's bare RSA-2048 on one core, times the cores";

const CONNECTIONS = 32;
const COMPANIES = 8;
const STEADY_PER_SECOND = 50;
const HEAR_TIMEOUT_MS = 120_000;

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const receiver = startChild<ReceiverQuestion, ReceiverAnswer>(stack, "receiver.process.ts");
	const listening = await receiver.ask({ kind: "listen" });
	if (listening.kind !== "listening") throw new Error("the receiver answered another question");
	const simulator = await startProgram(stack, "src/authority/simulator/main.ts", {
		PORT: "0",
		SIMULATOR_DATA: join(makeFolder(stack), "simulator.sqlite"),
		SIMULATOR_DELAY_MS: "0",
	});
	const service = await startService(stack, { AUTHORITY_URL: simulator.url, WEBHOOK_ALLOW: listening.host });
	const companies = await registerCompanies(service, smoke ? 2 : COMPANIES, `http://${listening.host}/hooks`);
	const load = startLoad(stack);
	const rsa = startRawRsa(stack);

	let firstNumber = 1;
	/** Posts, waits until every document was heard of, and tells when each was posted and when it was heard of. */
	const walk = async (how: { batch: number } | { steadySeconds: number }): Promise<Walked[]> => {
		const requests = companies.map(toInvoiceRequest);
		const plan = { url: service.url, requests, expectedStatus: 202, connections: CONNECTIONS, firstNumber };
		const { startedAtMs } = await load.ask(
			"batch" in how
				? { kind: "closed", plan, until: { requests: how.batch } }
				: { kind: "open", plan, ratePerSecond: STEADY_PER_SECOND, seconds: how.steadySeconds },
		);
		const documents = startedAtMs.length;
		const heard = await receiver.ask({ kind: "hear", documents, timeoutMs: HEAR_TIMEOUT_MS });
		if (heard.kind !== "heard") throw new Error("the receiver answered another question");
		const walked = Array.from(startedAtMs, (postedAtMs, i) => {
			const heardAtMs = heard.atMs.get(firstNumber + i);
			if (heardAtMs === undefined) throw new Error("a webhook told of a document of another batch");
			return { postedAtMs, heardAtMs };
		});
		firstNumber += documents;
		return walked;
	};

	const batch = smoke ? 10 : 1_000;
	const steadySeconds = smoke ? 0.4 : 6;
	await walk({ batch });
	const raw: number[] = [];
	const walkedPerSecond: number[] = [];
	const medianMs: number[] = [];
	const p99Ms: number[] = [];
	for (let round = 0; round < (smoke ? 1 : 5); round++) {
		raw.push(await rsa.ofOneTimesCores(smoke ? 0.1 : 1));
		walkedPerSecond.push(perSecondOf(await walk({ batch })));
		const delays = (await walk({ steadySeconds })).map(({ postedAtMs, heardAtMs }) => heardAtMs - postedAtMs);
		medianMs.push(median(delays));
		p99Ms.push(delays.sort((a, b) => a - b)[Math.ceil(delays.length * 0.99) - 1] ?? Number.NaN);
	}
	return [
		toFigure("bare RSA-2048, one core × cores", "signatures/s", raw),
		toFigure("POST to webhook, sustained", "invoices/s", walkedPerSecond, {
			against: { peer: "bare RSA-2048, one core × cores", rounds: raw },
			target: "≥ 0.2",
		}),
		toFigure(`POST to webhook at ${STEADY_PER_SECOND}/s, median`, "ms", medianMs, { target: "≤ 300" }),
		toFigure(`POST to webhook at ${STEADY_PER_SECOND}/s, p99`, "ms", p99Ms),
	];
}

type Walked = { readonly postedAtMs: number; readonly heardAtMs: number };

function perSecondOf(walked: readonly Walked[]): number {
	const first = Math.min(...walked.map(({ postedAtMs }) => postedAtMs));
	const last = Math.max(...walked.map(({ heardAtMs }) => heardAtMs));
	return (walked.length * 1_000) / (last - first);
}
