/** Rules that no request can break, because of how documents are made; read back from what was written. */
import { expect, test } from "bun:test";
import { DOMParser, type Element } from "@xmldom/xmldom";
import { randomInvoice } from "../../../scripts/random/random-invoice";
import { planEcf, writeEcf } from "../../../src/ecf/mapping";
import { Decimal, daysBetween } from "../../../src/platform/values";
import { onError } from "../../ecf/signing/fits-table";
import { toInput } from "../../ecf/signing/samples";

const documents = Array.from({ length: 240 }, (_, number) => {
	const invoice = randomInvoice(3, number);
	const xml = invoice.lines.length > 100 ? undefined : writeEcf(planEcf(toInput(invoice)));
	const root = xml === undefined ? null : new DOMParser({ onError }).parseFromString(xml, "text/xml").documentElement;
	return root ? [{ type: invoice.type, root }] : [];
}).flat();

const all = (element: Element, name: string) => Array.from(element.getElementsByTagName(name));
const text = (element: Element, name: string) => all(element, name)[0]?.textContent ?? undefined;
const amount = (element: Element, name: string) => Decimal.of(text(element, name) ?? "0");
const sum = (element: Element, ...names: string[]) =>
	Decimal.sum(names.flatMap((name) => all(element, name)).map((one) => Decimal.of(one.textContent ?? "0")));
const totals = (root: Element) => all(root, "Totales")[0] ?? root;

test("176: every document that may say whether prices include ITBIS says so", () => {
	for (const { type, root } of documents) {
		const indicator = text(root, "IndicadorMontoGravado");
		expect([type, indicator === undefined, ["0", "1", undefined].includes(indicator)]).toEqual([
			type,
			type === "44",
			true,
		]);
	}
});

test("1920 and 3205: the header's sums are those of its parts", () => {
	for (const { root } of documents) {
		const header = totals(root);
		const taxed = sum(header, "MontoGravadoI1", "MontoGravadoI2", "MontoGravadoI3");
		expect(amount(header, "MontoGravadoTotal").equals(taxed)).toBe(true);
		const parts = sum(header, "MontoGravadoTotal", "MontoExento", "TotalITBIS", "MontoImpuestoAdicional");
		expect(amount(header, "MontoTotal").equals(parts)).toBe(true);
		expect(amount(header, "TotalITBIS").equals(sum(header, "TotalITBIS1", "TotalITBIS2", "TotalITBIS3"))).toBe(true);
	}
});

test("2020 and 2030: a line's discount and surcharge equal the sum of their tables", () => {
	let seen = 0;
	for (const { root } of documents) {
		for (const item of all(root, "Item")) {
			for (const [total, table, part] of [
				["DescuentoMonto", "TablaSubDescuento", "MontoSubDescuento"],
				["RecargoMonto", "TablaSubRecargo", "MontoSubRecargo"],
			] as const) {
				expect(all(item, total).length).toBe(all(item, table).length);
				expect(amount(item, total).equals(sum(item, part))).toBe(true);
				seen += all(item, total).length;
			}
		}
	}
	expect(seen).toBeGreaterThan(50);
});

test("260: every line of a 41 states what is withheld, even 0.00", () => {
	for (const { root } of documents.filter(({ type }) => type === "41")) {
		for (const item of all(root, "Item")) {
			expect(text(item, "IndicadorAgenteRetencionoPercepcion")).toBe("1");
			expect([text(item, "MontoITBISRetenido"), text(item, "MontoISRRetenido")]).not.toContain(undefined);
		}
	}
});

test("156: a credit note is late when its original is more than thirty days older", () => {
	const iso = (date = "") => date.split("-").reverse().join("-");
	const seen = new Set<string>();
	for (const { root } of documents.filter(({ type, root }) => type === "34" && text(root, "FechaNCFModificado"))) {
		const days = daysBetween(iso(text(root, "FechaNCFModificado")), iso(text(root, "FechaEmision")));
		expect([days, text(root, "IndicadorNotaCredito")]).toEqual([days, days > 30 ? "1" : "0"]);
		seen.add(text(root, "IndicadorNotaCredito") ?? "");
	}
	expect([...seen].sort()).toEqual(["0", "1"]);
});

test("a rate of ITBIS has its base; special-regime lines are exempt or not billed", () => {
	for (const { type, root } of documents) {
		const header = totals(root);
		for (const [indicator, rate] of [
			[1, "18"],
			[2, "16"],
			[3, "0"],
		] as const) {
			const isUsed = text(header, `MontoGravadoI${indicator}`) !== undefined;
			expect(text(header, `ITBIS${indicator}`)).toBe(isUsed ? rate : undefined);
		}
		if (type !== "44") continue;
		for (const item of all(root, "Item")) expect(["0", "4"]).toContain(text(item, "IndicadorFacturacion") ?? "");
	}
});

test("a foreign amount is the peso amount at the rate, and a currency has its rate", () => {
	let seen = 0;
	for (const { root } of documents) {
		expect(all(root, "TipoMoneda").length).toBe(all(root, "TipoCambio").length);
		if (all(root, "TipoCambio").length === 0) continue;
		const rate = amount(root, "TipoCambio");
		// Amounts sent in the currency are exact there, and each of their peso lines and sums is rounded.
		const off = amount(root, "MontoTotalOtraMoneda")
			.minus(amount(totals(root), "MontoTotal").dividedBy(rate, 2))
			.abs();
		expect(off.compare(Decimal.of("0.01").times(Decimal.of(String(all(root, "Item").length + 4))))).toBeLessThanOrEqual(
			0,
		);
		for (const item of all(root, "Item")) {
			expect(text(item, "MontoItemOtraMoneda")).toBe(amount(item, "MontoItem").dividedBy(rate, 2).toFixed(2));
		}
		seen++;
	}
	expect(seen).toBeGreaterThan(20);
});

test("a document adjustment names one rate, and a percentage has its amount", () => {
	for (const { root } of documents) {
		for (const entry of all(root, "DescuentoORecargo")) {
			expect(text(entry, "IndicadorFacturacionDescuentooRecargo")).toMatch(/^[1-4]$/);
			expect(text(entry, "MontoDescuentooRecargo")).toBeDefined();
			expect(text(entry, "ValorDescuentooRecargo") !== undefined).toBe(text(entry, "TipoValor") === "%");
		}
	}
});
