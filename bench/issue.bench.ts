/**
 * How many invoices does the service accept per second, each signed and durable before it is acknowledged?
 *
 * The service runs with `ROLE=api` and its own PostgreSQL on the same machine. Nothing is submitted meanwhile; `end-to-end` measures that.
 * Throughput by a closed loop, delays by an open loop at half of that rate.
 *
 * It is measured in the steady state: in the first minutes compilers are still at work, and PostgreSQL fills every log file with zeros. So
 * as
 * many files are created beforehand as it keeps between two checkpoints. After a checkpoint it reuses them, and logs every touched page in
 * full.
 */
import { INVOICES_A_STATEMENT, openBareStatement } from "./bare-statement";
import { type BenchOptions, type Figure, newRounds, toCostFigure, toFigure } from "./bench";
import { measureCpu } from "./cpu-time";
import { openDatabase } from "./fill-invoices";
import { type LoadQuestion, startLoad } from "./load";
import { startRawRsa } from "./raw-rsa";
import { registerCompanies, startService, toInvoiceRequest } from "./service";

export const question = "How many invoices per second does POST /v1/invoices take, signed and durable?";
export const peer = "the runtime's bare RSA-2048 on one core, times the cores; the bare statement that stores invoices";

/** A few callers, whose invoices rarely share a statement, and nearly as many as the service admits. */
const FEW = 32;
const MANY = 120;
const COMPANIES = 8;
const WARM_UP_INVOICES = 30_000;
/** Of 16 MiB each; the server's default between two checkpoints is 1 GiB. */
const LOG_FILES = 60;

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const service = await startService(stack, { ROLE: "api" });
	const companies = await registerCompanies(service, smoke ? 2 : COMPANIES);
	const requests = companies.map(toInvoiceRequest);
	const load = startLoad(stack);
	const rsa = startRawRsa(stack);
	let firstNumber = 1;
	const plan = (connections: number) => ({ url: service.url, requests, expectedStatus: 202, connections, firstNumber });
	const post = async (question: LoadQuestion) => {
		const result = await load.ask(question);
		firstNumber += result.startedAtMs.length;
		return result;
	};

	const seconds = smoke ? 0.4 : 4;
	await post({ kind: "closed", plan: plan(FEW), until: { requests: smoke ? 100 : WARM_UP_INVOICES } });
	await makeLogFiles(openDatabase(stack, service), smoke ? 1 : LOG_FILES);
	const statement = await openBareStatement(stack, service);
	await statement.measure(seconds);
	const bare = newRounds("perSecond", "ofAll", "cpuMicros", "statement");
	const few = newRounds("perSecond", "service");
	const taken = newRounds("perSecond", "service", "p50Ms", "p99Ms");
	const measure = (connections: number) =>
		measureCpu(
			{ service: service.pid },
			() => post({ kind: "closed", plan: plan(connections), until: { seconds } }),
			({ startedAtMs }) => startedAtMs.length,
		);
	for (let round = 0; round < (smoke ? 1 : 5); round++) {
		const { perSecond, cpuMicros } = await rsa.measureOne(seconds / 4);
		bare.perSecond.push(perSecond);
		bare.cpuMicros.push(cpuMicros);
		const alone = await measure(FEW);
		few.perSecond.push(alone.result.perSecond);
		few.service.push(alone.micros.service);
		const { result, micros } = await measure(MANY);
		taken.perSecond.push(result.perSecond);
		taken.service.push(micros.service);
		bare.ofAll.push((await rsa.measureAll(seconds / 4)).perSecond);
		bare.statement.push((await statement.measure(seconds / 4)).perSecond);
		const { p50Ms, p99Ms } = await post({
			kind: "open",
			plan: plan(FEW),
			ratePerSecond: result.perSecond / 2,
			seconds,
		});
		taken.p50Ms.push(p50Ms);
		taken.p99Ms.push(p99Ms);
	}
	const one = "bare RSA-2048, one core × cores";
	const all = "bare RSA-2048, all cores at once";
	const stored = `the bare statement, ${INVOICES_A_STATEMENT} invoices each`;
	const invoices = `invoices, ${MANY} connections`;
	const byFew = `invoices, ${FEW} connections`;
	return [
		toFigure(one, "signatures/s", bare.perSecond),
		toFigure(all, "signatures/s", bare.ofAll),
		toFigure(stored, "invoices/s", bare.statement),
		toFigure(invoices, "invoices/s", taken.perSecond, {
			against: { peer: one, rounds: bare.perSecond },
			target: "≥ 0.5",
		}),
		toFigure(invoices, "invoices/s", taken.perSecond, { against: { peer: all, rounds: bare.ofAll } }),
		toFigure(invoices, "invoices/s", taken.perSecond, { against: { peer: stored, rounds: bare.statement } }),
		...toCostFigure("processor time, service and PostgreSQL", taken.service, {
			peer: "bare RSA-2048",
			rounds: bare.cpuMicros,
		}),
		toFigure(byFew, "invoices/s", few.perSecond, { against: { peer: one, rounds: bare.perSecond } }),
		...toCostFigure(`${byFew}, processor time`, few.service, { peer: "bare RSA-2048", rounds: bare.cpuMicros }),
		toFigure("delay at half that rate, median", "ms", taken.p50Ms),
		toFigure("delay at half that rate, p99", "ms", taken.p99Ms, { target: "≤ 50" }),
	];
}

/** Switches log files repeatedly, so that each exists for reuse. */
async function makeLogFiles(sql: ReturnType<typeof openDatabase>, count: number): Promise<void> {
	for (let made = 0; made < count; made++) {
		await sql`select pg_logical_emit_message(false, 'bench', 'a file of its own')`;
		await sql`select pg_switch_wal()`;
	}
	await sql`checkpoint`;
}
