/** Writes a plan as XML: which value goes into which element. The element table decides the order. */
import { Decimal, isoToAuthorityDate, toAuthorityDateTime } from "../../platform/values";
import { type Content, carries, ECF, RFCE, writeXml } from "../format";
import type { AdditionalTaxKind, TaxIndicator } from "./codes";
import type { PlannedBalance, PlannedNonBillableLine } from "./plan-balance";
import type { EcfPlan } from "./plan-ecf";
import type { PlannedLine } from "./plan-lines";
import type { PlannedAdditionalTax, PlannedAdjustment, PlannedTotals } from "./plan-totals";

const ECF_VERSION = "1.0";

/** The unsigned e-CF in canonical form. Shape: one root element, no XML declaration, one line unless a text has line breaks. */
export function writeEcf(plan: EcfPlan): string {
	return writeXml(ECF, plan.type, toEcfContent(plan));
}

function toEcfContent(plan: EcfPlan): Content {
	const toForeign = foreignAmounts(plan);
	return {
		Encabezado: {
			Version: ECF_VERSION,
			IdDoc: toIdDoc(plan),
			Emisor: toEmisor(plan),
			Comprador: toComprador(plan),
			Totales: {
				...toTotales(plan.totals),
				...toItbisRates(plan.totals),
				ImpuestosAdicionales: toAdditionalTaxes(plan.totals.additionalTaxes),
				...toBalance(plan.balance),
				...toWithheld(plan.totals),
			},
			OtraMoneda: toOtraMoneda(plan, toForeign),
		},
		DetallesItems: {
			Item: [
				...plan.lines.map((line) => toItem(toPrinted(plan, line), toForeign)),
				...plan.nonBillableLines.map((line) => toItem(line, toForeign)),
			],
		},
		DescuentosORecargos: { DescuentoORecargo: plan.adjustments.map((entry, at) => toAdjustment(entry, at, toForeign)) },
		InformacionReferencia: plan.reference && {
			NCFModificado: plan.reference.encf,
			RNCOtroContribuyente: plan.reference.otherRnc,
			FechaNCFModificado: isoToAuthorityDate(plan.reference.issueDate),
			CodigoModificacion: plan.reference.code,
			RazonModificacion: plan.reference.reason,
		},
		FechaHoraFirma: toAuthorityDateTime(new Date(plan.signedAt)),
	};
}

function toIdDoc(plan: EcfPlan): Content {
	const { type, payment } = plan;
	return {
		TipoeCF: type,
		eNCF: plan.encf,
		IndicadorNotaCredito: carries(type, "IndicadorNotaCredito") ? (plan.isLateCreditNote ? "1" : "0") : undefined,
		FechaVencimientoSecuencia: plan.sequenceExpiresOn && isoToAuthorityDate(plan.sequenceExpiresOn),
		// Whether prices include tax. The schema makes it optional, the authority does not.
		IndicadorMontoGravado: carries(type, "IndicadorMontoGravado") ? (plan.pricesIncludeTax ? "1" : "0") : undefined,
		TipoIngresos: carries(type, "TipoIngresos") ? plan.incomeType : undefined,
		TipoPago: payment.terms,
		FechaLimitePago: payment.dueDate && isoToAuthorityDate(payment.dueDate),
		TablaFormasPago: toPaymentForms(plan),
		...plan.particulars.IdDoc,
	};
}

function toPaymentForms({ payment }: EcfPlan): Content | undefined {
	if (payment.forms.length === 0) return undefined;
	return { FormaDePago: payment.forms.map((form) => ({ FormaPago: form.method, MontoPago: form.amount })) };
}

