import { expect, test } from "bun:test";
import { countConnections, warnOfFewConnections } from "../../../src/app/config/config";
import { buildInvoice, createTenant, postInvoice, sharedService } from "../../support/service";

const whole = { role: "all", processes: 1, submitThreads: 1 } as const;

test("every process wants 13 connections and every submitting thread 5 more", () => {
	expect(countConnections(whole)).toBe(18);
	expect(countConnections({ ...whole, processes: 4, submitThreads: 2 })).toBe(62);
});

test("only processes with an outbox have submitting threads; a worker is one process", () => {
	expect(countConnections({ ...whole, role: "api", processes: 2 })).toBe(26);
	expect(countConnections({ ...whole, role: "registry", processes: 2, submitThreads: 4 })).toBe(26);
	expect(countConnections({ ...whole, role: "worker", processes: 8, submitThreads: 4 })).toBe(33);
});

test("warns with both numbers if the server allows fewer", () => {
	expect(warnOfFewConnections(whole, 18)).toEqual([]);
	expect(warnOfFewConnections({ ...whole, processes: 4 }, 56)).toEqual([
		expect.stringMatching(/^the login of DATABASE_URL may open 56 connections, and this service may need 57: raise/),
	]);
});

test("a whole process opens no more than that, each under the name of its purpose", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	await Promise.all(Array.from({ length: 100 }, () => postInvoice(service, tenant, buildInvoice(tenant))));
	const rows = await service.owner<{ name: string; count: number }[]>`
		select application_name as name, count(*)::int as count from pg_stat_activity
		where datname = current_database() and application_name like 'sello %' group by 1 order by 1`;
	const most: Readonly<Record<string, number>> = {
		...{ "sello api": 8, "sello callers": 2, "sello dispatch-1": 5 },
		...{ "sello hung sessions": 1, "sello listen": 1, "sello watch": 1 },
	};
	expect(rows.map(({ name }) => name)).toEqual(Object.keys(most).toSorted());
	expect(rows.filter(({ name, count }) => count > (most[name] ?? 0))).toEqual([]);
}, 30_000);
