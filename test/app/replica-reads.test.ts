/** A service that reads lists on a standby, seen from its callers. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { preferReplica } from "../../src/app/replica-reads";
import type { Call, Operation } from "../../src/platform/operation";
import { Problem } from "../../src/platform/problem";
import { type Program, runAdmin, startService } from "../support/processes";
import { type Pair, startPair } from "../support/standby";
import { buildInvoice, type HarnessTenant, registerTenant } from "../support/tenants";

const TIMEOUT_MS = 60_000;
const folder = mkdtempSync(join(tmpdir(), "sello-reads-"));
let pair: Pair;
let service: Program;
let url: string;
let tenant: HarnessTenant;
beforeAll(async () => {
	pair = await startPair();
	const databases = { DATABASE_URL: pair.primary.url, DATABASE_READ_URL: pair.standby.url };
	const settings = { ...databases, PORT: "0", DATA_DIR: folder, SIGN_THREADS: "1" };
	service = startService(settings, join(folder, "service.log"));
	url = await service.ready;
	const made = await runAdmin(["keys", "create", "--plan", "unlimited", "--label", "reads"], settings);
	tenant = await registerTenant(url, (made as { key: string }).key, 1);
}, TIMEOUT_MS);
afterAll(async () => {
	service.kill("SIGTERM");
	await service.ended;
	await pair.stop();
	rmSync(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

async function issue(n: number): Promise<string> {
	const headers = { ...tenant.headers, "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
	const body = JSON.stringify(buildInvoice(tenant, n));
	const answer = await fetch(`${url}/v1/invoices`, { method: "POST", headers, body });
	expect(answer.status).toBe(202);
	return ((await answer.json()) as { docId: string }).docId;
}

async function findNewest(): Promise<string | undefined> {
	const answer = await fetch(`${url}/v1/invoices?limit=1`, { headers: tenant.headers });
	expect(answer.status).toBe(200);
	return ((await answer.json()) as { items: { docId: string }[] }).items[0]?.docId;
}

const countReads = async () =>
	(await pair.standby.sql`select from pg_stat_activity where application_name = 'sello reads'`).length;

test(
	"a list on a replica has what was acknowledged before",
	async () => {
		for (let n = 1; n <= 10; n++) expect(await issue(n)).toBe((await findNewest()) ?? "");
		expect(await countReads()).toBeGreaterThan(0);
	},
	TIMEOUT_MS,
);

test(
	"a list does not wait for a replica that stands still or is gone",
	async () => {
		await pair.standby.sql`select pg_wal_replay_pause()`;
		expect(await issue(11)).toBe((await findNewest()) ?? "");
		await pair.standby.kill();
		expect(await issue(12)).toBe((await findNewest()) ?? "");
	},
	TIMEOUT_MS,
);

test("what fails on the replica runs on the primary; a refusal is an answer", async () => {
	const operation = (handle: Operation["handle"]) => ({ id: "list", method: "GET", handle }) as Operation;
	const primary = operation(() => new Response("primary"));
	const ask = async (handle: Operation["handle"], hasCaughtUp = true) => {
		const [one] = preferReplica([primary], [operation(handle)], { hasCaughtUp: async () => hasCaughtUp });
		const answer = await one?.handle({} as Call);
		return answer?.text();
	};
	const fail = (error: Error) => () => Promise.reject(error);
	expect(await ask(() => new Response("replica"))).toBe("replica");
	expect(await ask(() => new Response("replica"), false)).toBe("primary");
	expect(await ask(fail(new Error("cannot execute UPDATE in a read-only transaction")))).toBe("primary");
	await expect(ask(fail(new Problem("not-found")))).rejects.toThrow(Problem);
});
