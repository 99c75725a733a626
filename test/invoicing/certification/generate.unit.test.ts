import { expect, test } from "bun:test";
import { ECF_TYPES } from "../../../src/ecf/mapping";
import { buildInvoice, NICHE_NAMES } from "../../../src/invoicing/certification/build-invoice";
import { COMPOSITION, composeSet, encfOf, START_MAX } from "../../../src/invoicing/certification/composition";
import { generateCases } from "../../../src/invoicing/certification/generate";
import type { TestSetRow } from "../../../src/invoicing/certification/test-set";
import { anIdentity } from "../../ecf/signing/samples";
import { makeIssuer, NOW, TENANT_ID } from "./support/company";

const set: TestSetRow = {
	...{ id: TENANT_ID, tenantId: TENANT_ID, environment: "sandbox", mode: "authority", status: "generating" },
	...{ types: [...ECF_TYPES], niche: "retail", startNumber: null, run: 1, runsMax: 5, failure: null, version: 1 },
	buyer: { rnc: "990000020", name: "PROVEEDOR DE PRUEBA SRL" },
	...{ createdAt: NOW, startedAt: NOW, completedAt: null, expiresAt: NOW },
};
const urls = {
	main: "https://authority.example",
	fc: "https://fc.authority.example",
	status: "https://authority.example",
};

const around = (niche: (typeof NICHE_NAMES)[number]) => ({
	...{ cases: composeSet(ECF_TYPES), niche, start: 1, today: "2026-11-21" },
	...{ company: { rnc: "990000001", name: "FERRETERIA EL PROGRESO SRL" }, buyer: set.buyer },
});

test("the set has the quantities that the authority asks for", () => {
	const count = (...kinds: string[]) =>
		COMPOSITION.filter(({ type, stage }) => kinds.includes(`${type}/${stage}`)).length;
	expect([
		count("31/1"),
		count("32/1"),
		count("32/3"),
		count("33/2"),
		count("34/2"),
		count("41/1"),
		count("44/1"),
	]).toEqual([4, 2, 4, 1, 2, 2, 2]);
	expect(COMPOSITION).toHaveLength(17);
});

test("a reduced set includes originals and keeps names and numbers of its cases", () => {
	expect(composeSet(["34"]).map(({ name }) => name)).toEqual(["E31-04", "E41-14", "E34-12", "E34-13"]);
	expect(composeSet(["33"]).map((one) => encfOf(one, 101))).toEqual(["E320000000105", "E330000000111"]);
	expect(encfOf({ type: "44", ordinal: 17 }, START_MAX)).toHaveLength(13);
});

test("in every trade all documents pass the checks, also of a strict company", async () => {
	const identity = await anIdentity();
	const deps = { authorityUrls: urls, openKey: () => identity };
	for (const niche of NICHE_NAMES) {
		const made = await generateCases(deps, { ...set, niche }, makeIssuer(), 1);
		if ("failure" in made) throw new Error(`${niche}: ${JSON.stringify(made.failure)}`);
		expect(made.cases.map(({ name }) => name)).toEqual(composeSet(ECF_TYPES).map(({ name }) => name));
		for (const { name, document } of made.cases) {
			const isSummary = composeSet(ECF_TYPES).some((one) => one.name === name && one.stage === 3);
			expect({ niche, name, kinds: document.documents.map(({ kind }) => kind) }).toEqual({
				...{ niche, name },
				kinds: isSummary ? ["ecf", "summary"] : ["ecf"],
			});
			expect(document.print.qrUrl).toContain(isSummary ? "/certecf/ConsultaTimbreFC" : "/certecf/ConsultaTimbre");
		}
	}
}, 120_000);

test("the peculiar cases are in it", () => {
	const invoices = new Map(COMPOSITION.map((one) => [one.name, buildInvoice(one, around("retail"))]));
	expect(invoices.get("E34-13")).toMatchObject({
		...{ totals: { grand_total: "0.00" }, reference: { encf: "E310000000004", code: 2 } },
	});
	expect(invoices.get("E33-11")?.reference?.encf).toBe("E320000000005");
	expect(invoices.get("E34-12")?.reference?.encf).toBe("E410000000014");
	expect(invoices.get("E31-03")).toMatchObject({ currency: "USD", exchange_rate: "62.5000" });
	expect(COMPOSITION.filter((one) => one.pricesIncludeTax).map(({ name }) => name)).toEqual(["E31-02"]);
	expect(invoices.get("E41-14")?.lines[0]?.withholding).toEqual({ itbis: "0.00", isr: "0.00" });
	expect(invoices.get("E41-15")?.lines[0]?.withholding).not.toEqual({ itbis: "0.00", isr: "0.00" });
});

test("what our own checks refuse makes no document at all, and says which case and why", async () => {
	const identity = await anIdentity();
	let signatures = 0;
	const openKey = () => {
		signatures++;
		return identity;
	};
	const made = await generateCases(
		{ authorityUrls: urls, openKey },
		{ ...set, buyer: { rnc: "12", name: "NADIE" } },
		makeIssuer(),
		1,
	);
	expect(made).toMatchObject({
		failure: { case: "E31-01", code: "invalid-rnc", fix: [], advice: [{ pointer: "/customer/rnc" }] },
	});
	const late = await generateCases({ authorityUrls: urls, openKey }, set, makeIssuer(), START_MAX + 1);
	expect(late).toMatchObject({ failure: { case: null, code: "sequence-exhausted" } });
	const expired = await generateCases({ authorityUrls: urls, openKey }, set, makeIssuer("production"), 1);
	expect(expired).toMatchObject({ failure: { case: "E31-01", code: "tenant-config-missing" } });
	expect(signatures).toBe(0);
});
