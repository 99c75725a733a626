/** The summary that is sent in place of a small consumer invoice; the invoice itself stays with its issuer. */
import { isoToAuthorityDate } from "../values";
import { ECF_VERSION, toPaymentForms, toTotales } from "./ecf-content";
import { RFCE } from "./ecf-elements";
import { type Content, writeXml } from "./ecf-xml";
import type { EcfPlan } from "./plan-ecf";
import type { PlannedTotals } from "./plan-totals";

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
			Totales: { ...toTotales(plan.totals), ...toAdditionalTaxes(plan.totals) },
			CodigoSeguridadeCF: securityCode,
		},
	});
}
