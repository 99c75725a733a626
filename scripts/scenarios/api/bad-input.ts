/**
 * Sends every documented operation what it does not expect: malformed JSON, invalid values, odd addresses, queries, headers and encodings,
 * and
 * bytes on sockets that are not requests. Each answer is checked against the service's own description.
 */
import { createChance } from "../../../test/support/chance";
import { readOwnMiB } from "../../../test/support/process-memory";
import type { ScenarioContext } from "../run-scenarios";
import { aim, type Shot } from "./aim";
import { makeContainer } from "./container";
import type { ApiOperation } from "./description";
import type { Caller, Environment } from "./environment";
import { createFaultBook, type FaultBook } from "./fault-book";
import { listJsonCases } from "./json-corpus";
import { readLiveMiB } from "./live-heap";
import { checkAnswer, checkProblem, type Expectation } from "./oracle";
import { createValueMaker, type ValueMaker } from "./random-value";
import { HIDDEN_ID, listRawCases, NATIVE_REFUSALS, playRawCase } from "./raw-cases";
import { isEndless, openWire, type Wire } from "./wire";

/** Of one round. A small one has almost no warm-up and waits for no rest. */
const SIZES = {
	full: {
		requests: 20_000,
		corpusOperations: Number.POSITIVE_INFINITY,
		settleMs: 45_000,
		ownMaxMiB: 64,
		liveMaxMiB: 8,
	},
	small: { requests: 800, corpusOperations: 2, settleMs: 0, ownMaxMiB: 200, liveMaxMiB: 64 },
};
/**
 * A leak grows in every round of the same requests, and warm-up ends: caches, compiled code and the heaps of seven threads reach their size.
 * Measured over four rounds of 60,000 requests: resident memory grew by 77, 22, 2 and 10 MiB, the live heap by -3, 1, 1 and -4.
 */
const MEASURED_ROUNDS_MAX = 3;
const AT_ONCE = 16;
const IDS_MAX = 60;
const QUIET_MS = 2_500;
const SLOWEST_SHOWN = 4;
const REHEARSALS = 20;
/** Operations with these scopes may revoke the caller's credentials or move its clock: they get replaceable callers. */
const WEARING = /^(sandbox:|company:write|keys:|admin|credentials:)/;

