/** The catalogue's lists, and which events an endpoint's patterns include. */
import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import {
	EVENT_NAMES,
	EVENT_PATTERNS,
	EVENTS,
	EXTRA_EVENTS,
	SPECIFIED_EVENTS,
	wantsEvent,
} from "../../../src/events/catalogue";

test("each pattern includes some event, and each event has a pattern", () => {
	for (const pattern of EVENT_PATTERNS) {
		expect([pattern, EVENT_NAMES.some((name) => wantsEvent([pattern], name))]).toEqual([pattern, true]);
	}
	for (const name of EVENT_NAMES) expect(EVENT_PATTERNS).toContain(name);
	expect(new Set(EVENT_PATTERNS).size).toBe(EVENT_PATTERNS.length);
});

test.each(EVENTS.map(({ name, schema, example }) => [name, schema, example] as const))(
	"the example of %s has its name and fits its schema",
	(name, schema, example) => {
		expect(example.event).toBe(name);
		expect([...Value.Errors(schema, example)]).toEqual([]);
	},
);

test("wildcards mean the specification's events; others need name or family", () => {
	for (const name of SPECIFIED_EVENTS) {
		for (const pattern of [name, "invoice.*", "*"])
			expect([pattern, wantsEvent([pattern], name)]).toEqual([pattern, true]);
		expect(wantsEvent(["certificate.*", "invoice", "invoice.accept"], name)).toBe(false);
	}
	for (const name of EXTRA_EVENTS) {
		expect([name, wantsEvent(["*", "invoice.*", ...SPECIFIED_EVENTS], name)]).toEqual([name, false]);
		expect([name, wantsEvent(["invoice.*", name], name)]).toEqual([name, true]);
	}
	expect(wantsEvent(["certificate.*"], "certificate.expired")).toBe(true);
	expect(wantsEvent([], "invoice.accepted")).toBe(false);
});
