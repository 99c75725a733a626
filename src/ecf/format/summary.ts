/** The summary of a small consumer invoice as data. Source: the authority's RFCE format, version 1.0. */
import { rowsFor } from "./element";
import {
	ADDITIONAL_TAX,
	DATE,
	ENCF,
	exact,
	INCOME_TYPE,
	oneOf,
	SECURITY_CODE,
	signed,
	TAXPAYER,
	text,
	VERSION,
} from "./forms";

const e = rowsFor(["32"]);

const OTHER_TAX = e(
	"ImpuestoAdicional",
	"O",
	[
		e("TipoImpuesto", "C", ADDITIONAL_TAX),
		e("MontoImpuestoSelectivoConsumoEspecifico", "C", exact()),
		e("MontoImpuestoSelectivoConsumoAdvalorem", "C", exact()),
		e("OtrosImpuestosAdicionales", "C", exact()),
	],
	20,
);

export const RFCE = e("RFCE", "M", [
	e("Encabezado", "M", [
		e("Version", "M", VERSION),
		e("IdDoc", "M", [
			e("TipoeCF", "M", oneOf("32")),
			e("eNCF", "M", ENCF),
			e("TipoIngresos", "M", INCOME_TYPE),
			e("TipoPago", "M", oneOf("1", "2", "3")),
			e("TablaFormasPago", "O", [
				e(
					"FormaDePago",
					"O",
					[e("FormaPago", "O", oneOf("1", "2", "3", "4", "5", "6", "7", "8")), e("MontoPago", "O", exact())],
					7,
				),
			]),
		]),
		e("Emisor", "M", [
			e("RNCEmisor", "M", TAXPAYER),
			e("RazonSocialEmisor", "M", text(150)),
			e("FechaEmision", "M", DATE),
		]),
		e("Comprador", "M", [
			e("RNCComprador", "O", TAXPAYER),
			e("IdentificadorExtranjero", "O", text(20)),
			e("RazonSocialComprador", "O", text(150)),
		]),
		e("Totales", "M", [
			e("MontoGravadoTotal", "C", exact()),
			e("MontoGravadoI1", "C", exact()),
			e("MontoGravadoI2", "C", exact()),
			e("MontoGravadoI3", "C", exact()),
			e("MontoExento", "C", exact()),
			e("TotalITBIS", "C", exact()),
			e("TotalITBIS1", "C", exact()),
			e("TotalITBIS2", "C", exact()),
			e("TotalITBIS3", "C", exact()),
			e("MontoImpuestoAdicional", "C", exact()),
			e("ImpuestosAdicionales", "C", [OTHER_TAX]),
			e("MontoTotal", "M", exact()),
			e("MontoNoFacturable", "C", signed(2)),
			e("MontoPeriodo", "O", signed(2)),
		]),
		e("CodigoSeguridadeCF", "M", SECURITY_CODE),
	]),
]);
