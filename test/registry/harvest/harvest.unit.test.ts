import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Principal } from "../../../src/platform/operation";
import { Problem } from "../../../src/platform/problem";
import type { Registry } from "../../../src/registry";
import { createDistinctCount } from "../../../src/registry/harvest/distinct-count";
import { openHarvestLimit } from "../../../src/registry/harvest/harvest-limit";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import {
	bodyOf,
	connectAgain,
	entries,
	openOn,
	send,
	settableClock,
	silentLog,
	temporaryFolder,
	toText,
} from "../build";

const DAY_SECONDS = 86_400;
const OWNER = "0192f0c0-7a00-7b11-9c22-334455667788";
const as = (members: Partial<Principal> = {}): Principal => {
	return { environment: "production", plan: "free", ownerId: OWNER, scopes: new Set(["registry:read"]), ...members };
};

describe("the count of distinct entries", () => {
	test("is within a few percent, whatever the numbers are", () => {
		for (const [count, step] of [
			[500, 1],
			[2_000, 7],
			[20_000, 11],
			[760_000, 3],
		] as const) {
			const shown = createDistinctCount();
			for (let i = 0; i < count; i++) shown.add(990_000_000 + i * step);
			expect(Math.abs(shown.estimate() / count - 1)).toBeLessThan(0.05);
		}
	});

	test("counts an entry once, and merged counts like one", () => {
		const [one, other, both] = [createDistinctCount(), createDistinctCount(), createDistinctCount()];
		for (let key = 0; key < 3_000; key++) {
			const [first, second] = [99_900_000_000 + key, 101_000_000 + key];
			for (const [count, shown] of [
				[one, first],
				[other, second],
				[both, first],
				[both, second],
			] as const)
				count.add(shown);
		}
		one.merge(other.registers);
		expect(one.registers).toEqual(both.registers);
		expect(one.estimate()).toBeCloseTo(both.estimate(), 6);
		expect(both.add(99_900_000_000)).toBe(false);
	});
});

