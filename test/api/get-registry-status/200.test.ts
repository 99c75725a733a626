/** The registry's freshness, for any caller with a key. */
import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type TestService } from "../../support/service";
import { instant, tenantA, uuid } from "../support/tenants";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

const PATH = "/v1/authority/registry/status";

test("every member, with consistent values", async () => {
	const answer = await get(service, PATH, { "x-api-key": (await tenantA()).apiKey });
	expect(answer.status).toBe(200);
	expect(answer.headers.get("cache-control")).toBe("no-store");
	const status = (await answer.json()) as { age_seconds: number; last_ingest: string };
	expect(status).toEqual({
		...{ last_ingest: expect.stringMatching(instant), record_count: 2000 },
		...{ source_etag: expect.stringMatching(/^"[^"]+"$/), source_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
		...{ age_seconds: expect.any(Number), stale: false, run_id: expect.stringMatching(uuid) },
		...{ added: 2000, changed: 0, removed: 0, suppressed: 0 },
		next_scheduled: expect.stringMatching(/T04:00:00\.000Z$/),
		last_attempt: { at: expect.stringMatching(instant), result: "ok" },
	} as never);
	expect(Math.abs(Date.now() - Date.parse(status.last_ingest) - status.age_seconds * 1000)).toBeLessThan(3_000);
});
