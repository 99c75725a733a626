/** The judge alone, with a settable clock, simulated calls and the state after each second. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Facts, judge } from "../../../src/authority/status/judge";
import { type CallRow, summarise } from "../../../src/authority/status/measured";
import type { Condition, StatusService } from "../../../src/authority/status/status";

const START = Date.parse("2026-11-20T14:00:00.000Z");

type Change = Partial<Pick<Facts, "breaker" | "declared" | "windows" | "hasFcHost">>;

/** One process that makes calls, and a judge that runs each second. */
function openWorld(over: Change = {}) {
	let nowMs = START;
	const facts = { breaker: "closed" as Facts["breaker"], declared: {}, windows: [], hasFcHost: false, ...over };
	const rows = new Map<string, CallRow>();
	let condition: Condition = { status: "unknown", since: new Date(START), contingency: false, services: [] };
	const statuses: string[] = [];
	const world = {
		call(service: StatusService, isOk: boolean, beganAgoMs = 0) {
			const minute = new Date(Math.floor(nowMs / 60_000) * 60_000);
			const key = `${service} ${minute.getTime()}`;
			const last = [...rows.values()].findLast((row) => row.service === service);
			const own = rows.get(key) ?? { ...EMPTY, ...pickStreak(last), segment: "ecf", service, minute };
			const latencies = isOk ? [...own.latencies, 30, 1] : own.latencies;
			const at = new Date(nowMs - (isOk ? 0 : beganAgoMs));
			rows.delete(key);
			rows.set(key, {
				...{ ...own, calls: own.calls + 1, failures: own.failures + (isOk ? 0 : 1), latencies },
				okInRow: isOk ? own.okInRow + 1 : 0,
				failuresInRow: isOk ? 0 : own.failuresInRow + 1,
				...(isOk ? { lastOkAt: at } : { lastFailureAt: at }),
			});
		},
		/** A second passes, and the judge runs. */
		look(change: Change = {}) {
			nowMs += 1_000;
			Object.assign(facts, change);
			const from = nowMs - 360_000;
			const own = (service: StatusService) =>
				[...rows.values()].filter((row) => row.service === service && row.minute.getTime() > from);
			condition = judge(condition, {
				...{ ...facts, now: new Date(nowMs) },
				measured: (service, backAt) => summarise(own(service), backAt),
			});
			if (statuses.at(-1) !== condition.status) statuses.push(condition.status);
			return condition;
		},
		/** That many seconds with these calls in each. */
		run(seconds: number, calls: Partial<Record<StatusService, boolean>>) {
			for (let i = 0; i < seconds; i++) {
				for (const [service, isOk] of Object.entries(calls)) world.call(service as StatusService, isOk);
				world.look();
			}
			return condition;
		},
		statusOf: (name: StatusService) => condition.services.find((one) => one.name === name)?.status,
		now: () => new Date(nowMs),
		statuses,
	};
	return world;
}

const EMPTY = {
	...{ process: "p", calls: 0, failures: 0, latencies: [], okInRow: 0, failuresInRow: 0 },
	...{ lastOkAt: null, lastFailureAt: null },
};
const pickStreak = (row: CallRow | undefined) =>
	row && {
		...{ okInRow: row.okInRow, failuresInRow: row.failuresInRow },
		...{ lastOkAt: row.lastOkAt, lastFailureAt: row.lastFailureAt },
	};

describe("the host", () => {
	test("is unknown until its first sign of life, as are its services without calls", () => {
		const world = openWorld();
		expect(world.look().status).toBe("unknown");
		world.run(1, { authentication: true });
		expect([world.statusOf("reception"), world.look().status]).toEqual(["operational", "operational"]);
	});

	test("is away after its second failure, and back after its second good answer", () => {
		const world = openWorld();
		world.run(5, { authentication: true, reception: true });
		expect(world.run(1, { authentication: false, reception: false }).status).toBe("operational");
		expect(world.run(1, { authentication: false, reception: false })).toMatchObject({
			...{ status: "outage", contingency: true, since: world.now() },
		});
		world.run(30, { authentication: false, reception: false });
		expect(world.statusOf("result")).toBe("outage");
		expect(world.run(1, { authentication: true }).status).toBe("outage");
		expect(world.run(2, { authentication: true })).toMatchObject({ status: "operational", contingency: false });
		expect(world.statuses).toEqual(["operational", "outage", "operational"]);
	});

	test("that comes back is not blamed for calls which began while it was away", () => {
		const world = openWorld();
		world.run(5, { authentication: true });
		world.run(12, { authentication: false, reception: false });
		world.run(4, { authentication: true });
		world.call("reception", false, 10_000);
		expect([world.look().status, world.statusOf("reception")]).toEqual(["operational", "operational"]);
	});

	test("has to hold longer after repeated outages", () => {
		const world = openWorld();
		const secondsToReturn = () => {
			world.run(5, { authentication: false });
			for (let seconds = 1; seconds <= 120; seconds++)
				if (world.run(1, { authentication: true }).status === "operational") return seconds;
			return Number.POSITIVE_INFINITY;
		};
		world.run(5, { authentication: true });
		const taken = [1, 2, 3, 4, 5].map(secondsToReturn);
		for (const seconds of taken.slice(0, 3)) expect(seconds).toBeLessThanOrEqual(6);
		expect(taken[3]).toBeGreaterThanOrEqual(9);
		expect(taken[4]).toBeGreaterThanOrEqual(15);
	});

	test("is unknown when it has not been probed for minutes", () => {
		const world = openWorld();
		world.run(2, { authentication: true });
		expect(world.run(140, {}).status).toBe("operational");
		expect(world.run(15, {}).status).toBe("unknown");
	});
});

