/**
 * Sections B to F of the e-CF: lines, subtotals, discounts and surcharges, pages, the modified document. Source: the authority's e-CF format, October
 * 2025.
 *
 * These spellings are the format's own: `DetallesItems`, `SubTotaITBIS`, `IndicadorFacturacionDescuentooRecargo`, `SubtotalOtrosImpuesto`.
 */
import { profileOf } from "../types";
import {
	ADDITIONAL_TAX,
	CONDITIONAL,
	DATE,
	decimal,
	digits,
	element as e,
	LINE_NUMBER,
	MANDATORY,
	OPTIONAL,
	oneOf,
	PERCENT,
	positive,
	TAXPAYER,
	text,
	UNIT,
	without,
} from "./element";

export const LINES = e("DetallesItems", MANDATORY, [
	e(
		"Item",
		MANDATORY,
		[
			e("NumeroLinea", MANDATORY, LINE_NUMBER),
			e("TablaCodigosItem", OPTIONAL, [
				e("CodigosItem", MANDATORY, [e("TipoCodigo", MANDATORY, text(14)), e("CodigoItem", MANDATORY, text(35))], 5),
			]),
			e("IndicadorFacturacion", MANDATORY, oneOf("0", "1", "2", "3", "4")),
			e("Retencion", { 31: "C", 33: "C", 34: "C", 41: "M" }, [
				e("IndicadorAgenteRetencionoPercepcion", { 31: "C", 33: "C", 34: "C", 41: "M" }, oneOf("1", "2")),
				e("MontoITBISRetenido", without(CONDITIONAL, "32", "44"), decimal(2)),
				e("MontoISRRetenido", without(CONDITIONAL, "32", "44"), decimal(2)),
			]),
			e("NombreItem", MANDATORY, text(80)),
			e("IndicadorBienoServicio", MANDATORY, oneOf("1", "2")),
			e("DescripcionItem", OPTIONAL, text(1000)),
			e("CantidadItem", MANDATORY, positive(2)),
			e("UnidadMedida", OPTIONAL, UNIT),
			e("CantidadReferencia", without(CONDITIONAL, "41", "44"), decimal(2)),
			e("UnidadReferencia", without(CONDITIONAL, "41", "44"), UNIT),
			e("TablaSubcantidad", without(CONDITIONAL, "41", "44"), [
				e(
					"SubcantidadItem",
					without(MANDATORY, "41", "44"),
					[
						e("Subcantidad", without(CONDITIONAL, "41", "44"), decimal(3)),
						e("CodigoSubcantidad", without(CONDITIONAL, "41", "44"), UNIT),
					],
					5,
				),
			]),
			e("GradosAlcohol", without(CONDITIONAL, "41", "44"), PERCENT),
			e("PrecioUnitarioReferencia", without(CONDITIONAL, "41", "44"), positive(2)),
			e("FechaElaboracion", OPTIONAL, DATE),
			e("FechaVencimientoItem", OPTIONAL, DATE),
			e("Mineria", { 32: "C", 33: "C", 34: "C" }, [
				e("PesoNetoKilogramo", { 32: "C", 33: "C", 34: "C" }, decimal(3)),
				e("PesoNetoMineria", { 32: "C", 33: "C", 34: "C" }, decimal(3)),
				e("TipoAfiliacion", { 32: "C", 33: "C", 34: "C" }, oneOf("1", "2")),
				e("Liquidacion", { 32: "C", 33: "C", 34: "C" }, oneOf("1", "2")),
			]),
			e("PrecioUnitarioItem", MANDATORY, decimal(4)),
			e("DescuentoMonto", CONDITIONAL, decimal(2)),
			e("TablaSubDescuento", CONDITIONAL, [
				e(
					"SubDescuento",
					MANDATORY,
					[
						e("TipoSubDescuento", MANDATORY, oneOf("$", "%")),
						e("SubDescuentoPorcentaje", CONDITIONAL, PERCENT),
						e("MontoSubDescuento", CONDITIONAL, decimal(2)),
					],
					12,
				),
			]),
			e("RecargoMonto", CONDITIONAL, decimal(2)),
			e("TablaSubRecargo", CONDITIONAL, [
				e(
					"SubRecargo",
					MANDATORY,
					[
						e("TipoSubRecargo", MANDATORY, oneOf("$", "%")),
						e("SubRecargoPorcentaje", CONDITIONAL, PERCENT),
						e("MontoSubRecargo", CONDITIONAL, decimal(2)),
					],
					12,
				),
			]),
			e("TablaImpuestoAdicional", without(CONDITIONAL, "41"), [
				e(
					"ImpuestoAdicional",
					without(MANDATORY, "41"),
					[e("TipoImpuesto", without(MANDATORY, "41"), ADDITIONAL_TAX)],
					2,
				),
			]),
			e("OtraMonedaDetalle", CONDITIONAL, [
				e("PrecioOtraMoneda", CONDITIONAL, decimal(4)),
				e("DescuentoOtraMoneda", OPTIONAL, decimal(2)),
				e("RecargoOtraMoneda", OPTIONAL, decimal(2)),
				e("MontoItemOtraMoneda", CONDITIONAL, decimal(2)),
			]),
			e("MontoItem", MANDATORY, decimal(2)),
		],
		(type) => profileOf(type).keptLinesMax ?? profileOf(type).linesMax,
	),
]);

