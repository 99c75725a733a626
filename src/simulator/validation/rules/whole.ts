/** Redundant statements agree: rates and bases, the other currency and its rate, pages and their number. */
import { Decimal } from "../../../platform/values";
import { amountAt, type Ecf, type Finding, grave, mild } from "../ecf";
import { invalidField } from "../judgement";
import { childrenNamed, elementAt, textAt } from "../read-document";
import { isWithin, LINE_TOLERANCE, linesOf } from "./amounts";

/** Indicators that all lines of a type have: exempt, or at 0 %. */
const ONLY_INDICATOR: Readonly<Record<string, string>> = { "43": "4", "44": "4", "46": "3", "47": "4" };
const NOT_BILLED = "0";
/** As they are called in pesos. */
const FOREIGN_AMOUNTS = [
	...["MontoGravadoTotal", "MontoGravadoI1", "MontoGravadoI2", "MontoGravadoI3", "MontoExento"],
	...["TotalITBIS", "TotalITBIS1", "TotalITBIS2", "TotalITBIS3", "MontoImpuestoAdicional", "MontoTotal"],
];
const CENT = Decimal.of("0.01");

/** A rate occurs exactly where its base does. A summary has no rates. */
export function checkRates(ecf: Ecf): Finding[] {
	const totals = elementAt(ecf.root, "Encabezado/Totales");
	if (ecf.channel === "fc" || !totals) return [];
	return ["1", "2", "3"].flatMap((k) => {
		const hasRate = textAt(totals, `ITBIS${k}`) !== undefined;
		const hasBase = textAt(totals, `MontoGravadoI${k}`) !== undefined;
		if (hasRate === hasBase) return [];
		return [grave(invalidField("0", { field: `ITBIS${k}`, area: "Totales", section: "Encabezado" }))];
	});
}

/** Types without ITBIS, and exports at 0 %, have lines of one kind. */
export function checkIndicators(ecf: Ecf): Finding[] {
	const only = ONLY_INDICATOR[ecf.type];
	if (only === undefined) return [];
	return linesOf(ecf.root).flatMap((item) => {
		// Items that are not billed have no tax, and are no part of the totals.
		const indicator = textAt(item, "IndicadorFacturacion");
		if (indicator === only || indicator === NOT_BILLED) return [];
		const line = textAt(item, "NumeroLinea") ?? "";
		return [grave(invalidField("0", { field: "IndicadorFacturacion", area: "Item", section: "DetallesItems", line }))];
	});
}

/** Currency and rate occur together, and each foreign amount, of a line or a sum, is the peso amount at the rate. */
export function checkOtherCurrency(ecf: Ecf): Finding[] {
	const block = elementAt(ecf.root, "Encabezado/OtraMoneda");
	if (!block) return [];
	const place = { area: "OtraMoneda", section: "Encabezado" };
	const missing = ["TipoMoneda", "TipoCambio"].filter((field) => textAt(block, field) === undefined);
	if (missing.length > 0) return missing.map((field) => grave(invalidField("0", { field, ...place })));
	const rate = amountAt(block, "TipoCambio");
	const tolerance = Decimal.of(String(linesOf(ecf.root).length)).plus(rate.times(CENT));
	const lines = linesOf(ecf.root).flatMap((item) => {
		const foreign = "OtraMonedaDetalle/MontoItemOtraMoneda";
		if (textAt(item, foreign) === undefined) return [];
		const off = LINE_TOLERANCE.plus(rate.times(CENT));
		if (isWithin(amountAt(item, foreign).times(rate), amountAt(item, "MontoItem"), off)) return [];
		const line = textAt(item, "NumeroLinea") ?? "";
		const field = "MontoItemOtraMoneda";
		return [mild(invalidField("0", { field, area: "OtraMonedaDetalle", section: "DetallesItems", line }))];
	});
	const sums = FOREIGN_AMOUNTS.flatMap((name) => {
		const field = `${name.replace("GravadoI", "Gravado")}OtraMoneda`;
		if (textAt(block, field) === undefined) return [];
		const inPesos = amountAt(ecf.root, `Encabezado/Totales/${name}`);
		return isWithin(amountAt(block, field).times(rate), inPesos, tolerance)
			? []
			: [mild(invalidField("0", { field, ...place }))];
	});
	return [...lines, ...sums];
}

/** The page count is the number of pages, and their amounts add up to the total. */
export function checkPages(ecf: Ecf): Finding[] {
	const stated = textAt(ecf.root, "Encabezado/IdDoc/TotalPaginas");
	const block = elementAt(ecf.root, "Paginacion");
	const pages = block ? childrenNamed(block, "Pagina") : [];
	if (Number(stated ?? 0) !== pages.length) {
		return [grave(invalidField("0", { field: "TotalPaginas", area: "IdDoc", section: "Encabezado" }))];
	}
	if (pages.length === 0) return [];
	const sum = Decimal.sum(pages.map((page) => amountAt(page, "MontoSubtotalPagina")));
	if (isWithin(sum, ecf.total, Decimal.of(String(linesOf(ecf.root).length)))) return [];
	return [mild(invalidField("0", { field: "MontoSubtotalPagina", area: "Pagina", section: "Paginacion" }))];
}
