import { describe, expect, test } from "bun:test";
import type { Reception } from "../../../../src/authority/simulator/store";
import { toEcf } from "../../../../src/authority/simulator/validation/ecf";
import { type ReadDocument, readDocument } from "../../../../src/authority/simulator/validation/read-document";
import { applyRules, type ReferenceLookup } from "../../../../src/authority/simulator/validation/rules";
import type { Road } from "../../../../src/authority/simulator/validation/structure";
import { BUYER, daysFromToday, ecf, summary } from "../support/documents";

const NOTHING: ReferenceLookup = { find: () => undefined, listNotesOn: () => [] };

function judge(xml: string, road: Road = "main", lookup = NOTHING) {
	const { root } = readDocument(new TextEncoder().encode(xml)) as ReadDocument;
	const { verdict, sequenceConsumed, messages } = applyRules(toEcf(root, road, "abcdefgh"), lookup, new Date());
	expect(sequenceConsumed).toBe(true);
	return { verdict, codes: messages.map((message) => message.code) };
}

const GOOD = { verdict: 1, codes: [] };

describe("consumer invoices go by the road of their amount:", () => {
	test("249,999.99 as a summary, 250,000.00 whole", () => {
		expect(judge(summary({ total: "249999.99" }), "fc")).toMatchObject(GOOD);
		expect(judge(summary({ total: "250000.00" }), "fc")).toMatchObject({ verdict: 2 });
		const whole = (total: string) => ecf({ type: "32", price: total }).replace(/(?<=<MontoTotal>)[^<]+/, total);
		expect(judge(whole("249999.99"))).toMatchObject({ verdict: 2 });
		expect(judge(ecf({ type: "32", price: "250000.00" }))).toMatchObject(GOOD);
	});

	test("a large one names its buyer", () => {
		expect(judge(ecf({ type: "32", price: "250000.00", buyer: null }))).toMatchObject({ verdict: 2 });
	});
});

describe("amounts", () => {
	test("of a line may be off by 1.00", () => {
		const line = (amount: string) => {
			const xml = ecf().replace("<MontoItem>100.00", `<MontoItem>${amount}`);
			return judge(xml).verdict;
		};
		expect([line("101.00"), line("99.00"), line("101.01"), line("98.99")]).toEqual([1, 1, 4, 4]);
	});

	test("of the document may be off by 1.00 for each line", () => {
		const total = (lines: number, amount: string) => judge(ecf({ lines, total: amount }));
		expect(total(1, "119.00")).toEqual(GOOD as ReturnType<typeof judge>);
		expect(total(1, "119.01")).toEqual({ verdict: 4, codes: ["3205"] });
		expect(total(3, "357.00")).toMatchObject(GOOD);
		expect(total(3, "357.01")).toMatchObject({ verdict: 4 });
	});

	test("of the bases follow the lines, the adjustments and whether prices include ITBIS", () => {
		const wrong = ecf().replace("<MontoGravadoI1>100.00", "<MontoGravadoI1>150.00");
		expect(judge(wrong)).toEqual({ verdict: 4, codes: ["1934", "0", "1920"] });
		const discount =
			"<DescuentosORecargos><DescuentoORecargo><NumeroLinea>1</NumeroLinea><TipoAjuste>D</TipoAjuste><MontoDescuentooRecargo>50.00</MontoDescuentooRecargo><IndicadorFacturacionDescuentooRecargo>1</IndicadorFacturacionDescuentooRecargo></DescuentoORecargo></DescuentosORecargos>";
		const discounted = ecf()
			.replace("</DetallesItems>", `</DetallesItems>${discount}`)
			.replace(/(?<=<MontoGravado(Total|I1)>)100.00/g, "50.00")
			.replace(/(?<=<TotalITBIS1?>)18.00/g, "9.00")
			.replace("<MontoTotal>118.00", "<MontoTotal>59.00");
		expect(judge(discounted)).toMatchObject(GOOD);
		const inclusive = ecf()
			.replace("<IndicadorMontoGravado>0", "<IndicadorMontoGravado>1")
			.replaceAll(/(?<=<(PrecioUnitarioItem|MontoItem)>)100.00/g, "118.00");
		expect(judge(inclusive)).toMatchObject(GOOD);
	});

	test("of a summary are added up too", () => {
		const off = summary().replace("<MontoExento>118.00", "<MontoExento>110.00");
		expect(judge(off, "fc")).toEqual({ verdict: 4, codes: ["3205"] });
	});
});