function toEmisor({ issuer, issueDate, particulars }: EcfPlan): Content {
	return {
		RNCEmisor: issuer.rnc,
		RazonSocialEmisor: issuer.name,
		NombreComercial: issuer.tradeName,
		Sucursal: issuer.branch,
		DireccionEmisor: issuer.street,
		Municipio: issuer.municipalityCode,
		Provincia: issuer.provinceCode,
		TablaTelefonoEmisor: { TelefonoEmisor: issuer.phone },
		CorreoEmisor: issuer.email,
		ActividadEconomica: issuer.economicActivity,
		CodigoVendedor: issuer.seller,
		NumeroPedidoInterno: issuer.internalOrder,
		...particulars.Emisor,
		InformacionAdicionalEmisor: issuer.remarks,
		FechaEmision: isoToAuthorityDate(issueDate),
	};
}

function toComprador({ buyer, particulars }: EcfPlan): Content {
	return { ...toBuyer(buyer), NumeroOrdenCompra: buyer?.orderNumber, ...particulars.Comprador };
}

/** What the e-CF and its summary share. */
function toBuyer(buyer: EcfPlan["buyer"]): Content {
	return {
		RNCComprador: buyer?.rnc,
		IdentificadorExtranjero: buyer?.foreignId,
		RazonSocialComprador: buyer?.name,
	};
}

const groupOf = (totals: PlannedTotals, indicator: TaxIndicator) =>
	totals.groups.find((group) => group.indicator === indicator);

/** The sums that the e-CF and its summary share. */
function toTotales(totals: PlannedTotals): Content {
	return {
		MontoGravadoTotal: totals.taxedBase,
		MontoGravadoI1: groupOf(totals, 1)?.base,
		MontoGravadoI2: groupOf(totals, 2)?.base,
		MontoGravadoI3: groupOf(totals, 3)?.base,
		MontoExento: totals.exemptBase,
		TotalITBIS: totals.itbis,
		TotalITBIS1: groupOf(totals, 1)?.itbis,
		TotalITBIS2: groupOf(totals, 2)?.itbis,
		TotalITBIS3: groupOf(totals, 3)?.itbis,
		MontoImpuestoAdicional: totals.additionalTotal,
		MontoTotal: totals.total,
	};
}

const AMOUNT_ELEMENTS: Readonly<Record<AdditionalTaxKind, string>> = {
	specific: "MontoImpuestoSelectivoConsumoEspecifico",
	"ad-valorem": "MontoImpuestoSelectivoConsumoAdvalorem",
	other: "OtrosImpuestosAdicionales",
};

/** The summary has no rates, so its entries have none. */
function toAdditionalTaxes(
	taxes: readonly (Omit<PlannedAdditionalTax, "rate"> & { readonly rate?: string })[],
): Content | undefined {
	if (taxes.length === 0) return undefined;
	return {
		ImpuestoAdicional: taxes.map((tax) => ({
			TipoImpuesto: tax.code,
			TasaImpuestoAdicional: tax.rate,
			[AMOUNT_ELEMENTS[tax.kind]]: tax.amount,
		})),
	};
}

function toItbisRates(totals: PlannedTotals): Content {
	return {
		ITBIS1: groupOf(totals, 1) && "18",
		ITBIS2: groupOf(totals, 2) && "16",
		ITBIS3: groupOf(totals, 3) && "0",
	};
}

function toBalance({ nonBillable, period, priorBalance, advance, payable }: PlannedBalance): Content {
	return {
		MontoNoFacturable: nonBillable,
		MontoPeriodo: period,
		SaldoAnterior: priorBalance,
		MontoAvancePago: advance,
		ValorPagar: payable,
	};
}

function toWithheld({ withheld }: PlannedTotals): Content {
	return withheld ? { TotalITBISRetenido: withheld.itbis, TotalISRRetencion: withheld.isr } : {};
}

/** Peso amounts in the other currency; always undefined if there is none. */
type ToForeign = (pesos: string | undefined, decimals?: number) => string | undefined;

