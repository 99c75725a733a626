/**
 * Do issuing and status polls stay as fast with ten million stored invoices?
 *
 * Two services at the same time, each with its own PostgreSQL: one starts empty, the other is filled by SQL. They are measured in turn:
 * invoices
 * by a closed loop, then statuses of documents from all over the table by an open loop at one rate for both.
 */
import { type BenchOptions, type Figure, newRounds, toCostFigure, toFigure } from "./bench";
import { measureCpu } from "./cpu-time";
import { fillInvoices, openDatabase, pickInvoices } from "./fill-invoices";
import { type Load, type RequestTemplate, startLoad } from "./load";
import { type Company, registerCompanies, startService, toInvoiceRequest } from "./service";

export const question = "Do issuing and status polls stay as fast with ten million invoices in the database?";
export const peer = "the same service whose database began empty";

const ROWS = 10_000_000;
const SMOKE_ROWS = 200_000;
/** They are evenly spread over this time. */
const SPAN_MS = 365 * 86_400_000;
const CONNECTIONS = 32;
const COMPANIES = 8;
const POLLED = 1_000;
const POLLS_PER_SECOND = 200;

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const load = startLoad(stack);
	const seconds = smoke ? 0.4 : 4;
	const [empty, full] = [await open(stack, load, 0, smoke), await open(stack, load, smoke ? SMOKE_ROWS : ROWS, smoke)];
	const sides = [empty, full];
	for (const side of sides) await side.post(smoke ? 0.2 : 8);
	for (const side of sides) await side.choosePolled();
	for (const side of sides) await side.poll(smoke ? 0.2 : 2);
	for (let round = 0; round < (smoke ? 1 : 5); round++) {
		for (const { post, poll, noted } of round % 2 === 0 ? sides : sides.toReversed()) {
			const { perSecond, micros } = await post(seconds);
			noted.perSecond.push(perSecond);
			noted.cpuMicros.push(micros);
			const { p50Ms, p99Ms } = await poll(seconds);
			noted.pollP50Ms.push(p50Ms);
			noted.pollP99Ms.push(p99Ms);
		}
	}
	const [few, many] = [empty.noted, full.noted];
	const against = (rounds: readonly number[]) => ({ peer: "empty database", rounds });
	const slower = (rounds: readonly number[]) => ({ ...against(rounds), lessIsFaster: true });
	return [
		toFigure("invoices, empty database", "invoices/s", few.perSecond),
		toFigure("invoices", "invoices/s", many.perSecond, { against: against(few.perSecond), target: "≥ 0.95" }),
		...toCostFigure("processor time, service and PostgreSQL", many.cpuMicros, against(few.cpuMicros)),
		toFigure("status poll, p99, empty database", "ms", few.pollP99Ms),
		toFigure("status poll, p99", "ms", many.pollP99Ms, { against: slower(few.pollP99Ms), target: "≥ 0.91" }),
		toFigure("status poll, median", "ms", many.pollP50Ms, { against: slower(few.pollP50Ms) }),
	];
}

/** A service filled with the given number of invoices, and its measurements. */
async function open(stack: AsyncDisposableStack, load: Load, rows: number, smoke: boolean) {
	const service = await startService(stack, { ROLE: "api" });
	const companies = await registerCompanies(service, smoke ? 2 : COMPANIES);
	const sql = openDatabase(stack, service);
	if (rows > 0) await fillInvoices(sql, service, rows, { spacingMs: SPAN_MS / rows });
	const requests = companies.map(toInvoiceRequest);
	let firstNumber = 1;
	let polls: RequestTemplate[] = [];
	return {
		noted: newRounds("perSecond", "cpuMicros", "pollP50Ms", "pollP99Ms"),
		async post(seconds: number) {
			const plan = { url: service.url, requests, expectedStatus: 202, connections: CONNECTIONS, firstNumber };
			const { result, micros } = await measureCpu(
				{ service: service.pid },
				() => load.ask({ kind: "closed", plan, until: { seconds } }),
				({ startedAtMs }) => startedAtMs.length,
			);
			firstNumber += result.startedAtMs.length;
			return { perSecond: result.perSecond, micros: micros.service };
		},
		/** Of the currently stored ones, which on the empty side are the posted ones. */
		async choosePolled() {
			const byTenant = new Map(companies.map((company) => [company.tenantId, company]));
			polls = (await pickInvoices(sql, POLLED)).flatMap(({ tenantId, docId }) => {
				const company = byTenant.get(tenantId);
				return company ? [toPoll(company, docId)] : [];
			});
		},
		poll(seconds: number) {
			const plan = { url: service.url, requests: polls, expectedStatus: 200, connections: CONNECTIONS };
			return load.ask({ kind: "open", plan, ratePerSecond: POLLS_PER_SECOND, seconds });
		},
	};
}

function toPoll({ headers }: Company, docId: string): RequestTemplate {
	return { method: "GET", path: `/v1/invoices/${docId}/status`, headers };
}
