/** A registry whose database goes away, a node that has none, and what shared caches see. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "../support/processes";
import { type RegistryService, startRegistryService } from "../support/registry-service";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy";
import { until } from "../support/until";

const TIMEOUT_MS = 60_000;
const SAMPLE = join(import.meta.dir, "../../data/registry/sample.zip");

const folder = mkdtempSync(join(tmpdir(), "sello-availability-"));
let proxy: TcpProxy;
let service: RegistryService;
beforeAll(async () => {
	service = await startRegistryService(
		SAMPLE,
		{ CDN: "on", REGISTRY_STORE: join(folder, "store") },
		async (databaseUrl) => {
			const url = new URL(databaseUrl);
			proxy = await startTcpProxy({ port: Number(url.port) });
			url.hostname = "127.0.0.1";
			url.port = String(proxy.port);
			return url.href;
		},
	);
}, TIMEOUT_MS);
afterAll(async () => {
	proxy.setEnabled(true);
	await service.stop();
	await proxy.stop();
	rmSync(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

const ask = (path: string, key: string, init: RequestInit = {}) =>
	fetch(`${service.url}/v1/authority${path}`, { ...init, headers: { "x-api-key": key, ...init.headers } });
const post = (path: string, key: string, body: object) =>
	ask(path, key, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });
const readiness = async (url = service.url) => {
	const answer = await fetch(`${url}/readyz`);
	return `${answer.status} ${((await answer.json()) as { status: string }).status}`;
};

test(
	"known keys look up, search, match and send batches while the database is away",
	async () => {
		const known = await service.createKey(["registry:read"]);
		const revoked = await service.createKey(["registry:read"]);
		const unknown = await service.createKey(["registry:read"]);
		expect((await ask("/document/131880681", revoked)).status).toBe(200);
		await service.sql`update api_keys set revoked_at = now() where digest = sha256(${revoked}::text::bytea)`;
		await until(async () => (await ask("/document/131880681", revoked)).status === 401);
		await until(async () => (await readiness()) === "200 ok");
		// A key is remembered only once the change that announces it has been received, as the later revocation has.
		expect((await ask("/document/131880681", known)).status).toBe(200);

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
		// 503 where its revocation was received so late that the key was forgotten and could not be read again.
		expect([401, 503]).toContain((await ask("/document/131880681", revoked)).status);
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

test(
	"a node without a database answers from the store and learns of changes",
	async () => {
		const key = await service.createKey(["registry:read"]);
		const officer = await service.createOfficer();
		const settings = {
			...{ ROLE: "edge", PORT: "0", DATA_DIR: join(folder, "edge"), REGISTRY_STORE: join(folder, "store") },
			KEK_FILE: join(service.dataDir, "kek"),
		};
		const edge = startService(settings, join(folder, "edge.log"));
		try {
			const url = await edge.ready;
			await until(async () => (await readiness(url)) === "200 ok");
			const send = async (path: string, init: RequestInit = {}, sent = key) =>
				fetch(`${url}${path}`, { ...init, headers: { "x-api-key": sent, ...init.headers } });
			const statusOf = async (...sent: Parameters<typeof send>) => (await send(...sent)).status;
			const LOOK_UP = "/v1/authority/document/131880681";
			const found = await send(LOOK_UP);
			expect([found.status, found.headers.get("x-registry-mode")]).toEqual([200, null]);
			expect(await found.text()).toBe(await (await ask("/document/131880681", key)).text());
			for (const path of ["/131880681/history", ":search?field=name&q=srl", ":suggest?q=ferr"])
				expect([path, await statusOf(`/v1/authority/document${path}`)]).toEqual([path, 200]);
			const body = (content: object): RequestInit => ({
				...{ method: "POST", body: JSON.stringify(content), headers: { "content-type": "application/json" } },
			});
			expect(await statusOf("/v1/authority/document:batch", body({ documents: ["131880681"] }))).toBe(200);
			expect(await statusOf("/v1/authority/document:match", body({ names: ["Ferreteria El Progreso"] }))).toBe(200);

			for (const path of ["/v1/authority/registry/runs", "/v1/authority/registry/changes"]) {
				const refused = await send(path);
				expect([path, refused.status, refused.headers.get("retry-after")]).toEqual([path, 503, "1"]);
			}
			expect(await statusOf(LOOK_UP, { headers: officer })).toBe(503);

			const later = await service.createKey(["registry:read"]);
			await until(async () => (await statusOf(LOOK_UP, {}, later)) === 200);
			await service.sql`update api_keys set revoked_at = now() where digest = sha256(${later}::text::bytea)`;
			await until(async () => (await statusOf(LOOK_UP, {}, later)) === 401);
			const purge = { legal_basis: "data-error", reason: "test", request_reference: "R-1", requested_by: "test" };
			const purged = await fetch(`${service.url}${LOOK_UP}:purge`, {
				...{ method: "POST", body: JSON.stringify(purge) },
				headers: { ...officer, "content-type": "application/json" },
			});
			expect(purged.status).toBeLessThan(300);
			await until(async () => (await statusOf(LOOK_UP)) === 404);

			proxy.setEnabled(false);
			expect(await statusOf("/v1/authority/document/101010101")).toBe(200);
		} finally {
			proxy.setEnabled(true);
			edge.kill("SIGTERM");
			await edge.ended;
		}
	},
	TIMEOUT_MS,
);