describe("a service", () => {
	test("is away after five failures in a row while its host is not", () => {
		const world = openWorld();
		world.run(10, { authentication: true, reception: true });
		world.run(4, { authentication: true, reception: false });
		expect(world.statusOf("reception")).toBe("degraded");
		expect(world.run(1, { authentication: true, reception: false })).toMatchObject({
			...{ status: "outage", contingency: true },
		});
		expect([world.statusOf("authentication"), world.statusOf("result")]).toEqual(["operational", "operational"]);
		expect(world.run(3, { authentication: true, reception: true }).contingency).toBe(false);
	});

	test("that issuing does not need only degrades the overall state", () => {
		const world = openWorld();
		world.run(10, { authentication: true, "track-ids": false });
		expect(world.statusOf("track-ids")).toBe("outage");
		expect(world.look()).toMatchObject({ status: "degraded", contingency: false });
	});

	test("is degraded at one failure in five, until it is twice as good as required", () => {
		const world = openWorld();
		world.run(2, { authentication: true });
		for (let i = 0; i < 10; i++) {
			world.run(4, { authentication: true, reception: true });
			world.run(1, { authentication: true, reception: false });
		}
		expect(world.statusOf("reception")).toBe("degraded");
		expect(world.look()).toMatchObject({ status: "degraded", contingency: false });
		world.run(400, { authentication: true, reception: true });
		expect(world.statuses).toEqual(["operational", "degraded", "operational"]);
	});

	test("at the host of summaries is unknown without calls, or follows a shared host", () => {
		const apart = openWorld({ hasFcHost: true });
		apart.run(3, { authentication: true });
		expect([apart.statusOf("summary-reception"), apart.look().status]).toEqual(["unknown", "operational"]);
		const together = openWorld();
		together.run(3, { authentication: true });
		expect(together.statusOf("summary-reception")).toBe("operational");
	});

	test("of reception is degraded, and documents are in contingency, with an open breaker", () => {
		const world = openWorld();
		world.run(5, { authentication: true, reception: true });
		expect(world.look({ breaker: "half-open" })).toMatchObject({ status: "degraded", contingency: true });
		expect(world.look({ breaker: "closed" })).toMatchObject({ status: "operational", contingency: false });
	});
});

describe("what is declared", () => {
	const window = { from: "2026-11-20T14:00:00.000Z", to: "2026-11-20T14:01:00.000Z" };

	test("turns an outage into maintenance in a window, except for answering services", () => {
		const world = openWorld({ windows: [window] });
		world.run(3, { authentication: true, reception: true, result: true });
		expect(world.statusOf("reception")).toBe("operational");
		world.run(20, { authentication: false, reception: false, result: false });
		expect([world.look().status, world.look().contingency]).toEqual(["maintenance", true]);
		world.run(40, { authentication: false, reception: false, result: false });
		expect(world.look().status).toBe("outage");
	});

	test("counts for services without calls, while it is fresh", () => {
		const world = openWorld();
		world.run(3, { authentication: true });
		const declared = { checkedAt: world.now().toISOString(), services: { approval: "No Disponible" as const } };
		world.look({ declared });
		expect([world.statusOf("approval"), world.look().status]).toEqual(["outage", "degraded"]);
		world.run(310, { authentication: true });
		expect(world.statusOf("approval")).toBe("operational");
	});

	test("is not believed against calls that are answered", () => {
		const world = openWorld({
			...{ declared: { checkedAt: new Date(START).toISOString(), services: { reception: "No Disponible" } } },
		});
		world.run(5, { authentication: true, reception: true });
		expect(world.statusOf("reception")).toBe("operational");
	});
});

test("changes at most every few seconds in any order of answers and failures", () => {
	fc.assert(
		fc.property(fc.array(fc.boolean(), { minLength: 30, maxLength: 240 }), (answers) => {
			const world = openWorld();
			for (const isOk of answers) world.run(1, { authentication: isOk, reception: isOk });
			// After the first three outages, each recovery takes at least ten seconds.
			expect(world.statuses.filter((status) => status === "outage").length).toBeLessThanOrEqual(
				4 + Math.ceil(answers.length / 10),
			);
			world.run(80, { authentication: true, reception: true, result: true });
			expect(["operational", "degraded"]).toContain(world.look().status);
			world.run(3, { authentication: false });
			expect(world.look().status).toBe("outage");
		}),
		{ numRuns: 60 },
	);
});