describe("the limit of a day", () => {
	const folder = temporaryFolder();
	const clock = settableClock(new Date("2026-11-20T22:00:00.000Z"));
	let database: TestDatabase;
	let registry: Registry;

	beforeAll(async () => {
		database = await openTestDatabase();
		const source = folder.write("registry.txt", toText(entries(2_400)));
		registry = await openOn(database.sql, source, { clock });
	});
	afterAll(async () => {
		await registry.close();
		await database.close();
		folder.remove();
	});

	const SEARCH = "/v1/authority/document:search?field=name&q=COMERCIAL&limit=100";
	const search = (principal: Principal, after = "") => send(registry, "GET", `${SEARCH}${after}`, { principal });
	const match = (principal: Principal) => {
		const body = { names: ["COMERCIAL NUMERO 7 SRL"] };
		return send(registry, "POST", "/v1/authority/document:match", { body, principal });
	};
	const suggest = (principal: Principal, q: string) =>
		send(registry, "GET", `/v1/authority/document:suggest?limit=10&q=${q}`, { principal });
	const refusal = async (answer: Promise<Response>): Promise<Problem> => {
		const error = await answer.catch((one: unknown) => one);
		if (!(error instanceof Problem)) throw new Error(`expected a problem, got ${error}`);
		return error;
	};
	/** Pages through everything; returns how many entries were shown. */
	const harvest = async (principal: Principal): Promise<number> => {
		let [shown, after] = [0, ""];
		for (;;) {
			const answer = await search(principal, after).catch(() => undefined);
			if (!answer) return shown;
			const { count, next } = await bodyOf<{ count: number; next?: string }>(answer);
			shown += count;
			if (next === undefined) return shown;
			after = `&after=${next}`;
		}
	};

	test("ends searches and matches, by either path, until the next day", async () => {
		const shown = await harvest(as());
		expect(shown).toBeGreaterThan(1_900);
		expect(shown).toBeLessThan(2_300);
		const problem = await refusal(search(as()));
		expect([problem.slug, problem.extensions.maximum]).toEqual(["registry-harvest-limit", 2_000]);
		expect(problem.headers).toMatchObject({ "retry-after": "7200", "cache-control": "no-store" });
		expect((await refusal(match(as()))).slug).toBe("registry-harvest-limit");
		expect((await refusal(suggest(as(), "comercial"))).slug).toBe("registry-harvest-limit");
		const atOnce = registry.operations.find(({ id }) => id === "searchDocuments")?.answerAtOnce;
		const query = "field=name&q=COMERCIAL&limit=5";
		expect(atOnce?.(query, null, as())).toBeUndefined();
		expect(atOnce?.(query, null, as({ plan: "business" }))).toBeDefined();
		expect(atOnce?.(query, null, as({ ownerId: database.url }))).toBeDefined();
		expect((await search(as({ ownerId: "another" }))).status).toBe(200);
		expect((await send(registry, "GET", "/v1/authority/document/990000007", { principal: as() })).status).toBe(200);
		clock.advanceSeconds(DAY_SECONDS);
		expect((await search(as())).status).toBe(200);
	});

	test("counts pages of the fast path, and each address behind the demo key", async () => {
		const atOnce = registry.operations.find(({ id }) => id === "searchDocuments")?.answerAtOnce;
		const caller = as({ ownerId: "fast" });
		let pages = 0;
		for (let hundred = 9_900_000; hundred < 9_900_024; hundred++) {
			if (atOnce?.(`field=document&q=${hundred}&limit=100`, null, caller)) pages++;
		}
		expect([pages > 18, pages < 23]).toEqual([true, true]);
		expect(atOnce?.("field=name&q=COMERCIAL", null, caller)).toBeUndefined();
		const shown = await harvest(as({ plan: "demo", ownerId: null }));
		expect([shown > 400, shown < 650]).toEqual([true, true]);
		expect(atOnce?.("field=name&q=COMERCIAL", null, as({ plan: "demo", ownerId: null }))).toBeUndefined();
	});

	test("counts suggestions", async () => {
		const caller = as({ ownerId: "typing" });
		let answers = 0;
		for (let ten = 0; ten < 240; ten++) {
			if ((await suggest(caller, `99000${String(ten).padStart(3, "0")}`).catch(() => undefined))?.status === 200)
				answers++;
		}
		expect([answers > 180, answers < 225]).toEqual([true, true]);
	});

	test("does not exist in a sandbox of one's own", async () => {
		expect(await harvest(as({ environment: "sandbox" }))).toBe(2_400);
	});

	test("is shared by processes and outlasts them, for the day", async () => {
		const other = connectAgain(database.url, "other process");
		const open = (sql: typeof other) => openHarvestLimit({ sql, clock, log: silentLog });
		const shared = as({ ownerId: "shared" });
		const show = (limit: ReturnType<typeof open>, from: number, count: number) => {
			const shown = limit.admitAtOnce(shared);
			if (shown === "refused" || !shown) return false;
			for (let key = from; key < from + count; key++) shown.add(key);
			return true;
		};
		const [a, b] = [open(database.sql), open(other)];
		expect([show(a, 0, 1_200), show(b, 1_200, 1_200)]).toEqual([true, true]);
		await a.share();
		expect(show(a, 0, 1)).toBe(true);
		await b.share();
		expect(show(b, 0, 1)).toBe(false);
		await Promise.all([a.close(), b.close()]);
		const restarted = open(other);
		expect(show(restarted, 5_000, 1)).toBe(true);
		await restarted.share();
		expect(show(restarted, 5_000, 1)).toBe(false);
		clock.advanceSeconds(DAY_SECONDS);
		expect(show(restarted, 0, 1)).toBe(true);
		await restarted.close();
		const days = await database.sql`select distinct day from registry_harvests`;
		expect(days).toHaveLength(1);
		await other.end();
	});
});