function foreignAmounts({ otherCurrency }: EcfPlan): ToForeign {
	if (!otherCurrency) return () => undefined;
	const rate = Decimal.of(otherCurrency.rate);
	return (pesos, decimals = 2) =>
		pesos === undefined ? undefined : Decimal.of(pesos).dividedBy(rate, decimals).toFixed(decimals);
}

function toOtraMoneda({ otherCurrency, totals }: EcfPlan, toForeign: ToForeign): Content | undefined {
	if (!otherCurrency) return undefined;
	return {
		TipoMoneda: otherCurrency.code,
		TipoCambio: otherCurrency.rate,
		MontoGravadoTotalOtraMoneda: toForeign(totals.taxedBase),
		MontoGravado1OtraMoneda: toForeign(groupOf(totals, 1)?.base),
		MontoGravado2OtraMoneda: toForeign(groupOf(totals, 2)?.base),
		MontoGravado3OtraMoneda: toForeign(groupOf(totals, 3)?.base),
		MontoExentoOtraMoneda: toForeign(totals.exemptBase),
		TotalITBISOtraMoneda: toForeign(totals.itbis),
		TotalITBIS1OtraMoneda: toForeign(groupOf(totals, 1)?.itbis),
		TotalITBIS2OtraMoneda: toForeign(groupOf(totals, 2)?.itbis),
		TotalITBIS3OtraMoneda: toForeign(groupOf(totals, 3)?.itbis),
		MontoImpuestoAdicionalOtraMoneda: aboveZero(toForeign(totals.additionalTotal)),
		ImpuestosAdicionalesOtraMoneda: toForeignTaxes(totals.additionalTaxes, toForeign),
		MontoTotalOtraMoneda: toForeign(totals.total),
	};
}

function toForeignTaxes(taxes: readonly PlannedAdditionalTax[], toForeign: ToForeign): Content | undefined {
	if (taxes.length === 0) return undefined;
	return {
		ImpuestoAdicionalOtraMoneda: taxes.map((tax) => ({
			TipoImpuestoOtraMoneda: tax.code,
			TasaImpuestoAdicionalOtraMoneda: tax.rate,
			[`${AMOUNT_ELEMENTS[tax.kind]}OtraMoneda`]: aboveZero(toForeign(tax.amount)),
		})),
	};
}

/** These elements must not be zero, which a small amount in a strong currency rounds to. */
function aboveZero(amount: string | undefined): string | undefined {
	return amount === undefined || Decimal.of(amount).isZero() ? undefined : amount;
}

const WITH_ITBIS: Readonly<Partial<Record<TaxIndicator, Decimal>>> = { 1: Decimal.of("1.18"), 2: Decimal.of("1.16") };

/** A line as printed: with ITBIS in its amounts if the document says so. The header's bases stay without. */
function toPrinted(plan: EcfPlan, line: PlannedLine): PlannedLine {
	const factor = plan.pricesIncludeTax && WITH_ITBIS[line.indicator];
	if (!factor) return line;
	const withTax = (amount: string, decimals: number) => Decimal.of(amount).times(factor).rounded(decimals);
	return {
		...line,
		unitPrice: withTax(line.unitPrice, 4).toShortest(2),
		...(line.discount === undefined ? {} : { discount: withTax(line.discount, 2).toFixed(2) }),
		...(line.surcharge === undefined ? {} : { surcharge: withTax(line.surcharge, 2).toFixed(2) }),
		amount: withTax(line.amount, 2).toFixed(2),
	};
}