export async function badInputScenario(context: ScenarioContext, environment: Environment, seed = 20_261_121) {
	const size = SIZES[context.small ? "small" : "full"];
	const { api, url, service } = environment;
	const { pid } = service;
	const chance = createChance(seed);
	const make = createValueMaker(api, seed);
	rehearse(api.operations, make);
	const callers = createCallers(environment);
	const container = await makeContainer();
	const ids = new Map<string, string[]>();
	const faults = createFaultBook(context);
	const statuses: Record<number, number> = {};
	const good = new Set<string>();
	const slowest = new Map<string, number>();
	let requests = 0;

	async function shoot(
		wire: Wire,
		operation: ApiOperation,
		caller: Caller,
		shot: Omit<Shot, "kinds"> & { kinds?: readonly string[] },
	) {
		const from = performance.now();
		const answer = await wire.send(shot.request);
		const ms = Math.round(performance.now() - from);
		if (ms > (slowest.get(operation.name) ?? 0)) slowest.set(operation.name, ms);
		requests++;
		statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
		if (answer.status === 0 && isEndless(shot.request)) return;
		for (const fault of checkAnswer(api, operation, answer, shot.expected))
			faults.note(operation.name, fault, shot.request, answer, shot.kinds);
		if (answer.status >= 200 && answer.status < 400 && "body" in answer) {
			good.add(operation.name);
			learnIds(ids, operation, answer.body);
		}
		if (answer.status === 401 && operation.key === "required") await callers.replaceIfEnded(caller, operation, faults);
	}

	async function fuzz(count: number) {
		let left = count;
		await Promise.all(
			Array.from({ length: AT_ONCE }, async () => {
				const wire = openWire(url);
				while (left > 0 && !service.hasEnded()) {
					const operation = api.operations[left-- % api.operations.length];
					if (!operation) break;
					const caller = await callers.of(operation);
					const known = ids.get(placeOf(operation)) ?? [...ids.values()].flat();
					await shoot(
						wire,
						operation,
						caller,
						aim({ operation, caller, chance, make, ids: known, rncs: environment.rncs, container }),
					);
				}
				wire.close();
			}),
		);
	}

	const readers = api.operations.filter(({ body }) => body?.content.has("application/json"));
	const chosen = preferred(readers).slice(0, size.corpusOperations);

	async function readCorpus() {
		const cases = listJsonCases();
		const wire = openWire(url);
		for (const operation of chosen) {
			for (const one of cases) {
				const caller = await callers.of(operation);
				if (one.bytes.length === 0 && operation.body?.required === false) continue;
				await shoot(
					wire,
					operation,
					caller,
					plain(operation, caller, one.bytes, {
						mustBeRefused: one.verdict === "refuse",
						isJson: one.verdict === "json",
					}),
				);
			}
		}
		wire.close();
		return { texts: cases.length, "operations that read them": chosen.length };
	}

	async function playSockets() {
		const caller = await environment.register();
		const cases = listRawCases(new URL(url).host, caller.headers);
		const endings: Record<string, number> = {};
		await Promise.all(
			cases.map(async (one) => {
				const { statuses: got, bodies, isClosed } = await playRawCase(url, one, QUIET_MS);
				const ending = got.join(" ") || (isClosed ? "closed" : "silence");
				endings[ending] = (endings[ending] ?? 0) + 1;
				const complain = (sentence: string) =>
					context.violate(`socket, ${one.name}: ${sentence}; got ${ending}: ${bodies.slice(0, 300)}`);
				if (bodies.includes(HIDDEN_ID)) complain("the hidden request was answered");
				if (one.verdict === "refused" && got.some((status) => status >= 200 && status < 300))
					complain("what must be refused was done");
				for (const [head = "", body = ""] of splitAnswers(bodies)) {
					const status = Number(head.slice(9, 12));
					if (status < 400 || (NATIVE_REFUSALS.includes(status) && body === "")) continue;
					if (status >= 500) complain(`a ${status}`);
					for (const fault of checkProblem(api, { status, headers: readHeaders(head), body }).faults) complain(fault);
				}
			}),
		);
		return { "socket cases": cases.length, "their ends": endings };
	}

	async function playRound() {
		await fuzz(size.requests);
		return { ...(await readCorpus()), ...(await playSockets()) };
	}

	let counts = await playRound();
	let own = await settle(pid, size.settleMs);
	let live = await readLiveMiB(pid, environment.folder);
	const first = own;
	let peak = own;
	const sampler = setInterval(() => {
		peak = Math.max(peak, readOwnMiB(pid));
	}, 200);
	context.atEnd(() => clearInterval(sampler));
	const growths: { own: number; live: number }[] = [];
	let isGrowing = true;
	while (isGrowing && growths.length < MEASURED_ROUNDS_MAX) {
		const before = { own, live };
		counts = await playRound();
		own = await settle(pid, size.settleMs);
		live = await readLiveMiB(pid, environment.folder);
		const growth = { own: round(own - before.own), live: round(live - before.live) };
		growths.push(growth);
		isGrowing = growth.own > size.ownMaxMiB || growth.live > size.liveMaxMiB;
	}
	clearInterval(sampler);
	if (isGrowing)
		context.violate(`the service grew in every round of the same requests, by MiB: ${JSON.stringify(growths)}`);
	if (service.hasEnded()) context.violate(`the service ended with ${await service.ended}`);
	else if ((await fetch(`${url}/livez`)).status !== 200) context.violate("the service is not alive any more");
	const inside = environment
		.readLog()
		.split("\n")
		.filter((line) => line.includes(`"event":"request.failed"`));
	if (inside.length > 0) context.violate(`${inside.length} requests failed inside, such as ${inside[0]}`);
	faults.report();
	return {
		...{ operations: api.operations.length, requests, ...counts, statuses },
		"operations only refused": api.operations.flatMap(({ name }) => (good.has(name) ? [] : [name])),
		"companies used up": callers.replaced(),
		"slowest ms": Object.fromEntries([...slowest].sort(([, a], [, b]) => b - a).slice(0, SLOWEST_SHOWN)),
		"MiB before": first,
		"grown by MiB": growths,
		"live MiB": live,
		"at most by MiB": round(peak - first),
	};
}