describe("fields", () => {
	test("a document with taxable items says whether prices include ITBIS: 176", () => {
		expect(judge(ecf({ priceIndicator: false }))).toEqual({ verdict: 2, codes: ["176"] });
	});

	test("every line of a 41 withholds, even 0.00: 260", () => {
		expect(judge(ecf({ type: "41" }))).toMatchObject(GOOD);
		expect(judge(ecf({ type: "41", withheld: null }))).toEqual({ verdict: 2, codes: ["260"] });
		const without = ecf({ type: "41", lines: 2 }).replaceAll(/<Retencion>.*?<\/Retencion>/g, "");
		expect(judge(without)).toEqual({ verdict: 2, codes: ["260", "260"] });
		const service = ecf({ type: "41" }).replace("<IndicadorBienoServicio>1", "<IndicadorBienoServicio>2");
		expect(judge(service)).toEqual({ verdict: 2, codes: ["260"] });
	});

	test("lines are numbered from one", () => {
		expect(judge(ecf({ lines: 2 }).replace("<NumeroLinea>2", "<NumeroLinea>3"))).toMatchObject({ verdict: 2 });
	});

	test("nothing is signed or issued in the future of UTC-4", () => {
		expect(judge(ecf({ signedAt: `${daysFromToday(1)} 23:59:59` }))).toMatchObject({ verdict: 2 });
		expect(judge(ecf({ issueDate: daysFromToday(2) }))).toMatchObject({ verdict: 2 });
	});
});

describe("notes", () => {
	const original = (particulars: Partial<Reception> = {}) => ({
		verdict: 1,
		issueDate: daysFromToday(0),
		buyerRnc: BUYER,
		foreignBuyer: null,
		total: "118.00",
		type: "31",
		...particulars,
	});
	const lookup = (found: object, notes: object[] = []): ReferenceLookup => ({
		find: (rnc, encf) => (rnc === "990000001" && encf === "E310000000001" ? (found as Reception) : undefined),
		listNotesOn: () => notes as Reception[],
	});
	const to = { encf: "E310000000001" };

	test.each(["33", "34"])("a %s of an accepted document is accepted", (type) => {
		for (const verdict of [1, 4] as const) {
			expect(judge(ecf({ type, reference: to }), "main", lookup(original({ verdict })))).toMatchObject(GOOD);
		}
	});

	test.each(["33", "34"])("a %s of an unknown or rejected document is rejected: 614", (type) => {
		expect(judge(ecf({ type, reference: to }))).toEqual({ verdict: 2, codes: ["614"] });
		const rejected = lookup(original({ verdict: 2 }));
		expect(judge(ecf({ type, reference: to }), "main", rejected)).toEqual({ verdict: 2, codes: ["614"] });
	});

	test("a document of another series is not looked for", () => {
		expect(judge(ecf({ type: "34", reference: { encf: "B0100000001" } }))).toMatchObject(GOOD);
	});

	test("another buyer is rejected: 615", () => {
		const other = lookup(original({ buyerRnc: "990000052" }));
		expect(judge(ecf({ type: "34", reference: to }), "main", other)).toEqual({ verdict: 2, codes: ["615"] });
	});

	test("another date is rejected: 634, and a wrong thirty-day indicator: 156", () => {
		const found = lookup(original({ issueDate: daysFromToday(-1) }));
		expect(judge(ecf({ type: "34", reference: to }), "main", found)).toEqual({ verdict: 2, codes: ["634"] });
		const indicator = (days: number, value: string) => {
			const date = daysFromToday(-days);
			const note = ecf({ type: "34", reference: { ...to, date, indicator: value } });
			return judge(note, "main", lookup(original({ issueDate: date }))).codes;
		};
		expect([indicator(30, "0"), indicator(31, "1"), indicator(30, "1"), indicator(31, "0")]).toEqual([
			[],
			[],
			["156"],
			["156"],
		]);
	});

	test("credit above the balance is rejected: 615", () => {
		const notes = [
			{ type: "33", total: "50.00" },
			{ type: "34", total: "50.01" },
		];
		const note = ecf({ type: "34", reference: to });
		expect(judge(note, "main", lookup(original(), notes))).toEqual({ verdict: 2, codes: ["615"] });
		expect(judge(note, "main", lookup(original(), notes.slice(0, 1)))).toMatchObject(GOOD);
	});

	test("an electronic document does not replace another: 613", () => {
		const note = ecf({ type: "34", reference: { ...to, code: "4" } });
		expect(judge(note, "main", lookup(original()))).toEqual({ verdict: 2, codes: ["613"] });
	});
});
