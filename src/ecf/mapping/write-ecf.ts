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
	const foreign = plan.otherCurrency?.amounts;
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
			OtraMoneda: toOtraMoneda(plan),
		},
		DetallesItems: {
			Item: [
				...plan.lines.map((line, at) => toItem(line, foreign?.lines[at])),
				...plan.nonBillableLines.map((line, at) => toItem(line, foreign?.nonBillableLines[at])),
			],
		},
		DescuentosORecargos: {
			DescuentoORecargo: plan.adjustments.map((entry, at) => toAdjustment(entry, at, foreign?.adjustments[at])),
		},
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
		IndicadorMontoGravado: carries(type, "IndicadorMontoGravado")
			? plan.lines.some(({ gross }) => gross)
				? "1"
				: "0"
			: undefined,
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

function toOtraMoneda({ otherCurrency }: EcfPlan): Content | undefined {
	if (!otherCurrency) return undefined;
	const { code, rate, amounts } = otherCurrency;
	const { totals } = amounts;
	return {
		TipoMoneda: code,
		TipoCambio: rate,
		MontoGravadoTotalOtraMoneda: totals.taxedBase,
		MontoGravado1OtraMoneda: groupOf(totals, 1)?.base,
		MontoGravado2OtraMoneda: groupOf(totals, 2)?.base,
		MontoGravado3OtraMoneda: groupOf(totals, 3)?.base,
		MontoExentoOtraMoneda: totals.exemptBase,
		TotalITBISOtraMoneda: totals.itbis,
		TotalITBIS1OtraMoneda: groupOf(totals, 1)?.itbis,
		TotalITBIS2OtraMoneda: groupOf(totals, 2)?.itbis,
		TotalITBIS3OtraMoneda: groupOf(totals, 3)?.itbis,
		MontoImpuestoAdicionalOtraMoneda: aboveZero(totals.additionalTotal),
		ImpuestosAdicionalesOtraMoneda: toForeignTaxes(totals.additionalTaxes),
		MontoTotalOtraMoneda: totals.total,
	};
}

function toForeignTaxes(taxes: readonly PlannedAdditionalTax[]): Content | undefined {
	if (taxes.length === 0) return undefined;
	return {
		ImpuestoAdicionalOtraMoneda: taxes.map((tax) => ({
			TipoImpuestoOtraMoneda: tax.code,
			TasaImpuestoAdicionalOtraMoneda: tax.rate,
			[`${AMOUNT_ELEMENTS[tax.kind]}OtraMoneda`]: aboveZero(tax.amount),
		})),
	};
}

/** These elements must not be zero, which a small amount in a strong currency rounds to. */
function aboveZero(amount: string | undefined): string | undefined {
	return amount === undefined || Decimal.of(amount).isZero() ? undefined : amount;
}

function toItem(
	line: PlannedLine | PlannedNonBillableLine,
	foreignLine: PlannedLine | PlannedNonBillableLine | undefined,
): Content {
	const { unitPrice, discount, surcharge, amount } = line.gross ?? line;
	const foreign = foreignLine?.gross ?? foreignLine;
	const { excise } = line;
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
		CantidadReferencia: excise?.referenceQuantity,
		UnidadReferencia: excise?.referenceUnit,
		TablaSubcantidad: excise && {
			SubcantidadItem: excise.subQuantities.map((one) => ({ Subcantidad: one.quantity, CodigoSubcantidad: one.unit })),
		},
		GradosAlcohol: excise?.alcoholDegrees,
		PrecioUnitarioReferencia: excise?.retailPrice,
		FechaElaboracion: line.productionDate && isoToAuthorityDate(line.productionDate),
		FechaVencimientoItem: line.expiryDate && isoToAuthorityDate(line.expiryDate),
		PrecioUnitarioItem: unitPrice,
		// The amount and its table must occur together.
		DescuentoMonto: discount,
		TablaSubDescuento: discount && { SubDescuento: { TipoSubDescuento: "$", MontoSubDescuento: discount } },
		RecargoMonto: surcharge,
		TablaSubRecargo: surcharge && { SubRecargo: { TipoSubRecargo: "$", MontoSubRecargo: surcharge } },
		TablaImpuestoAdicional:
			line.additionalTaxes.length === 0
				? undefined
				: { ImpuestoAdicional: line.additionalTaxes.map((code) => ({ TipoImpuesto: code })) },
		OtraMonedaDetalle: {
			PrecioOtraMoneda: foreign?.unitPrice,
			DescuentoOtraMoneda: foreign?.discount,
			RecargoOtraMoneda: foreign?.surcharge,
			MontoItemOtraMoneda: foreign?.amount,
		},
		MontoItem: amount,
	};
}

function toAdjustment(entry: PlannedAdjustment, index: number, foreign: PlannedAdjustment | undefined): Content {
	return {
		NumeroLinea: String(index + 1),
		TipoAjuste: entry.kind === "discount" ? "D" : "R",
		DescripcionDescuentooRecargo: entry.description,
		TipoValor: entry.percent ? "%" : "$",
		ValorDescuentooRecargo: entry.percent,
		MontoDescuentooRecargo: entry.amount,
		MontoDescuentooRecargoOtraMoneda: foreign?.amount,
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
