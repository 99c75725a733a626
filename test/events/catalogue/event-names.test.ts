/** What endpoints can ask for: all that can be told, and nothing else. */
import { expect, test } from "bun:test";
import { EVENT_PATTERNS } from "../../../src/events/catalogue/event-names";
import { EXTRA_EVENTS, SPECIFIED_EVENTS, wantsEvent } from "../../../src/events/endpoints";

const NAMES = [...SPECIFIED_EVENTS, ...EXTRA_EVENTS];

test("each pattern that is taken asks for some event, and each event can be asked for", () => {
	for (const pattern of EVENT_PATTERNS) {
		expect([pattern, NAMES.some((name) => wantsEvent([pattern], name))]).toEqual([pattern, true]);
	}
	for (const name of NAMES) expect(EVENT_PATTERNS).toContain(name);
	expect(new Set(EVENT_PATTERNS).size).toBe(EVENT_PATTERNS.length);
});
