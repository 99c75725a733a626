/** Codes of the service that the operators' pages show by words. */
import { expect, test } from "bun:test";
import { SERVICE_NAMES } from "../../../../../src/authority/status/status";
import { frameWords } from "../../../../../src/console/web/app/words";
import { words } from "../../../../../src/console/web/pages/operator/words";
import { PLANS } from "../../../../../src/platform/operation";
import { OUTBOX_KINDS } from "../../../../../src/platform/outbox";

test("all kinds of work, services of the authority and plans have words", () => {
	const keysOf = (texts: object, prefix: string) =>
		Object.keys(texts).flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
	expect(keysOf(words.es, "kind_").toSorted()).toEqual(Object.values(OUTBOX_KINDS).toSorted());
	expect(keysOf(words.es, "service_")).toEqual([...SERVICE_NAMES]);
	expect(keysOf(frameWords.es, "plan_").toSorted()).toEqual([...PLANS].toSorted());
});
