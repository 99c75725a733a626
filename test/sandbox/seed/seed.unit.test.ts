/** What made-up documents are, whatever the company. */
import { expect, test } from "bun:test";
import { compose } from "../../../src/sandbox/seed/seed";

const [PARTY, BUYER] = [
	{ rnc: "990000131", name: "EMPRESA DE DEMOSTRACION SRL" },
	{ rnc: "990000002", name: "CLIENTE SRL" },
];

test("many documents have every type and every outcome, and the same id gives the same", () => {
	const of = (id: string) => compose({ documents: 400, id, today: "2026-11-20", company: PARTY, buyers: [BUYER] });
	const composed = of("a");
	expect(new Set(composed.map(({ invoice }) => invoice.type))).toEqual(new Set(["31", "32", "44"]));
	expect(new Set(composed.map(({ scenario }) => scenario))).toEqual(
		new Set(["accept", "reject", "release", "conditional", "silent"]),
	);
	expect(of("a")).toEqual(composed);
	expect(of("b")).not.toEqual(composed);
});
