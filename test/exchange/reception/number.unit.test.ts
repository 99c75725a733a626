/** Which of the documents under a number holds it. */
import { expect, test } from "bun:test";
import { type Copy, resolveNumber, UNPROVEN_MAX } from "../../../src/exchange/reception/number";

const AT = new Date("2026-11-20T12:00:00Z");
const EARLIER = new Date("2026-11-20T11:00:00Z");
const copy = (over: Partial<Copy> = {}): Copy => ({
	...{ id: "1", sha256: "aa", signer: "IDCDO-1", segment: "ecf", authorityStatus: "unknown", source: "peer" },
	receivedAt: EARLIER,
	...over,
});
const stranger = { sha256: "bb", signer: "IDCDO-2", segment: "ecf" } as const;
const kindOf = (
	copies: readonly Copy[],
	coming: Pick<Copy, "sha256" | "signer" | "segment"> = stranger,
	isBounded = true,
) => resolveNumber(copies, coming, { at: AT, isBounded }).kind;

test("another signer's document is stored beside one that is not yet accepted", () => {
	expect(kindOf([])).toBe("new");
	for (const authorityStatus of ["unknown", "not_found", "rejected"] as const) {
		expect([authorityStatus, kindOf([copy({ authorityStatus })])]).toEqual([authorityStatus, "new"]);
	}
	expect(kindOf([copy({ authorityStatus: "accepted" })])).toBe("duplicate");
});

test("a signer's second document is a duplicate unless the first was rejected", () => {
	const second = { ...stranger, signer: "IDCDO-1" };
	expect(kindOf([copy()], second)).toBe("duplicate");
	expect(kindOf([copy({ authorityStatus: "rejected" })], second)).toBe("new");
});

test("the same bytes are the same document, whatever else arrived", () => {
	const same = { ...stranger, sha256: "aa" };
	expect(
		resolveNumber([copy({ id: "7" }), copy({ sha256: "cc", authorityStatus: "accepted" })], same, {
			at: AT,
			isBounded: true,
		}),
	).toMatchObject({
		kind: "same",
		copy: { id: "7" },
	});
});

test("each of the authority's environments has its own numbers", () => {
	expect(kindOf([copy({ segment: "certecf", authorityStatus: "accepted" })])).toBe("new");
});

test("too many unproven documents in three days delay the next, but no import", () => {
	const many = Array.from({ length: UNPROVEN_MAX }, (_, i) => copy({ sha256: `c${i}`, signer: `IDCDO-9${i}` }));
	expect(kindOf(many)).toBe("full");
	expect(kindOf(many, stranger, false)).toBe("new");
	expect(kindOf(many.slice(1))).toBe("new");
	expect(kindOf(many.map((one) => ({ ...one, source: "import" })))).toBe("new");
	expect(kindOf(many.map((one) => ({ ...one, receivedAt: new Date("2026-11-17T11:59:59Z") })))).toBe("new");
});

test("one signer's rejected documents take one place and have their own limit", () => {
	const many = Array.from({ length: UNPROVEN_MAX }, (_, i) => copy({ sha256: `c${i}`, authorityStatus: "rejected" }));
	expect(kindOf(many)).toBe("new");
	expect(kindOf(many, { ...stranger, signer: "IDCDO-1" })).toBe("full");
});
