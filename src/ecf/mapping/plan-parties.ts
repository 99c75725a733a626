/** The issuer and the buyer, as `Emisor` and `Comprador` state them. */
import { msg } from "../../platform/problem";
import { parseTaxpayerDocument } from "../../platform/values";
import { carries, charactersMax } from "../format";
import { type EcfType, profileOf } from "../types";
import { cutText, type Findings, fault, fitText, newFindings, type Warning, warn } from "./findings";
import type { EcfInvoice, EcfIssuer } from "./invoice-request";
import { isPlaceCode } from "./places";
import { FORMAT_EMAIL } from "./request-parts";

export type PlannedIssuer = {
	/** Digits only. */
	readonly rnc: string;
	readonly name: string;
	readonly tradeName?: string;
	readonly branch?: string;
	readonly street: string;
	readonly municipalityCode?: string;
	readonly provinceCode?: string;
	/** `809-555-0101`. */
	readonly phone?: string;
	readonly email?: string;
	readonly economicActivity?: string;
	readonly seller?: string;
	/** NumeroPedidoInterno, if the type has no element for the buyer's order. */
	readonly internalOrder?: string;
	readonly remarks?: string;
};

export type PlannedBuyer = {
	/** Digits only. */
	readonly rnc?: string;
	/** Passport or tax number of a foreign buyer. */
	readonly foreignId?: string;
	readonly name?: string;
	readonly orderNumber?: string;
};

const NO_STREET = "NO INDICADA";
const ANONYMOUS_BUYER = "CONSUMIDOR FINAL";
const EMAIL = new RegExp(FORMAT_EMAIL);
const EMAIL_CHARACTERS_MAX = 80;

/**
 * What a company record lacks, or states in a form that the e-CF cannot hold. The service reports it when the record changes, not with each invoice:
 * the person who sends invoices cannot fix it.
 */
export function checkIssuer(issuer: EcfIssuer): Warning[] {
	const findings = newFindings();
	readIssuer(findings, issuer);
	return findings.warnings;
}

type IssuerRecord = Omit<PlannedIssuer, "branch" | "seller" | "internalOrder" | "remarks">;

function readIssuer(findings: Findings, issuer: EcfIssuer): IssuerRecord {
	const { street, municipalityCode, provinceCode } = issuer.address ?? {};
	const text = (value: string | undefined, element: string, pointer: string) =>
		fitText(findings, value?.trim(), element, pointer);
	const place = (code: string | undefined, pointer: string) => {
		if (code === undefined || isPlaceCode(code)) return code;
		warn(
			findings,
			"place-unknown",
			pointer,
			msg`The authority's table does not have this place, so documents leave it out.`,
		);
		return undefined;
	};
	const streetText = text(street, "DireccionEmisor", "/address/street");
	if (!streetText)
		warn(findings, "address-missing", "/address/street", msg`Documents say "${NO_STREET}" for the address.`);
	return {
		rnc: parseTaxpayerDocument(issuer.rnc)?.digits ?? issuer.rnc,
		name: text(issuer.name, "RazonSocialEmisor", "/name") ?? "",
		tradeName: text(issuer.tradeName, "NombreComercial", "/tradeName"),
		street: streetText ?? NO_STREET,
		municipalityCode: place(municipalityCode, "/address/municipalityCode"),
		provinceCode: place(provinceCode, "/address/provinceCode"),
		phone: readPhone(findings, issuer.phone),
		email: readEmail(findings, issuer.email),
		economicActivity: text(issuer.economicActivity, "ActividadEconomica", "/economicActivity"),
	};
}

/** Ten digits with or without the country code 1, in any spelling, as the format spells them; undefined for any other text. */
export function toFormatPhone(phone: string): string | undefined {
	const digits = phone.replace(/\D/g, "").replace(/^1(?=\d{10}$)/, "");
	return /^\d{10}$/.test(digits) ? `${digits.slice(0, 3)}-${digits.slice(3, 6)}-${digits.slice(6)}` : undefined;
}

function readPhone(findings: Findings, phone: string | undefined): string | undefined {
	if (phone === undefined || phone.trim() === "") return undefined;
	const formatted = toFormatPhone(phone);
	if (formatted) return formatted;
	warn(findings, "phone-form", "/phone", msg`Does not have ten digits (809-555-0101), so documents leave it out.`);
	return undefined;
}

function readEmail(findings: Findings, email: string | undefined): string | undefined {
	if (email === undefined || email.trim() === "") return undefined;
	const address = email.trim();
	if (address.length <= EMAIL_CHARACTERS_MAX && EMAIL.test(address)) return address;
	warn(findings, "email-form", "/email", msg`The format does not allow such an address, so documents leave it out.`);
	return undefined;
}

