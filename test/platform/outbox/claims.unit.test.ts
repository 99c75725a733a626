import { expect, test } from "bun:test";
import { COALESCE_MS, createClaimWalk } from "../../../src/platform/outbox/claims";
import type { Claimed, ClaimedRow } from "../../../src/platform/outbox/store";

const REST_MAX_MS = 5_000;
const nothing: Claimed = { messages: [], hasMore: false, isContested: false, lastTenant: null, nextDueSeconds: null };
const message: ClaimedRow = {
	...{
		id: "m",
		kind: "work",
		tenantId: "a",
		subject: "s",
		payload: {},
		attempt: 1,
		failures: 0,
		ageSeconds: 0,
		owner: "o",
	},
};

function note(walk: ReturnType<typeof createClaimWalk>, claim: Partial<Claimed>, asked = { limit: 8, free: 8 }) {
	const reported = { ...nothing, ...claim };
	return walk.note(reported, { ...asked, atMs: performance.now(), restMaxMs: REST_MAX_MS });
}

test("a dispatcher that has found nothing rests as long as it may", () => {
	expect(note(createClaimWalk(), {})).toEqual({ restMs: REST_MAX_MS, hasMore: false });
});

test("it rests until the next message is due, and at least a millisecond", () => {
	const { restMs } = note(createClaimWalk(), { nextDueSeconds: 2 });
	expect(restMs).toBeGreaterThan(1_000);
	expect(restMs).toBeLessThanOrEqual(2_000);
	expect(note(createClaimWalk(), { nextDueSeconds: -3 }).restMs).toBe(1);
});

test("it continues at once beside another dispatcher or after a full claim", () => {
	expect(note(createClaimWalk(), { isContested: true }).restMs).toBe(COALESCE_MS);
	expect(note(createClaimWalk(), { messages: [message] }, { limit: 1, free: 4 }).restMs).toBe(COALESCE_MS);
	expect(note(createClaimWalk(), { messages: [message] }, { limit: 1, free: 1 }).restMs).toBe(REST_MAX_MS);
});

test("the next claim continues after the last tenant, and the walk ends", () => {
	const walk = createClaimWalk();
	expect(walk.afterTenant()).toBeNull();
	expect(note(walk, { lastTenant: "t" }).restMs).toBe(COALESCE_MS);
	expect(walk.afterTenant()).toBe("t");
	note(walk, {});
	expect(walk.afterTenant()).toBeNull();
});

test("the earliest due time of a walk ends the rest", () => {
	const walk = createClaimWalk();
	note(walk, { lastTenant: "t", nextDueSeconds: 1 });
	expect(note(walk, { nextDueSeconds: 3 }).restMs).toBeLessThanOrEqual(1_000);
	expect(note(walk, { nextDueSeconds: 3 }).restMs).toBeGreaterThan(2_000);
});

test("more due messages hold for the whole walk, which repeats if useful", () => {
	const walk = createClaimWalk();
	note(walk, { lastTenant: "t", hasMore: true, messages: [message] });
	expect(note(walk, {})).toEqual({ restMs: COALESCE_MS, hasMore: true });
	note(walk, { lastTenant: "t", hasMore: true });
	expect(note(walk, {})).toEqual({ restMs: REST_MAX_MS, hasMore: true });
	expect(note(walk, {}).hasMore).toBe(false);
});
