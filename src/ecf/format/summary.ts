/** The summary of a small consumer invoice as data. Source: the authority's RFCE format, version 1.0. */
import {
	ADDITIONAL_TAX,
	DATE,
	ENCF,
	element as e,
	exact,
	INCOME_TYPE,
	oneOf,
	type PresenceByType,
	SECURITY_CODE,
	signed,
	TAXPAYER,
	text,
	VERSION,
} from "./element";

const MANDATORY: PresenceByType = { 32: "M" };
const CONDITIONAL: PresenceByType = { 32: "C" };
const OPTIONAL: PresenceByType = { 32: "O" };

const OTHER_TAX = e(
	"ImpuestoAdicional",
	OPTIONAL,
	[
		e("TipoImpuesto", CONDITIONAL, ADDITIONAL_TAX),
		e("MontoImpuestoSelectivoConsumoEspecifico", CONDITIONAL, exact()),
		e("MontoImpuestoSelectivoConsumoAdvalorem", CONDITIONAL, exact()),
		e("OtrosImpuestosAdicionales", CONDITIONAL, exact()),
	],
	20,
);

export const RFCE = e("RFCE", MANDATORY, [
	e("Encabezado", MANDATORY, [
		e("Version", MANDATORY, VERSION),
		e("IdDoc", MANDATORY, [
			e("TipoeCF", MANDATORY, oneOf("32")),
			e("eNCF", MANDATORY, ENCF),
			e("TipoIngresos", MANDATORY, INCOME_TYPE),
			e("TipoPago", MANDATORY, oneOf("1", "2", "3")),
			e("TablaFormasPago", OPTIONAL, [
				e(
					"FormaDePago",
					OPTIONAL,
					[e("FormaPago", OPTIONAL, oneOf("1", "2", "3", "4", "5", "6", "7", "8")), e("MontoPago", OPTIONAL, exact())],
					7,
				),
			]),
		]),
		e("Emisor", MANDATORY, [
			e("RNCEmisor", MANDATORY, TAXPAYER),
			e("RazonSocialEmisor", MANDATORY, text(150)),
			e("FechaEmision", MANDATORY, DATE),
		]),
		e("Comprador", MANDATORY, [
			e("RNCComprador", OPTIONAL, TAXPAYER),
			e("IdentificadorExtranjero", OPTIONAL, text(20)),
			e("RazonSocialComprador", OPTIONAL, text(150)),
		]),
		e("Totales", MANDATORY, [
			e("MontoGravadoTotal", CONDITIONAL, exact()),
			e("MontoGravadoI1", CONDITIONAL, exact()),
			e("MontoGravadoI2", CONDITIONAL, exact()),
			e("MontoGravadoI3", CONDITIONAL, exact()),
			e("MontoExento", CONDITIONAL, exact()),
			e("TotalITBIS", CONDITIONAL, exact()),
			e("TotalITBIS1", CONDITIONAL, exact()),
			e("TotalITBIS2", CONDITIONAL, exact()),
			e("TotalITBIS3", CONDITIONAL, exact()),
			e("MontoImpuestoAdicional", CONDITIONAL, exact()),
			e("ImpuestosAdicionales", CONDITIONAL, [OTHER_TAX]),
			e("MontoTotal", MANDATORY, exact()),
			e("MontoNoFacturable", CONDITIONAL, signed(2)),
			e("MontoPeriodo", OPTIONAL, signed(2)),
		]),
		e("CodigoSeguridadeCF", MANDATORY, SECURITY_CODE),
	]),
]);