function toItem(line: PlannedLine | PlannedNonBillableLine, toForeign: ToForeign): Content {
	return {
		NumeroLinea: String(line.number),
		TablaCodigosItem: { CodigosItem: line.codes.map(({ type, code }) => ({ TipoCodigo: type, CodigoItem: code })) },
		IndicadorFacturacion: String(line.indicator),
		Retencion: line.withholding && {
			IndicadorAgenteRetencionoPercepcion: "1",
			MontoITBISRetenido: line.withholding.itbis,
			MontoISRRetenido: line.withholding.isr,
		},
		NombreItem: line.name,
		IndicadorBienoServicio: line.isService ? "2" : "1",
		DescripcionItem: line.description,
		CantidadItem: line.quantity,
		UnidadMedida: line.unit,
		FechaElaboracion: line.productionDate && isoToAuthorityDate(line.productionDate),
		FechaVencimientoItem: line.expiryDate && isoToAuthorityDate(line.expiryDate),
		PrecioUnitarioItem: line.unitPrice,
		// The amount and its table must occur together.
		DescuentoMonto: line.discount,
		TablaSubDescuento: line.discount && { SubDescuento: { TipoSubDescuento: "$", MontoSubDescuento: line.discount } },
		RecargoMonto: line.surcharge,
		TablaSubRecargo: line.surcharge && { SubRecargo: { TipoSubRecargo: "$", MontoSubRecargo: line.surcharge } },
		TablaImpuestoAdicional:
			line.additionalTaxes.length === 0
				? undefined
				: { ImpuestoAdicional: line.additionalTaxes.map((code) => ({ TipoImpuesto: code })) },
		OtraMonedaDetalle: {
			PrecioOtraMoneda: toForeign(line.unitPrice, 4),
			DescuentoOtraMoneda: toForeign(line.discount),
			RecargoOtraMoneda: toForeign(line.surcharge),
			MontoItemOtraMoneda: toForeign(line.amount),
		},
		MontoItem: line.amount,
	};
}

function toAdjustment(entry: PlannedAdjustment, index: number, toForeign: ToForeign): Content {
	return {
		NumeroLinea: String(index + 1),
		TipoAjuste: entry.kind === "discount" ? "D" : "R",
		DescripcionDescuentooRecargo: entry.description,
		TipoValor: entry.percent ? "%" : "$",
		ValorDescuentooRecargo: entry.percent,
		MontoDescuentooRecargo: entry.amount,
		MontoDescuentooRecargoOtraMoneda: toForeign(entry.amount),
		IndicadorFacturacionDescuentooRecargo: String(entry.indicator),
	};
}

/**
 * The unsigned summary in canonical form, sent in place of a small consumer invoice, which stays with its issuer. `securityCode` is that of the
 * signed invoice. The format requires exactly two decimals. Source: the authority's RFCE format, version 1.0.
 */
export function writeSummary(plan: EcfPlan, securityCode: string): string {
	return writeXml(RFCE, plan.type, {
		Encabezado: {
			Version: ECF_VERSION,
			IdDoc: {
				TipoeCF: plan.type,
				eNCF: plan.encf,
				TipoIngresos: plan.incomeType,
				TipoPago: plan.payment.terms,
				TablaFormasPago: toPaymentForms(plan),
			},
			Emisor: {
				RNCEmisor: plan.issuer.rnc,
				RazonSocialEmisor: plan.issuer.name,
				FechaEmision: isoToAuthorityDate(plan.issueDate),
			},
			Comprador: toBuyer(plan.buyer),
			Totales: {
				...toTotales(plan.totals),
				ImpuestosAdicionales: toAdditionalTaxes(sumByCode(plan.totals.additionalTaxes)),
				MontoNoFacturable: plan.balance.nonBillable,
				MontoPeriodo: plan.balance.period,
			},
			CodigoSeguridadeCF: securityCode,
		},
	});
}

/** The summary adds up taxes by code; the invoice keeps different rates of one code apart. */
function sumByCode(taxes: readonly PlannedAdditionalTax[]): Omit<PlannedAdditionalTax, "rate">[] {
	const sums = new Map<string, Omit<PlannedAdditionalTax, "rate">>();
	for (const { code, kind, amount } of taxes) {
		const sum = Decimal.of(amount).plus(Decimal.of(sums.get(code)?.amount ?? "0"));
		sums.set(code, { code, kind, amount: sum.toFixed(2) });
	}
	return [...sums.values()];
}
