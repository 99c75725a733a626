/** A registry whose database goes away: known keys go on, others wait; and what shared caches see. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type RegistryService, startRegistryService } from "../support/registry-service";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy";
import { until } from "../support/until";

const TIMEOUT_MS = 60_000;
const SAMPLE = join(import.meta.dir, "../../data/registry/sample.zip");

let proxy: TcpProxy;
let service: RegistryService;
beforeAll(async () => {
	service = await startRegistryService(SAMPLE, { CDN: "on" }, async (databaseUrl) => {
		const url = new URL(databaseUrl);
		proxy = await startTcpProxy({ port: Number(url.port) });
		url.hostname = "127.0.0.1";
		url.port = String(proxy.port);
		return url.href;
	});
}, TIMEOUT_MS);
afterAll(async () => {
	proxy.setEnabled(true);
	await service.stop();
	await proxy.stop();
}, TIMEOUT_MS);

const ask = (path: string, key: string, init: RequestInit = {}) =>
	fetch(`${service.url}/v1/authority${path}`, { ...init, headers: { "x-api-key": key, ...init.headers } });
const post = (path: string, key: string, body: object) =>
	ask(path, key, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });
const readiness = async () => {
	const answer = await fetch(`${service.url}/readyz`);
	return `${answer.status} ${((await answer.json()) as { status: string }).status}`;
};

test(
	"known keys look up, search, match and send batches while the database is away",
	async () => {
		const known = await service.createKey(["registry:read"]);
		const revoked = await service.createKey(["registry:read"]);
		const unknown = await service.createKey(["registry:read"]);
		for (const key of [known, revoked]) expect((await ask("/document/131880681", key)).status).toBe(200);
		await service.sql`update api_keys set revoked_at = now() where digest = sha256(${revoked}::text::bytea)`;
		await until(async () => (await ask("/document/131880681", revoked)).status === 401);
		await until(async () => (await readiness()) === "200 ok");

		proxy.setEnabled(false);
		await until(async () => {
			const answer = await ask("/document/131880681", known);
			expect(answer.status).toBe(200);
			return answer.headers.get("x-registry-mode") === "grace";
		});
		const search = await ask("/document:search?field=name&q=srl", known);
		expect([search.status, search.headers.get("x-registry-mode")]).toEqual([200, "grace"]);
		const batch = await post("/document:batch", known, { documents: ["131880681"] });
		expect([batch.status, batch.headers.get("x-registry-mode")]).toEqual([200, "grace"]);
		expect((await post("/document:match", known, { names: ["Ferreteria El Progreso"] })).status).toBe(200);
		const refused = await ask("/document/131880681", unknown);
		expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
		expect((await ask("/document/131880681", revoked)).status).toBe(401);
		expect((await ask("/registry/runs", known)).status).toBe(503);
		await until(async () => (await readiness()) === "200 degraded");

		proxy.setEnabled(true);
		await until(async () => (await ask("/document/131880681", known)).headers.get("x-registry-mode") === null);
		expect((await ask("/document/131880681", unknown)).status).toBe(200);
		await until(async () => (await readiness()) === "200 ok");
		// Counted while the database was away, written now.
		await until(async () => {
			const [row] = await service.sql<{ n: number }[]>`
				select coalesce(sum(succeeded), 0)::int as n from usage_days where operation = 'batchDocuments'`;
			return row?.n === 1;
		});
	},
	TIMEOUT_MS,
);

test("behind a shared cache both paths leave out the caller's headers", async () => {
	const key = await service.createKey(["registry:read"]);
	await ask("/document/131880681", key);
	const fast = await ask("/document/131880681", key);
	const slow = await ask("/document/131880681", key, { headers: { accept: "application/json;q=0.9" } });
	for (const { headers } of [fast, slow]) {
		for (const name of ["ratelimit", "ratelimit-policy", "x-request-id"]) expect(headers.get(name)).toBeNull();
		expect(headers.get("cdn-cache-control")).toBe("max-age=300");
		expect(headers.get("surrogate-key")).toBe(`registry run-${headers.get("x-registry-run-id")} doc-be2aa128dfc3f3f0`);
	}
	const unmodified = await ask("/document/131880681", key, {
		headers: { "if-none-match": fast.headers.get("etag") ?? "" },
	});
	expect([unmodified.status, unmodified.headers.get("surrogate-key")]).toEqual([
		304,
		fast.headers.get("surrogate-key"),
	]);
	const page = await ask("/document:search?field=name&q=srl", key);
	expect(page.headers.get("surrogate-key")).toBe(`registry run-${page.headers.get("x-registry-run-id")}`);
});
