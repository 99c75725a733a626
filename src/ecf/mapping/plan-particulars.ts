/** Optional statements that go from one member of the request into one element of the header. */
import { msg } from "../../platform/problem";
import { isoToAuthorityDate } from "../../platform/values";
import { carries } from "../format";
import { type EcfType, profileOf } from "../types";
import { type Findings, fault, fitText } from "./findings";
import type { EcfInvoice } from "./invoice-request";
import { isPlaceCode } from "./places";
import { toFormatPhone } from "./plan-parties";

type Block = "IdDoc" | "Emisor" | "Comprador";
/** Texts by element, of the elements that the document states. */
export type PlannedParticulars = Readonly<Record<Block, Readonly<Record<string, string>>>>;

type Kind = "text" | "code" | "flag" | "date" | "place" | "phone";
/** Block, member that a type has or lacks as a whole, member within it, element, kind. */
type Particular = readonly [block: Block, member: string, within: string, element: string, kind: Kind];

const TABLE: readonly Particular[] = [
	["IdDoc", "/deferred", "", "IndicadorEnvioDiferido", "flag"],
	["IdDoc", "/all_inclusive", "", "IndicadorServicioTodoIncluido", "flag"],
	["IdDoc", "/payment/terms_text", "", "TerminoPago", "code"],
	["IdDoc", "/payment/account", "/type", "TipoCuentaPago", "code"],
	["IdDoc", "/payment/account", "/number", "NumeroCuentaPago", "text"],
	["IdDoc", "/payment/account", "/bank", "BancoPago", "text"],
	["IdDoc", "/period", "/from", "FechaDesde", "date"],
	["IdDoc", "/period", "/to", "FechaHasta", "date"],
	["Emisor", "/internal_number", "", "NumeroFacturaInterna", "text"],
	["Emisor", "/sales_zone", "", "ZonaVenta", "text"],
	["Emisor", "/sales_route", "", "RutaVenta", "text"],
	["Comprador", "/customer/contact", "", "ContactoComprador", "text"],
	["Comprador", "/customer/email", "", "CorreoComprador", "code"],
	["Comprador", "/customer/address", "/street", "DireccionComprador", "text"],
	["Comprador", "/customer/address", "/municipality_code", "MunicipioComprador", "place"],
	["Comprador", "/customer/address", "/province_code", "ProvinciaComprador", "place"],
	["Comprador", "/delivery", "/date", "FechaEntrega", "date"],
	["Comprador", "/delivery", "/contact", "ContactoEntrega", "text"],
	["Comprador", "/delivery", "/address", "DireccionEntrega", "text"],
	["Comprador", "/delivery", "/phone", "TelefonoAdicional", "phone"],
	["Comprador", "/order_date", "", "FechaOrdenCompra", "date"],
	["Comprador", "/customer/code", "", "CodigoInternoComprador", "text"],
];

/** With the names on the way to each value, which are not cut out again for each document. */
const PARTICULARS = TABLE.map(
	([block, member, within, element, kind]) =>
		({ block, member, pointer: member + within, names: (member + within).slice(1).split("/"), element, kind }) as const,
);

export function planParticulars(findings: Findings, type: EcfType, invoice: EcfInvoice): PlannedParticulars {
	const planned: Record<Block, Record<string, string>> = { IdDoc: {}, Emisor: {}, Comprador: {} };
	const refused = new Set<string>();
	for (const { block, member, pointer, names, element, kind } of PARTICULARS) {
		const value = valueAt(invoice, names);
		if (value === undefined || refused.has(member)) continue;
		if (!carries(type, element)) {
			refused.add(member);
			fault(findings, "not-allowed-for-type", member, msg`A ${profileOf(type).name} does not state this.`);
			continue;
		}
		const text = kind === "flag" ? "1" : read(findings, String(value).trim(), pointer, element, kind);
		if (text !== undefined) planned[block][element] = text;
	}
	return planned;
}

function read(findings: Findings, text: string, pointer: string, element: string, kind: Kind): string | undefined {
	switch (kind) {
		case "date":
			return isoToAuthorityDate(text);
		case "place":
			if (isPlaceCode(text)) return text;
			fault(findings, "place-unknown", pointer, msg`GET /v1/places does not have this code.`);
			return undefined;
		case "phone": {
			const phone = toFormatPhone(text);
			if (!phone) fault(findings, "phone-form", pointer, msg`Send a number with ten digits, such as 809-555-0101.`);
			return phone;
		}
		case "text":
			return fitText(findings, text, element, pointer);
		default:
			return text === "" ? undefined : text;
	}
}

function valueAt(invoice: EcfInvoice, names: readonly string[]): unknown {
	let value: unknown = invoice;
	for (const name of names) {
		value = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
	}
	return value;
}
