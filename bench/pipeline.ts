/**
 * Every program between a POST and its webhook, each in its own process: service, PostgreSQL, the simulated authority, which verifies every
 * signature, receiver and load.
 */
import { join } from "node:path";
import { makeFolder, type Program, startChild, startProgram } from "./child";
import { startLoad } from "./load";
import type { ReceiverAnswer, ReceiverQuestion } from "./receiver.process";
import { registerCompanies, type Service, startService, toInvoiceRequest } from "./service";

const CONNECTIONS = 32;
const HEAR_TIMEOUT_MS = 120_000;

/** Units: epoch milliseconds. A document posted at a steady rate counts from when it was due. */
export type Walked = { readonly postedAtMs: number; readonly heardAtMs: number };
export type Walk = { readonly batch: number } | { readonly perSecond: number; readonly seconds: number };
export type Road = {
	/** The service that takes the POSTs. */
	readonly service: Service;
	readonly simulator: Program;
	/** Posts, waits for the webhooks of every document, and returns when each was posted and announced. */
	readonly walk: (how: Walk) => Promise<Walked[]>;
};

type RoadOptions = {
	readonly companies: number;
	/** Settings of the service. */
	readonly settings?: Readonly<Record<string, string>>;
	/** The folder of the service's build, by default this one. */
	readonly root?: string;
};

export async function openPipeline(stack: AsyncDisposableStack, options: RoadOptions): Promise<Road> {
	const receiver = startChild<ReceiverQuestion, ReceiverAnswer>(stack, "receiver.process.ts");
	const listening = await receiver.ask({ kind: "listen" });
	if (listening.kind !== "listening") throw new Error("the receiver answered another question");
	const simulator = await startProgram(stack, "src/simulator/main.ts", {
		PORT: "0",
		SIMULATOR_DATA: join(makeFolder(stack), "simulator.sqlite"),
		SIMULATOR_DELAY_MS: "0",
	});
	const settings = { ...options.settings, AUTHORITY_URL: simulator.url, WEBHOOK_ALLOW: listening.host };
	const service = await startService(stack, settings, options.root);
	const companies = await registerCompanies(service, options.companies, `http://${listening.host}/hooks`);
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
					: { kind: "open", plan, ratePerSecond: how.perSecond, seconds: how.seconds },
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

/** In order. Units: milliseconds. */
export function delaysOf(walked: readonly Walked[]): number[] {
	return walked.map(({ postedAtMs, heardAtMs }) => heardAtMs - postedAtMs).sort((a, b) => a - b);
}
