/**
 * How long does an invoice take from the POST to its verdict's webhook, and how many pass per second?
 *
 * Service, PostgreSQL, simulator, receiver and load share the machine. Sustained: a batch is posted as fast as it is accepted; the rate is
 * its size by the time from the first POST to the last webhook. Delay: at a steady 50 per second, from the moment a POST was due to the
 * arrival of its webhook. With `--against`, the same of two builds in turn, with what PostgreSQL does for a document.
 */
import { type BenchOptions, type Figure, median, newRounds, toCostFigure, toFigure } from "./bench";
import { compareBuilds } from "./compare-builds";
import { measureCpu } from "./cpu-time";
import { delaysOf, openPipeline, perSecondOf } from "./pipeline";
import { startRawRsa } from "./raw-rsa";

export const question = "How many invoices per second go from POST to webhook, and how long does one take?";
export const peer = "the runtime's bare RSA-2048 on one core, times the cores";
export const comparesBuilds = true;

const COMPANIES = 8;
const STEADY_PER_SECOND = 50;
/** Compilers work during the first thousands, which cost up to half as much again. */
const WARM_UP_DOCUMENTS = 3_000;
/** Target duration of a batch, from the warm-up's rate. */
const BATCH_SECONDS = 8;

export async function run({ smoke, against }: BenchOptions): Promise<Figure[]> {
	if (against !== undefined) return compareBuilds({ smoke, against });
	await using stack = new AsyncDisposableStack();
	const { service, simulator, walk } = await openPipeline(stack, { companies: smoke ? 2 : COMPANIES });
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
		const delays = delaysOf(await walk({ perSecond: STEADY_PER_SECOND, seconds: smoke ? 0.4 : 6 }));
		walked.p50Ms.push(median(delays));
		walked.p99Ms.push(delays[Math.ceil(delays.length * 0.99) - 1] ?? Number.NaN);
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
