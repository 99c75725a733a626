/** What readiness says when the database is migrated further, or less, than a process that serves on it knows. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { get, openServiceIn, type TestService } from "../../support/service";
import { until } from "../../support/until";

let service: TestService & { stop: () => Promise<void> };
beforeAll(async () => {
	service = await openServiceIn("sandbox");
});
afterAll(() => service.stop());

test("a process stays ready when a newer version has migrated its database", async () => {
	await service.owner`insert into schema_migrations (number, name, fingerprint) values (9999, 'of_a_newer_version', '')`;
	expect(await readMigrations()).toEqual([200, "degraded"]);
});

test("a process is not ready on a restored database of another baseline", async () => {
	await service.owner`update schema_migrations set fingerprint = 'of another one' where number = 1`;
	await until(async () => (await readMigrations())[0] === 503);
	expect(await readMigrations()).toEqual([503, "unavailable"]);
});

async function readMigrations(): Promise<[number, string | undefined]> {
	const answer = await get(service, "/readyz");
	const { checks } = (await answer.json()) as { checks: Record<string, string> };
	return [answer.status, checks.migrations];
}