/** Callers with valid credentials, replaced when those are revoked. */
function createCallers(environment: Environment) {
	const now = new Map<string, Promise<Caller>>();
	let replaced = 0;
	const kindOf = ({ scope, id }: ApiOperation) =>
		scope !== undefined && WEARING.test(scope) ? scope : /revoke|clock/i.test(id) ? id : "steady";
	const of = (operation: ApiOperation): Promise<Caller> => {
		const kind = kindOf(operation);
		const known = now.get(kind) ?? environment.register();
		now.set(kind, known);
		return known;
	};
	return {
		of,
		replaced: () => replaced,
		async replaceIfEnded(caller: Caller, operation: ApiOperation, faults: FaultBook) {
			const kind = kindOf(operation);
			if ((await now.get(kind)) !== caller) return;
			const target = `/v1/company/${caller.tenantId}`;
			const headers = Object.entries(caller.headers);
			const answer = await fetch(`${environment.url}${target}`, { headers: caller.headers });
			if (answer.status === 200)
				faults.note(
					operation.name,
					"401 for good credentials",
					{ method: "GET", target, headers },
					{ status: 401, headers: {}, body: "" },
				);
			else if ((await now.get(kind)) === caller) {
				replaced++;
				now.set(kind, environment.register());
			}
		},
	};
}

/** Generating texts for patterns is slow: done here, it delays no timed request. */
function rehearse(operations: readonly ApiOperation[], make: ValueMaker): void {
	const chance = createChance(1);
	for (const { parameters, body } of operations) {
		const schemas = [
			...parameters.map(({ schema }) => schema),
			...[...(body?.content.values() ?? [])].map(({ schema }) => schema),
		];
		for (const schema of schemas) for (let i = 0; schema && i < REHEARSALS; i++) make(schema, chance);
	}
}

/** A complete request with a body and nothing odd. */
function plain(operation: ApiOperation, caller: Caller, body: Buffer, expected: Expectation): Omit<Shot, "kinds"> {
	const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
		if (operation.path.startsWith("/v1/company/") && name === "id") return caller.tenantId;
		return String(
			operation.parameters.find((one) => one.in === "path" && one.name === name)?.example ?? crypto.randomUUID(),
		);
	});
	const headers: [string, string][] = [["content-type", "application/json"]];
	if (operation.key !== "ignored") headers.push(["x-api-key", caller.apiKey]);
	if (operation.bearer !== "ignored") headers.push(["authorization", caller.headers.authorization ?? ""]);
	if (operation.parameters.some((one) => one.name === "Idempotency-Key"))
		headers.push(["idempotency-key", crypto.randomUUID()]);
	return { request: { method: operation.method, target: path, headers, body }, expected };
}

/** The most used operations: invoices, companies, look-ups. */
function preferred(operations: readonly ApiOperation[]): ApiOperation[] {
	const order = ["/v1/invoices", "/v1/company", "/v1/invoices:batch", "/v1/authority/document:batch"];
	const rank = ({ method, path }: ApiOperation) =>
		method === "POST" && order.includes(path) ? order.indexOf(path) : order.length;
	return [...operations].sort((a, b) => rank(a) - rank(b));
}

const round = (mib: number): number => Math.round(mib * 10) / 10;

const placeOf = ({ path }: ApiOperation) => path.split("/").slice(0, 3).join("/").replace(/:.*$/, "");

/** Keeps the last ids returned by an area's operations. */
function learnIds(ids: Map<string, string[]>, operation: ApiOperation, body: string): void {
	const place = placeOf(operation);
	const known = ids.get(place) ?? [];
	for (const [, id] of body.matchAll(/"\w*[iI]d":"([\w.-]{8,64})"/g))
		if (id !== undefined && !known.includes(id)) known.push(id);
	ids.set(place, known.slice(-IDS_MAX));
}

/** The least memory of the idle process. The rest also lets the runtime drop code that is used no more, so that it does not count as live. */
async function settle(pid: number, waitMs: number): Promise<number> {
	const deadline = performance.now() + waitMs;
	let least = readOwnMiB(pid);
	while (performance.now() < deadline) {
		await Bun.sleep(500);
		least = Math.min(least, readOwnMiB(pid));
	}
	return least;
}

function splitAnswers(text: string): [string, string][] {
	return text
		.split(/(?=HTTP\/1\.1 \d{3})/)
		.filter((one) => one.startsWith("HTTP/1.1 "))
		.map((one) => {
			const end = one.indexOf("\r\n\r\n");
			return end < 0 ? [one, ""] : [one.slice(0, end), Buffer.from(one.slice(end + 4), "latin1").toString("utf8")];
		});
}

function readHeaders(head: string): Record<string, string> {
	const lines = head.split("\r\n").slice(1);
	return Object.fromEntries(
		lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
	);
}
