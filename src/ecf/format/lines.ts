/** Section B of the e-CF: its lines. Source: the authority's e-CF format, October 2025.
 *
 * Spelling trap, intended: `DetallesItems`, plural twice.
 */
import { ecfRow as e, linesMost } from "./element";
import { ADDITIONAL_TAX, DATE, decimal, LINE_NUMBER, oneOf, PERCENT, positive, text, UNIT } from "./forms";

export const LINES = e("DetallesItems", "MMMMMM", [
	e(
		"Item",
		"MMMMMM",
		[
			e("NumeroLinea", "MMMMMM", LINE_NUMBER),
			e("TablaCodigosItem", "OOOOOO", [
				e("CodigosItem", "MMMMMM", [e("TipoCodigo", "MMMMMM", text(14)), e("CodigoItem", "MMMMMM", text(35))], 5),
			]),
			e("IndicadorFacturacion", "MMMMMM", oneOf("0", "1", "2", "3", "4")),
			e("Retencion", "C-CCM-", [
				e("IndicadorAgenteRetencionoPercepcion", "C-CCM-", oneOf("1", "2")),
				e("MontoITBISRetenido", "C-CCC-", decimal(2)),
				e("MontoISRRetenido", "C-CCC-", decimal(2)),
			]),
			e("NombreItem", "MMMMMM", text(80)),
			e("IndicadorBienoServicio", "MMMMMM", oneOf("1", "2")),
			e("DescripcionItem", "OOOOOO", text(1000)),
			e("CantidadItem", "MMMMMM", positive(2)),
			e("UnidadMedida", "OOOOOO", UNIT),
			e("CantidadReferencia", "CCCC--", decimal(2)),
			e("UnidadReferencia", "CCCC--", UNIT),
			e("TablaSubcantidad", "CCCC--", [
				e(
					"SubcantidadItem",
					"MMMM--",
					[e("Subcantidad", "CCCC--", decimal(3)), e("CodigoSubcantidad", "CCCC--", UNIT)],
					5,
				),
			]),
			e("GradosAlcohol", "CCCC--", PERCENT),
			e("PrecioUnitarioReferencia", "CCCC--", positive(2)),
			e("FechaElaboracion", "OOOOOO", DATE),
			e("FechaVencimientoItem", "OOOOOO", DATE),
			e("Mineria", "-CCC--", [
				e("PesoNetoKilogramo", "-CCC--", decimal(3)),
				e("PesoNetoMineria", "-CCC--", decimal(3)),
				e("TipoAfiliacion", "-CCC--", oneOf("1", "2")),
				e("Liquidacion", "-CCC--", oneOf("1", "2")),
			]),
			e("PrecioUnitarioItem", "MMMMMM", decimal(4)),
			e("DescuentoMonto", "CCCCCC", decimal(2)),
			e("TablaSubDescuento", "CCCCCC", [
				e(
					"SubDescuento",
					"MMMMMM",
					[
						e("TipoSubDescuento", "MMMMMM", oneOf("$", "%")),
						e("SubDescuentoPorcentaje", "CCCCCC", PERCENT),
						e("MontoSubDescuento", "CCCCCC", decimal(2)),
					],
					12,
				),
			]),
			e("RecargoMonto", "CCCCCC", decimal(2)),
			e("TablaSubRecargo", "CCCCCC", [
				e(
					"SubRecargo",
					"MMMMMM",
					[
						e("TipoSubRecargo", "MMMMMM", oneOf("$", "%")),
						e("SubRecargoPorcentaje", "CCCCCC", PERCENT),
						e("MontoSubRecargo", "CCCCCC", decimal(2)),
					],
					12,
				),
			]),
			e("TablaImpuestoAdicional", "CCCC-C", [
				e("ImpuestoAdicional", "MMMM-M", [e("TipoImpuesto", "MMMM-M", ADDITIONAL_TAX)], 2),
			]),
			e("OtraMonedaDetalle", "CCCCCC", [
				e("PrecioOtraMoneda", "CCCCCC", decimal(4)),
				e("DescuentoOtraMoneda", "OOOOOO", decimal(2)),
				e("RecargoOtraMoneda", "OOOOOO", decimal(2)),
				e("MontoItemOtraMoneda", "CCCCCC", decimal(2)),
			]),
			e("MontoItem", "MMMMMM", decimal(2)),
		],
		linesMost,
	),
]);
