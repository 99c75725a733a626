/** Builds the row of a new invoice: its ids, its signed bytes, and the acknowledgement that every repeat gets. */
import { consumerQrUrl, ecfQrUrl, type Segment } from "../../../authority/client";
import type { InvoiceRequest } from "../../../ecf/mapping";
import type { Standing } from "../../../ecf/printing";
import type { SignedDocuments } from "../../../ecf/signing";
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

export function toRow(
	deps: Pick<IssueDeps, "authorityUrls">,
	request: ItemRequest,
	checked: CheckedInvoice,
	signed: SignedDocuments,
	{ segment, now: receivedAt, standing }: Pick<Issuer, "segment" | "now"> & { readonly standing: Standing },
	holdId?: string,
): NewInvoice {
	const { tenantId } = request;
	const invoice = { ...request.invoice, encf: checked.input.invoice.encf };
	const print = {
		securityCode: signed.securityCode,
		signedAt: signed.signedAt,
		qrUrl: toQrUrl(deps, segment, invoice, checked, signed),
	};
	const docId = newId();
	const trackId = newId();
	const { warnings, plan } = checked;
	const sums = toSums(invoice, checked);
	const acknowledgement = toAcknowledgement({
		...{ docId, trackId, encf: invoice.encf, receivedAt, print, standing, warnings },
		...(plan.otherCurrency?.isOfRequest
			? { totalsDop: { subtotal: sums.subtotal, tax: sums.tax, grand_total: plan.totals.total } }
			: {}),
	});
	return {
		docId,
		trackId,
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
		...(holdId === undefined ? {} : { holdId }),
		...(request.scenario === undefined ? {} : { scenario: request.scenario }),
		sums,
		facts: toFacts(invoice, checked),
		documents: [
			{ kind: "ecf", text: signed.ecf, sha256: signed.ecfSha256 },
			...(signed.summary && signed.summarySha256
				? [{ kind: "summary" as const, text: signed.summary, sha256: signed.summarySha256 }]
				: []),
		],
	};
}

function toSums({ customer, branch }: InvoiceRequest, { plan }: CheckedInvoice): Sums {
	const { total, itbis = "0", additionalTotal = "0" } = plan.totals;
	const tax = Decimal.of(itbis).plus(Decimal.of(additionalTotal));
	return {
		issueDate: plan.issueDate,
		subtotal: Decimal.of(total).minus(tax).toFixed(2),
		tax: tax.toFixed(2),
		customerRnc: digitsOf(customer?.rnc),
		branch: branch ?? null,
	};
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
	signed: SignedDocuments,
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
	return signed.summary ? consumerQrUrl(authorityUrls, segment, document) : ecfQrUrl(authorityUrls, segment, document);
}