export function planIssuer(findings: Findings, type: EcfType, issuer: EcfIssuer, invoice: EcfInvoice): PlannedIssuer {
	const record = readIssuer(newFindings(), issuer);
	const { order, remark } = placeOrderNumber(type, invoice.order_number);
	const hasSeller = carries(type, "CodigoVendedor");
	const remarks = [
		label("Caja", invoice.pos),
		hasSeller ? undefined : label("Vendedor", invoice.seller),
		remark,
	].filter((part) => part !== undefined);
	return {
		...record,
		name: record.name || cutText(invoice.company.name.trim(), charactersMax("RazonSocialEmisor")),
		branch: fitText(findings, invoice.branch?.trim(), "Sucursal", "/branch"),
		seller: hasSeller ? fitText(findings, invoice.seller?.trim(), "CodigoVendedor", "/seller") : undefined,
		internalOrder: order === "internal" ? invoice.order_number?.trim() : undefined,
		remarks: fitText(findings, remarks.join("; "), "InformacionAdicionalEmisor", "/pos"),
	};
}

function label(word: string, text: string | undefined): string | undefined {
	return text === undefined || text.trim() === "" ? undefined : `${word}: ${text.trim()}`;
}

/** A truncated order number identifies nothing, so a number that is too long goes into the remarks. */
function placeOrderNumber(
	type: EcfType,
	orderNumber: string | undefined,
): { order?: "buyer" | "internal"; remark?: string } {
	const text = orderNumber?.trim() ?? "";
	if (text === "") return {};
	const isShort = cutText(text, charactersMax("NumeroOrdenCompra")) === text;
	if (carries(type, "NumeroOrdenCompra") && isShort) return { order: "buyer" };
	if (!carries(type, "NumeroOrdenCompra") && /^[0-9]{1,20}$/.test(text)) return { order: "internal" };
	return { remark: label("Orden", text) };
}

export function planBuyer(
	findings: Findings,
	type: EcfType,
	invoice: EcfInvoice,
	isBelowSummaryLimit: boolean,
): PlannedBuyer | undefined {
	const rnc = readBuyerRnc(findings, invoice.customer?.rnc);
	const { foreignId, isMisplaced } = readForeignId(findings, type, invoice);
	const name = fitText(findings, invoice.customer?.name?.trim(), "RazonSocialComprador", "/customer/name");
	const { order } = placeOrderNumber(type, invoice.order_number);
	const orderNumber =
		order === "buyer"
			? fitText(findings, invoice.order_number?.trim(), "NumeroOrdenCompra", "/order_number")
			: undefined;

	const { namesBuyer, isConsumer } = profileOf(type);
	const isLarge = isConsumer && !isBelowSummaryLimit;
	if (namesBuyer || isLarge) {
		const { name: what } = profileOf(type);
		const detail = isLarge ? msg`A ${what} of 250,000.00 or more names its buyer.` : msg`A ${what} names its buyer.`;
		if (!rnc && !foreignId && !isMisplaced) fault(findings, "buyer-required", "/customer/rnc", detail);
		if (!name) fault(findings, "buyer-required", "/customer/name", detail);
	}
	if (isConsumer && !rnc && !foreignId && !name) return { name: ANONYMOUS_BUYER, orderNumber };
	return rnc || foreignId || name || orderNumber ? { rnc, foreignId, name, orderNumber } : undefined;
}

function readForeignId(
	findings: Findings,
	type: EcfType,
	{ customer }: EcfInvoice,
): { foreignId?: string; isMisplaced?: true } {
	const foreignId = fitText(findings, customer?.foreign_id?.trim(), "IdentificadorExtranjero", "/customer/foreign_id");
	if (!foreignId) return {};
	if (customer?.rnc !== undefined) {
		fault(findings, "exclusive", "/customer/foreign_id", msg`A buyer has an RNC or a foreign number, not both.`);
	}
	if (carries(type, "IdentificadorExtranjero")) return { foreignId };
	const detail = msg`A ${profileOf(type).name} identifies its buyer by RNC or Cédula.`;
	fault(findings, "not-allowed-for-type", "/customer/foreign_id", detail);
	return { isMisplaced: true };
}

function readBuyerRnc(findings: Findings, text: string | undefined): string | undefined {
	if (text === undefined) return undefined;
	const document = parseTaxpayerDocument(text);
	if (!document) fault(findings, "rnc-form", "/customer/rnc", msg`A taxpayer number has 9 or 11 digits.`);
	return document?.digits;
}
