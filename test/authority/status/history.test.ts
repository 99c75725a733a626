import { expect, test } from "bun:test";
import { type CurrentStatus, type StatusChanges, toHistory } from "../../../src/authority/status";

const NOW = new Date("2026-11-20T14:20:00.000Z");
const at = (time: string) => new Date(`2026-11-20T${time}:00.000Z`);

const seen = (since: Date): CurrentStatus => ({
	...{ status: "operational", since, contingency: false, authorityEnvironment: "test", services: [] },
	...{ breaker: "closed", declared: {}, windows: [], updatedAt: NOW },
});

function overall(past: StatusChanges, since: Date): string[] {
	const { services } = toHistory(past, seen(since), NOW);
	return [...(services[0]?.states ?? [])];
}

test("a quarter of an hour shows its worst state, and the current state lasts on", () => {
	const past: StatusChanges = new Map([
		[
			"overall",
			[
				{ at: new Date("2026-11-18T00:00:00.000Z"), status: "operational" },
				{ at: at("13:50"), status: "outage" },
				{ at: at("13:52"), status: "operational" },
				{ at: at("14:05"), status: "degraded" },
			],
		],
	]);
	const states = overall(past, at("14:10"));
	expect(states).toHaveLength(96);
	// 13:30, 13:45, 14:00 and 14:15, which is now.
	expect(states.slice(-4)).toEqual(["operational", "outage", "degraded", "operational"]);
	expect(new Set(states.slice(0, -4))).toEqual(new Set(["operational"]));
});

test("nothing is known before the first known state", () => {
	const states = overall(new Map(), at("14:00"));
	expect(states.slice(-3)).toEqual(["unknown", "operational", "operational"]);
});

test("a change at the very beginning of a step is the step's", () => {
	const past: StatusChanges = new Map([["overall", [{ at: at("13:45"), status: "outage" }]]]);
	expect(overall(past, at("14:00")).slice(-4)).toEqual(["unknown", "outage", "operational", "operational"]);
});