/** For print only; this service does not fill it. */
export const SUBTOTALS = e("Subtotales", OPTIONAL, [
	e(
		"Subtotal",
		MANDATORY,
		[
			e("NumeroSubTotal", OPTIONAL, digits(2)),
			e("DescripcionSubtotal", OPTIONAL, text(40)),
			e("Orden", OPTIONAL, digits(2)),
			e("SubTotalMontoGravadoTotal", without(OPTIONAL, "44"), decimal(2)),
			e("SubTotalMontoGravadoI1", without(OPTIONAL, "44"), decimal(2)),
			e("SubTotalMontoGravadoI2", without(OPTIONAL, "44"), decimal(2)),
			e("SubTotalMontoGravadoI3", without(OPTIONAL, "44"), decimal(2)),
			e("SubTotaITBIS", without(OPTIONAL, "44"), decimal(2)),
			e("SubTotaITBIS1", without(OPTIONAL, "44"), decimal(2)),
			e("SubTotaITBIS2", without(OPTIONAL, "44"), decimal(2)),
			e("SubTotaITBIS3", without(OPTIONAL, "44"), decimal(2)),
			e("SubTotalImpuestoAdicional", OPTIONAL, decimal(2)),
			e("SubTotalExento", OPTIONAL, decimal(2)),
			e("MontoSubTotal", OPTIONAL, decimal(2)),
			e("Lineas", OPTIONAL, digits(2)),
		],
		20,
	),
]);

export const ADJUSTMENTS = e("DescuentosORecargos", CONDITIONAL, [
	e(
		"DescuentoORecargo",
		MANDATORY,
		[
			e("NumeroLinea", MANDATORY, digits(2)),
			e("TipoAjuste", MANDATORY, oneOf("D", "R")),
			e("IndicadorNorma1007", without(OPTIONAL, "41", "44"), oneOf("0", "1")),
			e("DescripcionDescuentooRecargo", OPTIONAL, text(45)),
			e("TipoValor", CONDITIONAL, oneOf("$", "%")),
			e("ValorDescuentooRecargo", CONDITIONAL, PERCENT),
			e("MontoDescuentooRecargo", CONDITIONAL, decimal(2)),
			e("MontoDescuentooRecargoOtraMoneda", OPTIONAL, decimal(2)),
			e("IndicadorFacturacionDescuentooRecargo", CONDITIONAL, oneOf("1", "2", "3", "4")),
		],
		20,
	),
]);

/** For print on several pages; this service does not fill it. */
export const PAGES = e("Paginacion", CONDITIONAL, [
	e(
		"Pagina",
		MANDATORY,
		[
			e("PaginaNo", CONDITIONAL, LINE_NUMBER),
			e("NoLineaDesde", CONDITIONAL, LINE_NUMBER),
			e("NoLineaHasta", CONDITIONAL, LINE_NUMBER),
			e("SubtotalMontoGravadoPagina", without(CONDITIONAL, "44"), decimal(2)),
			e("SubtotalMontoGravado1Pagina", without(CONDITIONAL, "44"), decimal(2)),
			e("SubtotalMontoGravado2Pagina", without(CONDITIONAL, "44"), decimal(2)),
			e("SubtotalMontoGravado3Pagina", without(CONDITIONAL, "44"), decimal(2)),
			e("SubtotalExentoPagina", CONDITIONAL, decimal(2)),
			e("SubtotalItbisPagina", without(CONDITIONAL, "44"), decimal(2)),
			e("SubtotalItbis1Pagina", without(CONDITIONAL, "44"), decimal(2)),
			e("SubtotalItbis2Pagina", without(CONDITIONAL, "44"), decimal(2)),
			e("SubtotalItbis3Pagina", without(CONDITIONAL, "44"), decimal(2)),
			e("SubtotalImpuestoAdicionalPagina", without(CONDITIONAL, "41"), positive(2)),
			e("SubtotalImpuestoAdicional", without(CONDITIONAL, "41"), [
				e("SubtotalImpuestoSelectivoConsumoEspecificoPagina", without(CONDITIONAL, "41", "44"), positive(2)),
				e("SubtotalOtrosImpuesto", without(CONDITIONAL, "41"), positive(2)),
			]),
			e("MontoSubtotalPagina", CONDITIONAL, decimal(2)),
			e("SubtotalMontoNoFacturablePagina", without(CONDITIONAL, "41"), decimal(2)),
		],
		(type) => profileOf(type).linesMax,
	),
]);

export const REFERENCE = e("InformacionReferencia", { 31: "C", 32: "C", 33: "M", 34: "M", 41: "C", 44: "C" }, [
	e("NCFModificado", { 31: "C", 32: "C", 33: "M", 34: "M", 41: "C", 44: "C" }, text(19)),
	e("RNCOtroContribuyente", CONDITIONAL, TAXPAYER),
	e("FechaNCFModificado", { 31: "C", 32: "C", 33: "M", 34: "M", 41: "C", 44: "C" }, DATE),
	e("CodigoModificacion", { 31: "C", 32: "C", 33: "M", 34: "M", 41: "C", 44: "C" }, oneOf("1", "2", "3", "4", "5")),
	e("RazonModificacion", { 33: "O", 34: "O" }, text(90)),
]);
