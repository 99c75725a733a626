/** Sections C to F of the e-CF: subtotals, discounts and surcharges, pages, the modified document. Source: the authority's e-CF format, October 2025.
 *
 * Spelling traps, intended: `SubTotaITBIS` without its second l, `IndicadorFacturacionDescuentooRecargo`, `SubtotalOtrosImpuesto`.
 */
import { ecfRow as e, linesMost } from "./element";
import { DATE, decimal, digits, LINE_NUMBER, oneOf, PERCENT, positive, TAXPAYER, text } from "./forms";

/** For print, which this service does not fill. */
export const SUBTOTALS = e("Subtotales", "OOOOOO", [
	e(
		"Subtotal",
		"MMMMMM",
		[
			e("NumeroSubTotal", "OOOOOO", digits(2)),
			e("DescripcionSubtotal", "OOOOOO", text(40)),
			e("Orden", "OOOOOO", digits(2)),
			e("SubTotalMontoGravadoTotal", "OOOOO-", decimal(2)),
			e("SubTotalMontoGravadoI1", "OOOOO-", decimal(2)),
			e("SubTotalMontoGravadoI2", "OOOOO-", decimal(2)),
			e("SubTotalMontoGravadoI3", "OOOOO-", decimal(2)),
			e("SubTotaITBIS", "OOOOO-", decimal(2)),
			e("SubTotaITBIS1", "OOOOO-", decimal(2)),
			e("SubTotaITBIS2", "OOOOO-", decimal(2)),
			e("SubTotaITBIS3", "OOOOO-", decimal(2)),
			e("SubTotalImpuestoAdicional", "OOOOOO", decimal(2)),
			e("SubTotalExento", "OOOOOO", decimal(2)),
			e("MontoSubTotal", "OOOOOO", decimal(2)),
			e("Lineas", "OOOOOO", digits(2)),
		],
		20,
	),
]);

/** On the whole document. */
export const ADJUSTMENTS = e("DescuentosORecargos", "CCCCCC", [
	e(
		"DescuentoORecargo",
		"MMMMMM",
		[
			e("NumeroLinea", "MMMMMM", digits(2)),
			e("TipoAjuste", "MMMMMM", oneOf("D", "R")),
			e("IndicadorNorma1007", "OOOO--", oneOf("0", "1")),
			e("DescripcionDescuentooRecargo", "OOOOOO", text(45)),
			e("TipoValor", "CCCCCC", oneOf("$", "%")),
			e("ValorDescuentooRecargo", "CCCCCC", PERCENT),
			e("MontoDescuentooRecargo", "CCCCCC", decimal(2)),
			e("MontoDescuentooRecargoOtraMoneda", "OOOOOO", decimal(2)),
			e("IndicadorFacturacionDescuentooRecargo", "CCCCCC", oneOf("1", "2", "3", "4")),
		],
		20,
	),
]);

/** For print on several pages, which this service does not fill. */
export const PAGES = e("Paginacion", "CCCCCC", [
	e(
		"Pagina",
		"MMMMMM",
		[
			e("PaginaNo", "CCCCCC", LINE_NUMBER),
			e("NoLineaDesde", "CCCCCC", LINE_NUMBER),
			e("NoLineaHasta", "CCCCCC", LINE_NUMBER),
			e("SubtotalMontoGravadoPagina", "CCCCC-", decimal(2)),
			e("SubtotalMontoGravado1Pagina", "CCCCC-", decimal(2)),
			e("SubtotalMontoGravado2Pagina", "CCCCC-", decimal(2)),
			e("SubtotalMontoGravado3Pagina", "CCCCC-", decimal(2)),
			e("SubtotalExentoPagina", "CCCCCC", decimal(2)),
			e("SubtotalItbisPagina", "CCCCC-", decimal(2)),
			e("SubtotalItbis1Pagina", "CCCCC-", decimal(2)),
			e("SubtotalItbis2Pagina", "CCCCC-", decimal(2)),
			e("SubtotalItbis3Pagina", "CCCCC-", decimal(2)),
			e("SubtotalImpuestoAdicionalPagina", "CCCC-C", positive(2)),
			e("SubtotalImpuestoAdicional", "CCCC-C", [
				e("SubtotalImpuestoSelectivoConsumoEspecificoPagina", "CCCC--", positive(2)),
				e("SubtotalOtrosImpuesto", "CCCC-C", positive(2)),
			]),
			e("MontoSubtotalPagina", "CCCCCC", decimal(2)),
			e("SubtotalMontoNoFacturablePagina", "CCCC-C", decimal(2)),
		],
		linesMost,
	),
]);

/** The document that a note corrects. */
export const REFERENCE = e("InformacionReferencia", "CCMMCC", [
	e("NCFModificado", "CCMMCC", text(19)),
	e("RNCOtroContribuyente", "CCCCCC", TAXPAYER),
	e("FechaNCFModificado", "CCMMCC", DATE),
	e("CodigoModificacion", "CCMMCC", oneOf("1", "2", "3", "4", "5")),
	e("RazonModificacion", "--OO--", text(90)),
]);
