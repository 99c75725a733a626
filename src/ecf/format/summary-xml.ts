/** The summary that is sent in place of a small consumer invoice; the invoice itself stays with its issuer. */
import { Decimal, isoToAuthorityDate } from "../../platform/values";
import type { EcfPlan } from "../mapping/plan-ecf";
import type { PlannedAdditionalTax } from "../mapping/plan-totals";
import { ECF_VERSION, toAdditionalTaxes, toPaymentForms, toTotales } from "./ecf-content";
import { writeXml } from "./ecf-xml";
import { RFCE } from "./summary";

/**
 * The unsigned summary in canonical form. `securityCode` is that of the signed invoice.
 * Amounts have exactly two decimals here: the summary's format allows no other number of them.
 * Source: the authority's RFCE format, version 1.0.
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
			Comprador: { RNCComprador: plan.buyer?.rnc, RazonSocialComprador: plan.buyer?.name },
			Totales: {
				...toTotales(plan.totals),
				ImpuestosAdicionales: toAdditionalTaxes(sumByCode(plan.totals.additionalTaxes)),
			},
			CodigoSeguridadeCF: securityCode,
		},
	});
}

/** The summary knows taxes by their code alone; the invoice keeps different rates of one code apart. */
function sumByCode(taxes: readonly PlannedAdditionalTax[]): Omit<PlannedAdditionalTax, "rate">[] {
	const sums = new Map<string, Omit<PlannedAdditionalTax, "rate">>();
	for (const { code, kind, amount } of taxes) {
		const sum = Decimal.of(amount).plus(Decimal.of(sums.get(code)?.amount ?? "0"));
		sums.set(code, { code, kind, amount: sum.toFixed(2) });
	}
	return [...sums.values()];
}
