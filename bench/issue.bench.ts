/**
 * How many invoices does the service take per second, each signed and durable before it is acknowledged?
 *
 * The service runs as `ROLE=api` with its own PostgreSQL on the same machine: what it accepts is sent to nobody meanwhile, that
 * is the question of `verdict`. Throughput by a closed loop, delays by an open loop at half of what that reached.
 */
import { type BenchOptions, type Figure, toFigure } from "./bench";
import { startLoad } from "./load";
import { startRawRsa } from "./raw-rsa";
import { registerCompanies, startService, toInvoiceRequest } from "./service";

export const question = "How many invoices per second does POST /v1/invoices take, signed and durable?";
export const peer = "the runtime's bare RSA-2048 on one core, times the cores";

const CONNECTIONS = 32;
const COMPANIES = 8;

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const service = await startService(stack, { ROLE: "api" });
	const companies = await registerCompanies(service, smoke ? 2 : COMPANIES);
	const load = startLoad(stack);
	const rsa = startRawRsa(stack);
	let firstNumber = 1;
	const plan = () => ({
		url: service.url,
		requests: companies.map(toInvoiceRequest),
		expectedStatus: 202,
		connections: CONNECTIONS,
		firstNumber,
	});
	const closed = async (seconds: number) => {
		const result = await load.ask({ kind: "closed", plan: plan(), until: { seconds } });
		firstNumber += result.startedAtMs.length;
		return result;
	};
	const open = async (ratePerSecond: number, seconds: number) => {
		const result = await load.ask({ kind: "open", plan: plan(), ratePerSecond, seconds });
		firstNumber += result.startedAtMs.length;
		return result;
	};

	const seconds = smoke ? 0.4 : 4;
	await closed(smoke ? 0.2 : 5);
	const figures = {
		raw: [] as number[],
		rawAll: [] as number[],
		taken: [] as number[],
		p50: [] as number[],
		p99: [] as number[],
	};
	for (let round = 0; round < (smoke ? 1 : 5); round++) {
		figures.raw.push(await rsa.ofOneTimesCores(seconds / 4));
		const { perSecond } = await closed(seconds);
		figures.taken.push(perSecond);
		figures.rawAll.push(await rsa.ofAllAtOnce(seconds / 4));
		const { p50Ms, p99Ms } = await open(perSecond / 2, seconds);
		figures.p50.push(p50Ms);
		figures.p99.push(p99Ms);
	}
	return [
		toFigure("bare RSA-2048, one core × cores", "signatures/s", figures.raw),
		toFigure("bare RSA-2048, all cores at once", "signatures/s", figures.rawAll),
		toFigure(`invoices, ${CONNECTIONS} connections`, "invoices/s", figures.taken, {
			against: { peer: "bare RSA-2048, one core × cores", rounds: figures.raw },
			target: "≥ 0.5",
		}),
		toFigure("delay at half that rate, median", "ms", figures.p50),
		toFigure("delay at half that rate, p99", "ms", figures.p99, { target: "≤ 50" }),
	];
}
