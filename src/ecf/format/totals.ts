/** Section A of the e-CF, the sums: in pesos, and beside them in another currency. Source: the authority's e-CF format, October 2025.
 *
 * Spelling trap, intended: `MontoGravado1OtraMoneda` beside `MontoGravadoI1`.
 */
import { ecfRow as e } from "./element";
import { ADDITIONAL_TAX, CURRENCY, decimal, digits, EXCHANGE_RATE, PERCENT, positive, signed } from "./forms";

export const TOTALS = e("Totales", "MMMMMM", [
	e("MontoGravadoTotal", "CCCCC-", decimal(2)),
	e("MontoGravadoI1", "CCCCC-", decimal(2)),
	e("MontoGravadoI2", "CCCCC-", decimal(2)),
	e("MontoGravadoI3", "CCCCC-", decimal(2)),
	e("MontoExento", "CCCCCC", decimal(2)),
	e("ITBIS1", "CCCCC-", digits(2)),
	e("ITBIS2", "CCCCC-", digits(2)),
	e("ITBIS3", "CCCCC-", digits(2)),
	e("TotalITBIS", "CCCCC-", decimal(2)),
	e("TotalITBIS1", "CCCCC-", decimal(2)),
	e("TotalITBIS2", "CCCCC-", decimal(2)),
	e("TotalITBIS3", "CCCCC-", decimal(2)),
	e("MontoImpuestoAdicional", "CCCC-C", positive(2)),
	e("ImpuestosAdicionales", "CCCC-C", [
		e(
			"ImpuestoAdicional",
			"MMMM-M",
			[
				e("TipoImpuesto", "MMMC-M", ADDITIONAL_TAX),
				e("TasaImpuestoAdicional", "MMMC-M", PERCENT),
				e("MontoImpuestoSelectivoConsumoEspecifico", "CCCC--", positive(2)),
				e("MontoImpuestoSelectivoConsumoAdvalorem", "CCCC--", positive(2)),
				e("OtrosImpuestosAdicionales", "CCCC-M", positive(2)),
			],
			20,
		),
	]),
	e("MontoTotal", "MMMMMM", decimal(2)),
	e("MontoNoFacturable", "CCCC-C", signed(2)),
	e("MontoPeriodo", "OOOOOO", signed(2)),
	e("SaldoAnterior", "OOOOOO", signed(2)),
	e("MontoAvancePago", "OOOOOO", decimal(2)),
	e("ValorPagar", "OOOOOO", signed(2)),
	e("TotalITBISRetenido", "C-CCC-", decimal(2)),
	e("TotalISRRetencion", "C-CCC-", decimal(2)),
	e("TotalITBISPercepcion", "C-CCC-", decimal(2)),
	e("TotalISRPercepcion", "C-CCC-", decimal(2)),
]);

export const OTHER_CURRENCY = e("OtraMoneda", "CCCCCC", [
	e("TipoMoneda", "CCCCCC", CURRENCY),
	e("TipoCambio", "CCCCCC", EXCHANGE_RATE),
	e("MontoGravadoTotalOtraMoneda", "CCCCC-", decimal(2)),
	e("MontoGravado1OtraMoneda", "CCCCC-", decimal(2)),
	e("MontoGravado2OtraMoneda", "CCCCC-", decimal(2)),
	e("MontoGravado3OtraMoneda", "CCCCC-", decimal(2)),
	e("MontoExentoOtraMoneda", "CCCCCC", decimal(2)),
	e("TotalITBISOtraMoneda", "CCCCC-", decimal(2)),
	e("TotalITBIS1OtraMoneda", "CCCCC-", decimal(2)),
	e("TotalITBIS2OtraMoneda", "CCCCC-", decimal(2)),
	e("TotalITBIS3OtraMoneda", "CCCCC-", decimal(2)),
	e("MontoImpuestoAdicionalOtraMoneda", "CCCC-C", positive(2)),
	e("ImpuestosAdicionalesOtraMoneda", "CCCC-C", [
		e(
			"ImpuestoAdicionalOtraMoneda",
			"MMMM-M",
			[
				e("TipoImpuestoOtraMoneda", "MMMM-C", ADDITIONAL_TAX),
				e("TasaImpuestoAdicionalOtraMoneda", "MMMM-C", PERCENT),
				e("MontoImpuestoSelectivoConsumoEspecificoOtraMoneda", "CCCC--", positive(2)),
				e("MontoImpuestoSelectivoConsumoAdvaloremOtraMoneda", "CCCC--", positive(2)),
				e("OtrosImpuestosAdicionalesOtraMoneda", "CCCC-C", positive(2)),
			],
			20,
		),
	]),
	e("MontoTotalOtraMoneda", "CCCCCC", decimal(2)),
]);
