/**
 * The statements on every kind of paper, in the words and the order of the authority's models: labels with values.
 *
 * Source: the authority's technical report, printed representation; its illustrative models. Gap: the models have no purchase (41); its second party
 * is called "Proveedor".
 */
import { Decimal } from "../../platform/values";
import { placeName } from "../mapping";
import { findProfile } from "../types";
import { decimalOf, printAmount } from "./amounts";
import { modificationName, paymentFormName, taxName, termsName, titleOf, unitName } from "./names";
import type { Printable, PrintableLine, PrintableTotals } from "./printable";

export type Statement = { readonly label: string; readonly value: string; readonly isStrong?: true };

const say = (label: string, value: string | undefined): Statement[] =>
	value === undefined || value === "" ? [] : [{ label, value }];

/** The document. The title is above these statements. */
export function describeDocument(p: Printable): { title: string; statements: Statement[] } {
	const { reference } = p;
	return {
		title: titleOf(p.type),
		statements: [
			{ label: "e-NCF", value: p.encf, isStrong: true },
			...say("Fecha de vencimiento", p.expiresOn),
			...say("NCF modificado", reference?.encf),
			...say("Fecha del NCF modificado", reference?.issueDate),
			...say("RNC del NCF modificado", reference?.otherRnc),
			...say("Código de modificación", reference && `${reference.code} - ${modificationName(reference.code)}`),
			...say("Razón de modificación", reference?.reason),
			...(p.isLateCreditNote ? say("Nota", "Posterior a 30 días: sin derecho a rebajar ITBIS") : []),
		],
	};
}

/** The issuer; the first line is the heading of the paper. */
export function describeIssuer({ issuer, issueDate }: Printable): {
	name: string;
	legalName: string | undefined;
	statements: Statement[];
} {
	return {
		name: issuer.tradeName ?? issuer.name,
		legalName: issuer.tradeName === undefined ? undefined : issuer.name,
		statements: [
			...say("Sucursal", issuer.branch),
			...say("RNC", issuer.rnc),
			...say("Dirección", issuer.street),
			...say("Municipio", issuer.municipality && placeName(issuer.municipality)),
			...say("Provincia", issuer.province && placeName(issuer.province)),
			...say("Teléfono", issuer.phones.join(", ")),
			...say("Correo", issuer.email),
			...say("Web", issuer.website),
			...say("Fecha de emisión", issueDate),
		],
	};
}

export function describeBuyer({ buyer, type }: Printable): Statement[] {
	if (!buyer) return [];
	const who = findProfile(type)?.isPurchase ? "proveedor" : "cliente";
	return [
		...say(`Razón social ${who}`, buyer.name),
		...say(`RNC ${who}`, buyer.rnc),
		...say(`Identificador extranjero`, buyer.foreignId),
		...say("Dirección", buyer.street),
		...say("Municipio", buyer.municipality && placeName(buyer.municipality)),
		...say("Provincia", buyer.province && placeName(buyer.province)),
		...say("Contacto", buyer.contact),
		...say("Código de cliente", buyer.code),
		...say("Orden de compra", buyer.orderNumber),
		...say("Fecha de la orden", buyer.orderDate),
		...say("Entrega", buyer.delivery.join(", ")),
	];
}

/** The payment, and other statements of the issuer. */
export function describePayment({
	payment,
	issuer,
	currency,
	period,
	isAllInclusive,
	isDeferred,
}: Printable): Statement[] {
	return [
		...say("Condición de pago", payment.terms && termsName(payment.terms)),
		...say("Fecha límite de pago", payment.dueDate),
		...say("Término de pago", payment.termsText),
		...payment.forms.map(({ method, amount }) => ({ label: paymentFormName(method), value: printAmount(amount) })),
		...say("Cuenta de pago", payment.account.join(", ")),
		...say("Período", [period.from, period.to].filter(Boolean).join(" a ")),
		...(isAllInclusive ? say("Servicio", "Todo incluido") : []),
		...(isDeferred ? say("Envío", "Diferido") : []),
		...say("Moneda", currency && `${currency.code}, tipo de cambio ${printAmount(currency.rate)}`),
		...say("Vendedor", issuer.seller),
		...say("Factura interna", issuer.internalNumber),
		...say("Pedido", issuer.internalOrder),
		...say("Zona de venta", issuer.salesZone),
		...say("Ruta de venta", issuer.salesRoute),
		...say("Información adicional", issuer.remarks),
	];
}

