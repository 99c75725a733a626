/** Builds the row of a new invoice: its id, its signed bytes, and the acknowledgement that every repeat gets. */
import { consumerQrUrl, ecfQrUrl, type Segment } from "../../../authority/client";
import { findOtherIssuer, findProfile, type InvoiceRequest } from "../../../ecf/mapping";
import type { Standing } from "../../../ecf/printing";
import type { PackedDocuments, SignedDocuments } from "../../../ecf/signing";
import {
	Decimal,
	isoToAuthorityDate,
	newId,
	parseTaxpayerDocument,
	toAuthorityDateTime,
	toLocalIsoDate,
} from "../../../platform/values";
import type { CheckedInvoice } from "../check/check-tenant";
import { toAcknowledgement } from "../model/acknowledgement";
import type { InvoiceFacts, NewInvoice, Sums } from "../model/invoice-row";
import type { IssueDeps, Issuer, ItemRequest } from "./issuer";

type RowIssuer = Pick<Issuer, "segment" | "now"> & { readonly standing: Standing };

/** What the signed documents say. */
type SignedFacts = Omit<SignedDocuments, "ecf" | "summary">;

const ENVIRONMENTS = { testecf: "t", certecf: "c", ecf: "p" } as const;

export function toRow(
	deps: Pick<IssueDeps, "authorityUrls">,
	request: ItemRequest,
	checked: CheckedInvoice,
	{ packed, ...signed }: PackedDocuments,
	issuer: RowIssuer,
	holdId?: string,
): NewInvoice {
	return {
		...toUnpackedRow(deps, request, checked, signed, issuer),
		...(holdId === undefined ? {} : { holdId }),
		packed,
	};
}

/** The row without the documents themselves. */
export function toUnpackedRow(
	deps: Pick<IssueDeps, "authorityUrls">,
	request: ItemRequest,
	checked: CheckedInvoice,
	signed: SignedFacts,
	{ segment, now: receivedAt, standing }: RowIssuer,
): Omit<NewInvoice, "packed" | "holdId"> {
	const { tenantId } = request;
	const invoice = { ...request.invoice, encf: checked.input.invoice.encf };
	const print = {
		securityCode: signed.securityCode,
		signedAt: signed.signedAt,
		qrUrl: toQrUrl(deps, segment, invoice, checked, signed),
	};
	const docId = newId();
	const { warnings, plan } = checked;
	const sums = toSums(checked);
	const acknowledgement = toAcknowledgement({
		...{ docId, trackId: docId, encf: invoice.encf, receivedAt, print, standing, warnings },
		...(plan.otherCurrency?.isOfRequest
			? { totalsDop: { subtotal: sums.subtotal, tax: sums.tax, grand_total: plan.totals.total } }
			: {}),
	});
	return {
		docId,
		tenantId,
		type: invoice.type,
		encf: invoice.encf,
		clientRequestId: invoice.client_request_id ?? null,
		request: request.text,
		acknowledgement: JSON.stringify(acknowledgement),
		print,
		warnings,
		registry: checked.registry,
		receivedAt,
		...(request.scenario === undefined ? {} : { scenario: request.scenario }),
		environment: ENVIRONMENTS[segment],
		sums,
		facts: toFacts(invoice, checked),
		branch: invoice.branch ?? null,
		modifies: findModified(invoice),
		sha256: signed.ecfSha256,
		hasSummary: signed.summarySha256 !== undefined,
	};
}

function toSums({ plan }: CheckedInvoice): Sums {
	const { total, itbis = "0", additionalTotal = "0" } = plan.totals;
	const tax = Decimal.of(itbis).plus(Decimal.of(additionalTotal));
	return { subtotal: Decimal.of(total).minus(tax).toFixed(2), tax: tax.toFixed(2) };
}

function findModified(invoice: InvoiceRequest): string | null {
	if (!findProfile(invoice.type)?.isNote || findOtherIssuer(invoice, invoice.company.rnc) !== undefined) return null;
	return invoice.reference?.encf ?? null;
}

/** Amounts as sent: pesos, whatever `currency` is shown beside them, unless the request says that they are in it. */
function toFacts({ customer, totals, currency = "DOP" }: InvoiceRequest, { plan }: CheckedInvoice): InvoiceFacts {
	return {
		issueDate: plan.issueDate,
		customerRnc: digitsOf(customer?.rnc),
		customerName: customer?.name?.trim() || null,
		currency: plan.otherCurrency?.isOfRequest ? currency : "DOP",
		...{ subtotal: totals.subtotal, tax: totals.tax, grandTotal: totals.grand_total },
		total: plan.totals.total,
	};
}

function digitsOf(rnc: string | undefined): string | null {
	return rnc === undefined ? null : (parseTaxpayerDocument(rnc)?.digits ?? null);
}

function toQrUrl(
	deps: Pick<IssueDeps, "authorityUrls">,
	segment: Segment,
	invoice: InvoiceRequest,
	checked: CheckedInvoice,
	signed: SignedFacts,
): string {
	const signedAt = new Date(signed.signedAt);
	const buyer = invoice.customer?.rnc === undefined ? undefined : parseTaxpayerDocument(invoice.customer.rnc)?.digits;
	const document = {
		rnc: checked.input.issuer.rnc,
		...(buyer === undefined ? {} : { buyerRnc: buyer }),
		encf: invoice.encf,
		issueDate: isoToAuthorityDate(invoice.issue_date ?? toLocalIsoDate(signedAt)),
		total: checked.plan.totals.total,
		signedAt: toAuthorityDateTime(signedAt),
		securityCode: signed.securityCode,
	};
	const { authorityUrls } = deps;
	return signed.summarySha256
		? consumerQrUrl(authorityUrls, segment, document)
		: ecfQrUrl(authorityUrls, segment, document);
}
