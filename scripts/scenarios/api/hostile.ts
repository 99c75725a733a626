/**
 * Requests of the demo key, and of callers without credentials, that cost their sender little: batches of bad lines, forms of many names,
 * prints of long documents, wrong secrets. Another company's requests are served as usual meanwhile, and the service keeps its memory.
 */
import { readPeakMiB, resetPeak } from "../../../test/support/process-memory";
import type { ScenarioContext } from "../run-scenarios";
import { buildInvoice, type Environment, obtainToken, post } from "./environment";

const SIZES = { full: 200, small: 10 };
const AT_ONCE = 16;
const PEAK_MAX_MIB = 1_024;
/** A small run shares its machine with others, so that it only finds what takes ten times as long. */
const MEDIAN_MAX_MS = { full: 50, small: 500 };
const GET_EVERY_MS = 10;
const LINES = 1_000;
const FORM = "application/x-www-form-urlencoded";
/** The credentials of the sandboxes' documentation. */
const DEMO = { key: "ak_demo_public0000000000000000", clientId: "demo", clientSecret: "demo" };

type Shot = { readonly path: string; readonly init: RequestInit };

export async function hostileScenario({ small, violate }: ScenarioContext, environment: Environment) {
	const { url, service } = environment;
	const size = small ? "small" : "full";
	const demo = { "x-api-key": DEMO.key, authorization: `Bearer ${await obtainToken(url, DEMO)}` };
	const other = await environment.register();
	const long = await issueLong(environment, demo);
	const lines = (text: string) => packed("/v1/invoices:batch", demo, "application/x-ndjson", text);
	const form = (path: string) => plain(path, {}, FORM, names(30_000));
	const secret = (path: string, clientId: string) =>
		plain(path, {}, FORM, `grant_type=client_credentials&token=x&client_id=${clientId}&client_secret=wrong`);
	const kinds: Readonly<Record<string, readonly Shot[]>> = {
		batches: [
			lines("x\n".repeat(300_000)),
			lines("{}\n".repeat(5_000_000)),
			lines("\n".repeat(16_000_000)),
			packed("/v1/invoices:batch", demo, "application/json", `{"invoices":[${"{},".repeat(5_000_000)}{}]}`),
			packed("/v1/invoices:batch", demo, "application/json", `{"invoices":[${items(40)}]}`),
		],
		forms: [form("/v1/auth/token"), form("/v1/auth/revoke")],
		prints: [{ path: `/v1/invoices/${long}/pdf`, init: { headers: demo } }],
		secrets: [secret("/v1/auth/token", other.clientId), secret("/v1/auth/revoke", "cli_unknown")],
	};
	resetPeak(service.pid);
	const outcomes: Record<string, object> = {};
	for (const [kind, shots] of Object.entries(kinds)) {
		const watch = watchOther(url, other.headers);
		const statuses = await fire(url, shots, SIZES[size]);
		const { medianMs, failures } = await watch();
		outcomes[kind] = { statuses, "median of others ms": medianMs };
		const bad = Object.keys(statuses).filter((status) => status !== "503" && !/^[234]/.test(status));
		if (bad.length > 0) violate(`hostile ${kind} were answered with ${bad.join(", ")}`);
		if (failures > 0) violate(`${failures} requests of another company failed during hostile ${kind}`);
		if (medianMs > MEDIAN_MAX_MS[size])
			violate(`the median of another company's requests was ${medianMs} ms during hostile ${kind}`);
	}
	const peakMiB = readPeakMiB(service.pid);
	if (service.hasEnded()) violate("the service ended");
	if (peakMiB > PEAK_MAX_MIB) violate(`the service took ${peakMiB} MiB`);
	return { ...outcomes, "peak MiB": peakMiB };
}

function plain(path: string, headers: Readonly<Record<string, string>>, type: string, text: string): Shot {
	return { path, init: { method: "POST", headers: { ...headers, "content-type": type }, body: text } };
}

function packed(path: string, headers: Readonly<Record<string, string>>, type: string, text: string): Shot {
	const all = { ...headers, "content-type": type, "content-encoding": "gzip" };
	return { path, init: { method: "POST", headers: all, body: Bun.gzipSync(Buffer.from(text)) } };
}

const names = (count: number) => Array.from({ length: count }, (_, i) => `n${i}=`).join("&");

/** Invoices that are nearly as large as one may be, and valid in nothing. */
function items(count: number): string {
	const lines = Array.from({ length: 40_000 }, (_, i) => `{"n":${i}}`).join(",");
	return Array.from({ length: count }, () => `{"lines":[${lines}]}`).join(",");
}

/** A document whose print has many pages. Returns its id. */
async function issueLong({ url }: Environment, headers: Readonly<Record<string, string>>): Promise<string> {
	const line = { description: "Cemento gris 42.5kg", quantity: "1", unit_price: "10.00", subtotal: "10.00" };
	const invoice = {
		...buildInvoice({ rnc: "990000131", name: "EMPRESA DE DEMOSTRACION SRL" }, 1),
		encf: "auto",
		lines: Array.from({ length: LINES }, (_, i) => ({ ...line, line_number: i + 1 })),
		totals: { subtotal: "10000.00", tax: "1800.00", grand_total: "11800.00" },
	};
	const key = { "idempotency-key": crypto.randomUUID() };
	const { status, text } = await post(`${url}/v1/invoices`, { ...headers, ...key }, invoice);
	if (status !== 202) throw new Error(`a long invoice was answered with ${status}: ${text}`);
	return (JSON.parse(text) as { docId: string }).docId;
}

/** Sends `count` shots, some at once. Returns how often each status came. */
async function fire(url: string, shots: readonly Shot[], count: number): Promise<Record<string, number>> {
	const statuses: Record<string, number> = {};
	let sent = 0;
	await Promise.all(
		Array.from({ length: AT_ONCE }, async () => {
			while (sent < count) {
				const { path, init } = shots[sent++ % shots.length] as Shot;
				const status = await fetch(`${url}${path}`, init).then(
					async (answer) => {
						await answer.arrayBuffer();
						return String(answer.status);
					},
					() => "no answer",
				);
				statuses[status] = (statuses[status] ?? 0) + 1;
			}
		}),
	);
	return statuses;
}

/** Reads another company's invoices until the returned function is called. */
function watchOther(url: string, headers: Readonly<Record<string, string>>) {
	const times: number[] = [];
	let failures = 0;
	let isOver = false;
	const done = (async () => {
		do {
			const startedAt = performance.now();
			const answer = await fetch(`${url}/v1/invoices?limit=1`, { headers });
			await answer.arrayBuffer();
			times.push(performance.now() - startedAt);
			if (answer.status !== 200) failures++;
			await Bun.sleep(GET_EVERY_MS);
		} while (!isOver);
	})();
	return async () => {
		isOver = true;
		await done;
		times.sort((a, b) => a - b);
		return { medianMs: Math.round((times[Math.floor(times.length / 2)] ?? 0) * 10) / 10, failures };
	};
}