/** The details of a line below its description. */
export function describeLine(line: PrintableLine): string[] {
	return [
		...(line.codes.length > 0 ? [`Código: ${line.codes.join(", ")}`] : []),
		...line.taxes.map((code) => `Impuesto adicional ${code}: ${taxName(code)}`),
		...(line.alcoholDegrees === undefined ? [] : [`Grados de alcohol: ${line.alcoholDegrees}`]),
		...(line.retailPrice === undefined ? [] : [`Precio de venta al público: ${printAmount(line.retailPrice)}`]),
		...(line.productionDate === undefined ? [] : [`Elaborado: ${line.productionDate}`]),
		...(line.expiryDate === undefined ? [] : [`Vence: ${line.expiryDate}`]),
		...(line.indicator === "0" ? ["No facturable"] : []),
	];
}

/** An E marks an exempt line. */
export const nameLine = (line: PrintableLine): string =>
	line.indicator === "4" ? `E ${line.description}` : line.description;
export const unitOf = (line: PrintableLine): string => (line.unit === undefined ? "" : unitName(line.unit));

const percentText = (text: string) => `${Decimal.of(text).toShortest()}%`;

export function describeTotals(p: Printable): Statement[] {
	const { totals, currency } = p;
	const peso = currency ? " (DOP)" : "";
	return [
		...p.adjustments.map(({ isDiscount, description, percent, amount }) => ({
			label: [isDiscount ? "Descuento" : "Recargo", description, percent && percentText(percent)]
				.filter(Boolean)
				.join(" - "),
			value: isDiscount && !Decimal.of(amount).isZero() ? `-${printAmount(amount)}` : printAmount(amount),
		})),
		...amount(`Subtotal gravado${peso}`, totals.taxed),
		...(totals.rates.length > 1
			? totals.rates.flatMap(({ percent, base }) => amount(`  Gravado ${percent}%`, base))
			: []),
		...amount(`Subtotal exento${peso}`, totals.exempt),
		...describeTaxes(totals),
		...(totals.rates.length > 1
			? totals.rates.flatMap(({ percent, itbis }) => amount(`  ITBIS ${percent}%`, itbis))
			: []),
		...amount(
			totals.rates.length === 1 ? `Total ITBIS (${totals.rates[0]?.percent}%)` : `Total ITBIS${peso}`,
			totals.itbis,
		),
		{ label: `Total${peso}`, value: printAmount(totals.total), isStrong: true },
		...(currency?.total === undefined
			? []
			: [{ label: `Total (${currency.code})`, value: printAmount(currency.total), isStrong: true as const }]),
		...amount("Monto no facturable", totals.notBilled),
		...amount("Monto del período", totals.period),
		...amount("Saldo anterior", totals.previousBalance),
		...amount("Avance de pago", totals.paidInAdvance),
		...amount("Valor a pagar", totals.payable),
		...amount("ITBIS retenido", totals.withheldItbis),
		...amount("ISR retenido", totals.withheldIncomeTax),
	];
}

const amount = (label: string, text: string | undefined): Statement[] =>
	text === undefined ? [] : [{ label, value: printAmount(text) }];

/** Specific and ad valorem taxes as one sum each with their base, the others one by one. */
function describeTaxes({ taxes }: PrintableTotals): Statement[] {
	const sumOf = (kind: "specific" | "ad-valorem", label: string): Statement[] => {
		const all = taxes.filter((tax) => tax.kind === kind);
		const sum = Decimal.sum(all.map((tax) => decimalOf(tax.amount)));
		return all.length === 0 ? [] : [{ label, value: printAmount(sum.toFixed(2)) }];
	};
	return [
		...sumOf("specific", "ISC específico"),
		...sumOf("ad-valorem", "ISC ad valorem"),
		...taxes
			.filter((tax) => tax.kind === "other")
			.map(({ code, percent, amount }) => ({
				label: percent === undefined ? shortTaxName(code) : `${shortTaxName(code)} (${percentText(percent)})`,
				value: printAmount(amount),
			})),
	];
}

const shortTaxName = (code: string) => (code === "002" ? "Contribución a las Telecomunicaciones" : taxName(code));

export function describeSignature(p: Printable): Statement[] {
	return [
		{ label: "Código de Seguridad", value: p.securityCode },
		{ label: "Fecha de Firma Digital", value: p.signedAt },
	];
}
