/**
 * What the simulator checks of an e-CF's structure: the blocks, and in each the elements that matter, in document order.
 *
 * It is lighter than the authority's schemas: blocks that hold no money and decide nothing are passed over, and types 43, 45,
 * 46 and 47 are held only to what all types share. Source: the authority's e-CF format, October 2025.
 */
import {
	AMOUNT,
	DATE,
	DATE_TIME,
	ECF_TYPE,
	ENCF,
	INCOME_TYPE,
	LINE_NUMBER,
	oneOf,
	POSITIVE,
	REFERENCE_NUMBER,
	SIGNED_AMOUNT,
	TAXPAYER,
	text,
	UNIT_PRICE,
	VERSION,
} from "./forms";
import { ALL_TYPES, closed, except, landmark, open, optionals, required, requiredBlock } from "./layout";

const NOTES = ["33", "34"];
/** Types whose format knows no ITBIS. */
const WITHOUT_TAX = ["43", "44", "47"];

const identification = open(
	required("TipoeCF", ECF_TYPE),
	required("eNCF", ENCF),
	landmark("IndicadorNotaCredito", { form: oneOf("0", "1"), requiredIn: ["34"], absentIn: except("34") }),
	landmark("FechaVencimientoSecuencia", { form: DATE, requiredIn: except("32", "34"), absentIn: ["32", "34"] }),
	landmark("IndicadorEnvioDiferido", { form: oneOf("1"), absentIn: ["41"] }),
	landmark("IndicadorMontoGravado", { form: oneOf("0", "1"), absentIn: WITHOUT_TAX }),
	landmark("IndicadorServicioTodoIncluido", { form: oneOf("1"), absentIn: ["41"] }),
	landmark("TipoIngresos", { form: INCOME_TYPE, requiredIn: ["31", "32", "33", "34", "44"], absentIn: ["41"] }),
	landmark("TipoPago", { form: oneOf("1", "2", "3"), requiredIn: ["31", "32", "33", "34", "44"] }),
	landmark("FechaLimitePago", { form: DATE }),
	landmark("TerminoPago", { form: text(15), absentIn: ["34"] }),
	landmark("TablaFormasPago", {
		absentIn: ["34"],
		block: closed(
			landmark("FormaDePago", {
				most: 7,
				requiredIn: ALL_TYPES,
				block: closed(
					required("FormaPago", oneOf("1", "2", "3", "4", "5", "6", "7", "8")),
					required("MontoPago", AMOUNT),
				),
			}),
		),
	}),
);

const issuer = open(
	required("RNCEmisor", TAXPAYER),
	required("RazonSocialEmisor", text(150)),
	...optionals(text(150), "NombreComercial"),
	...optionals(text(20), "Sucursal"),
	required("DireccionEmisor", text(100)),
	required("FechaEmision", DATE),
);

const buyer = open(
	landmark("RNCComprador", { form: TAXPAYER, requiredIn: ["31", "41"] }),
	landmark("IdentificadorExtranjero", { form: text(20), absentIn: ["31", "41"] }),
	landmark("RazonSocialComprador", { form: text(150), requiredIn: ["31", "41", "44"] }),
);

const taxed = (name: string, form = AMOUNT) => landmark(name, { form, absentIn: ["44"] });

const totals = open(
	...["MontoGravadoTotal", "MontoGravadoI1", "MontoGravadoI2", "MontoGravadoI3"].map((name) => taxed(name)),
	...optionals(AMOUNT, "MontoExento"),
	taxed("ITBIS1", oneOf("18")),
	taxed("ITBIS2", oneOf("16")),
	taxed("ITBIS3", oneOf("0")),
	...["TotalITBIS", "TotalITBIS1", "TotalITBIS2", "TotalITBIS3"].map((name) => taxed(name)),
	landmark("MontoImpuestoAdicional", { form: POSITIVE, absentIn: ["41"] }),
	required("MontoTotal", AMOUNT),
	landmark("MontoNoFacturable", { form: SIGNED_AMOUNT, absentIn: ["41"] }),
	...optionals(SIGNED_AMOUNT, "MontoPeriodo", "SaldoAnterior"),
	...optionals(AMOUNT, "MontoAvancePago"),
	...optionals(SIGNED_AMOUNT, "ValorPagar"),
	...["TotalITBISRetenido", "TotalISRRetencion", "TotalITBISPercepcion", "TotalISRPercepcion"].map((name) =>
		landmark(name, { form: AMOUNT, absentIn: ["32", "44"] }),
	),
);

const item = open(
	required("NumeroLinea", LINE_NUMBER),
	required("IndicadorFacturacion", oneOf("0", "1", "2", "3", "4")),
	landmark("Retencion", {
		absentIn: ["32", "44"],
		block: closed(
			required("IndicadorAgenteRetencionoPercepcion", oneOf("1", "2")),
			...optionals(AMOUNT, "MontoITBISRetenido", "MontoISRRetenido"),
		),
	}),
	required("NombreItem", text(80)),
	required("IndicadorBienoServicio", oneOf("1", "2")),
	...optionals(text(1000), "DescripcionItem"),
	required("CantidadItem", POSITIVE),
	required("PrecioUnitarioItem", UNIT_PRICE),
	...optionals(AMOUNT, "DescuentoMonto", "RecargoMonto"),
	required("MontoItem", AMOUNT),
);

const adjustment = open(
	required("NumeroLinea", LINE_NUMBER),
	required("TipoAjuste", oneOf("D", "R")),
	landmark("MontoDescuentooRecargo", { form: AMOUNT }),
	landmark("IndicadorFacturacionDescuentooRecargo", { form: oneOf("1", "2", "3", "4") }),
);

const reference = closed(
	required("NCFModificado", REFERENCE_NUMBER),
	landmark("RNCOtroContribuyente", { form: TAXPAYER }),
	landmark("FechaNCFModificado", { form: DATE, requiredIn: NOTES }),
	landmark("CodigoModificacion", { form: oneOf("1", "2", "3", "4", "5"), requiredIn: NOTES }),
	landmark("RazonModificacion", { form: text(90), absentIn: except(...NOTES) }),
);

const linesMost = (type: string) => (NOTES.includes(type) ? 10_000 : 1_000);

export const ECF_LAYOUT = closed(
	requiredBlock(
		"Encabezado",
		closed(
			required("Version", VERSION),
			requiredBlock("IdDoc", identification),
			requiredBlock("Emisor", issuer),
			landmark("Comprador", { block: buyer, requiredIn: ["31", "32", "41", "44"] }),
			landmark("InformacionesAdicionales", { absentIn: ["41"] }),
			landmark("Transporte", { absentIn: ["41"] }),
			requiredBlock("Totales", totals),
			landmark("OtraMoneda"),
		),
	),
	requiredBlock("DetallesItems", closed(landmark("Item", { block: item, requiredIn: ALL_TYPES, most: linesMost }))),
	landmark("Subtotales"),
	landmark("DescuentosORecargos", {
		block: closed(landmark("DescuentoORecargo", { block: adjustment, requiredIn: ALL_TYPES, most: 20 })),
	}),
	landmark("Paginacion"),
	landmark("InformacionReferencia", { block: reference, requiredIn: NOTES }),
	required("FechaHoraFirma", DATE_TIME),
);
