/**
 * The documents of the authority as data: their elements in order, the types that carry them, how often they may occur, and the form of their texts.
 *
 * One table serves all six types. The writer follows it, so the order is always right and no document gets an element that its type does not carry.
 * The planner reads lengths, decimals and limits from it. The table covers the whole format, even what this service never fills, so that a test can
 * compare it with the authority's schemas.
 *
 * Source: the authority's e-CF format, October 2025, sections A to F; its RFCE format, version 1.0, for the summary.
 */
import { ECF_TYPES, type EcfType } from "../types";
import { ADJUSTMENTS, LINES, PAGES, REFERENCE, SUBTOTALS } from "./body";
import {
	ADDITIONAL_TAX,
	DATE,
	DATE_TIME,
	type Element,
	ENCF,
	element as e,
	exact,
	INCOME_TYPE,
	MANDATORY,
	oneOf,
	SECURITY_CODE,
	signed,
	TAXPAYER,
	text,
	VERSION,
} from "./element";
import { BUYER, IDENTIFICATION, ISSUER, OTHER_CURRENCY, SHIPMENT, TOTALS, TRANSPORT } from "./header";

const HEADER = e("Encabezado", MANDATORY, [
	e("Version", MANDATORY, VERSION),
	IDENTIFICATION,
	ISSUER,
	BUYER,
	SHIPMENT,
	TRANSPORT,
	TOTALS,
	OTHER_CURRENCY,
]);

/** The whole document. The Signature follows `FechaHoraFirma`. */
export const ECF = e("ECF", MANDATORY, [
	HEADER,
	LINES,
	SUBTOTALS,
	ADJUSTMENTS,
	PAGES,
	REFERENCE,
	e("FechaHoraFirma", MANDATORY, DATE_TIME),
]);

const carried = new Map(ECF_TYPES.map((type) => [type, new Set(namesOf(ECF, type))] as const));
/** Keyed by parent and element, because some names occur in several places. */
const byPath = new Map<string, Element>();
const charactersByName = new Map<string, number>();
const decimalsByName = new Map<string, number>();
index(ECF, ECF.name);

function* namesOf(element: Element, type: EcfType): Iterable<string> {
	if (!element.presence[type]) return;
	yield element.name;
	for (const child of element.children) yield* namesOf(child, type);
}

function index(element: Element, path: string): void {
	byPath.set(path, element);
	const { charactersMax: characters, decimals } = element.form ?? {};
	if (characters !== undefined) charactersByName.set(element.name, characters);
	if (decimals !== undefined) decimalsByName.set(element.name, decimals);
	for (const child of element.children) index(child, `${element.name}/${child.name}`);
}

/** True if e-CFs of the type have the element. */
export function carries(type: EcfType, element: string): boolean {
	return carried.get(type)?.has(element) ?? false;
}

/** Maximum length of the element's text in UTF-16 units. Throws a RangeError for an element without such a limit. */
export function charactersMax(element: string): number {
	return bound(element, charactersByName.get(element));
}

/** Maximum number of decimals of the element's number. Throws a RangeError for an element that is not a number. */
export function decimalsMax(element: string): number {
	return bound(element, decimalsByName.get(element));
}

/** How often an element, given as `Parent/Element`, may occur. */
export function mostOf(type: EcfType, element: string): number {
	return bound(element, byPath.get(element)?.most(type));
}

function bound(element: string, value: number | undefined): number {
	if (value === undefined) throw new RangeError(`expected an element with such a limit, got ${element}`);
	return value;
}

const OTHER_TAX = e(
	"ImpuestoAdicional",
	{ 32: "O" },
	[
		e("TipoImpuesto", { 32: "C" }, ADDITIONAL_TAX),
		e("MontoImpuestoSelectivoConsumoEspecifico", { 32: "C" }, exact()),
		e("MontoImpuestoSelectivoConsumoAdvalorem", { 32: "C" }, exact()),
		e("OtrosImpuestosAdicionales", { 32: "C" }, exact()),
	],
	20,
);

export const RFCE = e("RFCE", { 32: "M" }, [
	e("Encabezado", { 32: "M" }, [
		e("Version", { 32: "M" }, VERSION),
		e("IdDoc", { 32: "M" }, [
			e("TipoeCF", { 32: "M" }, oneOf("32")),
			e("eNCF", { 32: "M" }, ENCF),
			e("TipoIngresos", { 32: "M" }, INCOME_TYPE),
			e("TipoPago", { 32: "M" }, oneOf("1", "2", "3")),
			e("TablaFormasPago", { 32: "O" }, [
				e(
					"FormaDePago",
					{ 32: "O" },
					[
						e("FormaPago", { 32: "O" }, oneOf("1", "2", "3", "4", "5", "6", "7", "8")),
						e("MontoPago", { 32: "O" }, exact()),
					],
					7,
				),
			]),
		]),
		e("Emisor", { 32: "M" }, [
			e("RNCEmisor", { 32: "M" }, TAXPAYER),
			e("RazonSocialEmisor", { 32: "M" }, text(150)),
			e("FechaEmision", { 32: "M" }, DATE),
		]),
		e("Comprador", { 32: "M" }, [
			e("RNCComprador", { 32: "O" }, TAXPAYER),
			e("IdentificadorExtranjero", { 32: "O" }, text(20)),
			e("RazonSocialComprador", { 32: "O" }, text(150)),
		]),
		e("Totales", { 32: "M" }, [
			e("MontoGravadoTotal", { 32: "C" }, exact()),
			e("MontoGravadoI1", { 32: "C" }, exact()),
			e("MontoGravadoI2", { 32: "C" }, exact()),
			e("MontoGravadoI3", { 32: "C" }, exact()),
			e("MontoExento", { 32: "C" }, exact()),
			e("TotalITBIS", { 32: "C" }, exact()),
			e("TotalITBIS1", { 32: "C" }, exact()),
			e("TotalITBIS2", { 32: "C" }, exact()),
			e("TotalITBIS3", { 32: "C" }, exact()),
			e("MontoImpuestoAdicional", { 32: "C" }, exact()),
			e("ImpuestosAdicionales", { 32: "C" }, [OTHER_TAX]),
			e("MontoTotal", { 32: "M" }, exact()),
			e("MontoNoFacturable", { 32: "C" }, signed(2)),
			e("MontoPeriodo", { 32: "O" }, signed(2)),
		]),
		e("CodigoSeguridadeCF", { 32: "M" }, SECURITY_CODE),
	]),
]);
