/**
 * What a request may cost, at every operation, with and without credentials. The service runs in a process of its own, so that its processor
 * time and its memory are its own too. A sample of the requests is sent; COST_FULL=1 sends all.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Operation, SCOPES } from "../../../src/platform/operation";
import { createChance } from "../../support/chance";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { type HostileRequest, hostileBodies, hostileHeaders, hostileQueries } from "../../support/hostile-requests";
import { readPeakMiB, readTicks, resetPeak } from "../../support/process-memory";
import { findFreePort, type Program, startService } from "../../support/processes";
import { openRegistryKeys, type RegistryKeys } from "../../support/registry-keys";
import { declaredOperations } from "../support/declared-operations";

const IS_FULL = process.env.COST_FULL === "1";
/** The goal for an answer; times on a busy machine are up to ten times as long, so processor time is checked as well. */
const ANSWER_MS = 500;
const LIVE_MS = 250;
const SLACK = IS_FULL ? 1 : 10;
const TICK_MS = 10;
const PEAK_MIB = 1_024;
/** Larger bodies, which only lists to check may have, may take longer in proportion: they are read to the end in a thread. */
const PLAIN_BYTES = 16 * 1_024 * 1_024;
const SAMPLE = 14;

let folder: string;
let database: TestDatabase;
let service: Program;
let keys: RegistryKeys;
let url: string;
let tenantId: string;
/** Of a link for reconciliation. */
let capability: string;
let credentials: readonly (readonly [string, string])[];

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "sello-cost-"));
	database = await openTestDatabase();
	const settings = {
		PORT: String(await findFreePort()),
		DATA_DIR: folder,
		DATABASE_URL: database.url,
		SIGN_THREADS: "1",
	};
	service = startService(
		{ ...settings, LOG_LEVEL: "warn", TRUSTED_PROXIES: "127.0.0.0/8" },
		join(folder, "service.log"),
	);
	url = await service.ready;
	keys = await openRegistryKeys({ sql: database.sql, kekFile: join(folder, "kek"), url });
	// Without the scopes whose operations end or wipe what these tests use.
	const key = await keys.createKey(SCOPES.filter((scope) => !/^(sandbox:|admin|keys:)/.test(scope)));
	const post = async (path: string, body: object) => {
		const headers = { "content-type": "application/json", "x-api-key": key };
		const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
		return (await answer.json()) as Record<string, string> & { credentials: Record<string, string> };
	};
	const company = await post("/v1/company", { rnc: "990000001" });
	tenantId = company.tenantId ?? "";
	const { clientId: client_id, clientSecret: client_secret } = company.credentials;
	const { access_token } = await post("/v1/auth/token", { grant_type: "client_credentials", client_id, client_secret });
	credentials = [
		["x-api-key", key],
		["authorization", `Bearer ${access_token}`],
	];
	const link = await post("/v1/authority/reconcile-links", {});
	capability = link.url?.replace(/^.*\//, "") ?? "";
	// The first request makes a run's files.
	await fetch(`${url}/v1/authority/registry/downloads`, { headers: { "x-api-key": key } });
}, 120_000);
afterAll(async () => {
	service.kill("SIGTERM");
	await service.ended;
	await keys.close();
	await database.close();
	rmSync(folder, { recursive: true, force: true });
}, 60_000);

type Cost = { readonly ms: number; readonly status: number; readonly bytes: number };
const slow: string[] = [];
const counts = { requests: 0, slowestMs: 0, mostCpuMs: 0, slowestLiveMs: 0 };

async function send(operation: Operation, request: HostileRequest, isKnown: boolean): Promise<Cost> {
	const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
		if (name === "capability") return capability;
		return /^id$/i.test(name) && operation.method === "GET" ? tenantId : crypto.randomUUID();
	});
	const headers = new Headers();
	for (const [name, value] of [...(isKnown ? credentials : []), ...(request.headers ?? [])]) headers.set(name, value);
	const body = request.makeBody?.();
	const startedAt = performance.now();
	const answer = await fetch(`${url}${path}${request.query === undefined ? "" : `?${request.query}`}`, {
		method: operation.method,
		headers,
		...(body ? { body } : {}),
	});
	await answer.arrayBuffer();
	return { ms: performance.now() - startedAt, status: answer.status, bytes: body?.byteLength ?? 0 };
}

async function check(operation: Operation, request: HostileRequest, isKnown: boolean): Promise<void> {
	const label = `${operation.method} ${operation.path}, ${isKnown ? "with" : "without"} credentials: ${request.kind}`;
	const ticks = readTicks(service.pid);
	const { ms, status, bytes } = await send(operation, request, isKnown).catch((error: unknown) => ({
		...{ ms: 0, bytes: 0 },
		status: String(error),
	}));
	const cpuMs = (readTicks(service.pid) - ticks) * TICK_MS;
	counts.requests++;
	counts.slowestMs = Math.max(counts.slowestMs, ms);
	counts.mostCpuMs = Math.max(counts.mostCpuMs, cpuMs);
	const isFine = typeof status === "number" && (status < 500 || status === 503);
	const allowedMs = ANSWER_MS * Math.max(1, bytes / PLAIN_BYTES);
	if (!isFine || ms > allowedMs * SLACK || cpuMs > allowedMs)
		slow.push(`${label}: ${status} after ${Math.round(ms)} ms, ${cpuMs} ms of processor time`);
}

/** Asks whether the service lives, again and again. */
function watchLife() {
	let isOver = false;
	const done = (async () => {
		while (!isOver) {
			const startedAt = performance.now();
			const { status } = await fetch(`${url}/livez`);
			const ms = performance.now() - startedAt;
			counts.slowestLiveMs = Math.max(counts.slowestLiveMs, ms);
			if (status !== 200 || ms > LIVE_MS * SLACK) slow.push(`/livez: ${status} after ${Math.round(ms)} ms`);
			await Bun.sleep(20);
		}
	})();
	return async () => {
		isOver = true;
		await done;
	};
}

test("no request costs more than half a second of processor time, at any operation", async () => {
	const chance = createChance(20_261_127);
	const sample = (all: readonly HostileRequest[], size: number) => {
		if (IS_FULL || all.length <= size) return all;
		return Array.from({ length: size }, () => chance.pick(all));
	};
	resetPeak(service.pid);
	const stop = watchLife();
	for (const operation of declaredOperations()) {
		const isStream = operation.id === "listEvents";
		// Others would be carried out: a query and headers are all that they need.
		const isSafe = operation.method === "GET" && !isStream;
		const plain = [...hostileQueries(operation), ...(isSafe || operation.body ? hostileHeaders() : [])];
		for (const request of sample(plain, SAMPLE / 2)) await check(operation, request, true);
		for (const request of sample(plain, 2)) await check(operation, request, false);
		const bodies = hostileBodies(operation);
		for (const request of sample(bodies, SAMPLE)) await check(operation, request, true);
		for (const request of sample(bodies, operation.credentials.key === "required" ? 2 : SAMPLE))
			await check(operation, request, false);
	}
	await stop();
	console.log(JSON.stringify({ ...counts, peakMiB: readPeakMiB(service.pid) }));
	expect(slow).toEqual([]);
	expect(readPeakMiB(service.pid)).toBeLessThan(PEAK_MIB);
	expect(service.hasEnded()).toBe(false);
}, 600_000);
