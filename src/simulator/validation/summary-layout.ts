/** What the simulator checks of an RFCE's structure. Source: the authority's RFCE format, version 1.0. */
import {
	between,
	DATE,
	ENCF,
	EXACT_VERSION,
	INCOME_TYPE,
	oneOf,
	POSITIVE_SUMMARY_AMOUNT,
	SECURITY_CODE,
	SIGNED_SUMMARY_AMOUNT,
	SUMMARY_AMOUNT,
	TAXPAYER,
	text,
} from "./forms";
import { closed, landmark, optionals, required, requiredBlock } from "./layout";

const tax = closed(
	landmark("TipoImpuesto", { form: between("001", "039") }),
	...optionals(
		POSITIVE_SUMMARY_AMOUNT,
		"MontoImpuestoSelectivoConsumoEspecifico",
		"MontoImpuestoSelectivoConsumoAdvalorem",
		"OtrosImpuestosAdicionales",
	),
);

export const SUMMARY_LAYOUT = closed(
	requiredBlock(
		"Encabezado",
		closed(
			required("Version", EXACT_VERSION),
			requiredBlock(
				"IdDoc",
				closed(
					required("TipoeCF", oneOf("32")),
					required("eNCF", ENCF),
					required("TipoIngresos", INCOME_TYPE),
					required("TipoPago", oneOf("1", "2", "3")),
					landmark("TablaFormasPago", {
						block: closed(
							landmark("FormaDePago", {
								most: 7,
								block: closed(
									landmark("FormaPago", { form: between("1", "8") }),
									landmark("MontoPago", { form: SUMMARY_AMOUNT }),
								),
							}),
						),
					}),
				),
			),
			requiredBlock(
				"Emisor",
				closed(
					required("RNCEmisor", TAXPAYER),
					required("RazonSocialEmisor", text(150)),
					required("FechaEmision", DATE),
				),
			),
			requiredBlock(
				"Comprador",
				closed(
					landmark("RNCComprador", { form: TAXPAYER }),
					landmark("IdentificadorExtranjero", { form: text(20) }),
					landmark("RazonSocialComprador", { form: text(150) }),
				),
			),
			requiredBlock(
				"Totales",
				closed(
					...optionals(SUMMARY_AMOUNT, "MontoGravadoTotal", "MontoGravadoI1", "MontoGravadoI2", "MontoGravadoI3"),
					...optionals(SUMMARY_AMOUNT, "MontoExento", "TotalITBIS", "TotalITBIS1", "TotalITBIS2", "TotalITBIS3"),
					...optionals(POSITIVE_SUMMARY_AMOUNT, "MontoImpuestoAdicional"),
					landmark("ImpuestosAdicionales", { block: closed(landmark("ImpuestoAdicional", { most: 20, block: tax })) }),
					required("MontoTotal", SUMMARY_AMOUNT),
					...optionals(SIGNED_SUMMARY_AMOUNT, "MontoNoFacturable", "MontoPeriodo"),
				),
			),
			required("CodigoSeguridadeCF", SECURITY_CODE),
		),
	),
);
