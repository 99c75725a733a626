/**
 * Section A of the e-CF, the header: the document, its issuer, its buyer, and its totals in pesos and in another currency. Source: the authority's
 * e-CF format, October 2025.
 *
 * This spelling is the format's own: `MontoGravado1OtraMoneda` beside `MontoGravadoI1`.
 */
import {
	ADDITIONAL_TAX,
	CONDITIONAL,
	CURRENCY,
	DATE,
	decimal,
	digits,
	ECF_TYPE,
	EMAIL,
	ENCF,
	EXCHANGE_RATE,
	element as e,
	INCOME_TYPE,
	MANDATORY,
	OPTIONAL,
	oneOf,
	PERCENT,
	PHONE,
	PLACE,
	positive,
	signed,
	TAXPAYER,
	text,
	UNIT,
	WORDS,
	without,
} from "./element";

/** The document and its payment. */
export const IDENTIFICATION = e("IdDoc", MANDATORY, [
	e("TipoeCF", MANDATORY, ECF_TYPE),
	e("eNCF", MANDATORY, ENCF),
	e("IndicadorNotaCredito", { 34: "M" }, oneOf("0", "1")),
	e("FechaVencimientoSecuencia", without(MANDATORY, "32", "34"), DATE),
	e("IndicadorEnvioDiferido", without(CONDITIONAL, "41"), oneOf("1")),
	e("IndicadorMontoGravado", without(CONDITIONAL, "44"), oneOf("0", "1")),
	e("IndicadorServicioTodoIncluido", without(OPTIONAL, "41"), oneOf("1")),
	e("TipoIngresos", without(MANDATORY, "41"), INCOME_TYPE),
	e("TipoPago", { 31: "M", 32: "M", 33: "M", 34: "M", 41: "C", 44: "M" }, oneOf("1", "2", "3")),
	e("FechaLimitePago", CONDITIONAL, DATE),
	e("TerminoPago", without(OPTIONAL, "34"), WORDS),
	e("TablaFormasPago", without(OPTIONAL, "34"), [
		e(
			"FormaDePago",
			without(MANDATORY, "34"),
			[
				e("FormaPago", without(MANDATORY, "34"), oneOf("1", "2", "3", "4", "5", "6", "7", "8")),
				e("MontoPago", without(MANDATORY, "34"), decimal(2)),
			],
			7,
		),
	]),
	e("TipoCuentaPago", without(OPTIONAL, "34"), oneOf("CT", "AH", "OT")),
	e("NumeroCuentaPago", without(OPTIONAL, "34"), text(28)),
	e("BancoPago", without(OPTIONAL, "34"), text(75)),
	e("FechaDesde", without(OPTIONAL, "41"), DATE),
	e("FechaHasta", without(OPTIONAL, "41"), DATE),
	e("TotalPaginas", CONDITIONAL, digits(5)),
]);

/** The issuer. */
export const ISSUER = e("Emisor", MANDATORY, [
	e("RNCEmisor", MANDATORY, TAXPAYER),
	e("RazonSocialEmisor", MANDATORY, text(150)),
	e("NombreComercial", OPTIONAL, text(150)),
	e("Sucursal", OPTIONAL, text(20)),
	e("DireccionEmisor", MANDATORY, text(100)),
	e("Municipio", OPTIONAL, PLACE),
	e("Provincia", OPTIONAL, PLACE),
	e("TablaTelefonoEmisor", OPTIONAL, [e("TelefonoEmisor", MANDATORY, PHONE, 3)]),
	e("CorreoEmisor", OPTIONAL, EMAIL),
	e("WebSite", OPTIONAL, text(50)),
	e("ActividadEconomica", OPTIONAL, text(100)),
	e("CodigoVendedor", without(OPTIONAL, "41"), text(60)),
	e("NumeroFacturaInterna", OPTIONAL, text(20)),
	e("NumeroPedidoInterno", OPTIONAL, digits(20)),
	e("ZonaVenta", without(OPTIONAL, "41"), text(20)),
	e("RutaVenta", without(OPTIONAL, "41"), text(20)),
	e("InformacionAdicionalEmisor", OPTIONAL, text(250)),
	e("FechaEmision", MANDATORY, DATE),
]);

/** The buyer; on a purchase, the seller. */
export const BUYER = e("Comprador", { 31: "M", 32: "M", 33: "C", 34: "C", 41: "M", 44: "M" }, [
	e("RNCComprador", { 31: "M", 32: "C", 33: "C", 34: "C", 41: "M", 44: "C" }, TAXPAYER),
	e("IdentificadorExtranjero", without(CONDITIONAL, "31", "41"), text(20)),
	e("RazonSocialComprador", { 31: "M", 32: "C", 33: "C", 34: "C", 41: "M", 44: "M" }, text(150)),
	e("ContactoComprador", OPTIONAL, text(80)),
	e("CorreoComprador", OPTIONAL, EMAIL),
	e("DireccionComprador", OPTIONAL, text(100)),
	e("MunicipioComprador", OPTIONAL, PLACE),
	e("ProvinciaComprador", OPTIONAL, PLACE),
	e("FechaEntrega", without(OPTIONAL, "41"), DATE),
	e("ContactoEntrega", without(OPTIONAL, "41"), text(100)),
	e("DireccionEntrega", without(OPTIONAL, "41"), text(100)),
	e("TelefonoAdicional", without(OPTIONAL, "41"), PHONE),
	e("FechaOrdenCompra", without(OPTIONAL, "41"), DATE),
	e("NumeroOrdenCompra", without(OPTIONAL, "41"), text(20)),
	e("CodigoInternoComprador", OPTIONAL, text(20)),
	e("ResponsablePago", OPTIONAL, text(20)),
	e("InformacionAdicionalComprador", OPTIONAL, text(150)),
]);

/** Shipment and transport; this service does not fill them. */
export const SHIPMENT = e("InformacionesAdicionales", without(OPTIONAL, "41"), [
	e("FechaEmbarque", without(OPTIONAL, "41"), DATE),
	e("NumeroEmbarque", without(OPTIONAL, "41"), text(25)),
	e("NumeroContenedor", without(OPTIONAL, "41"), text(100)),
	e("NumeroReferencia", without(OPTIONAL, "41"), digits(20)),
	e("PesoBruto", without(OPTIONAL, "41"), decimal(2)),
	e("PesoNeto", without(OPTIONAL, "41"), decimal(2)),
	e("UnidadPesoBruto", without(OPTIONAL, "41"), UNIT),
	e("UnidadPesoNeto", without(OPTIONAL, "41"), UNIT),
	e("CantidadBulto", without(OPTIONAL, "41"), decimal(2)),
	e("UnidadBulto", without(OPTIONAL, "41"), UNIT),
	e("VolumenBulto", without(OPTIONAL, "41"), positive(2)),
	e("UnidadVolumen", without(OPTIONAL, "41"), UNIT),
]);
export const TRANSPORT = e("Transporte", without(OPTIONAL, "41"), [
	e("Conductor", without(OPTIONAL, "41"), text(20)),
	e("DocumentoTransporte", without(OPTIONAL, "41"), digits(20)),
	e("Ficha", without(OPTIONAL, "41"), text(10)),
	e("Placa", without(OPTIONAL, "41"), text(7)),
	e("RutaTransporte", without(OPTIONAL, "41"), text(20)),
	e("ZonaTransporte", without(OPTIONAL, "41"), text(20)),
	e("NumeroAlbaran", without(OPTIONAL, "41"), text(20)),
]);

export const TOTALS = e("Totales", MANDATORY, [
	e("MontoGravadoTotal", without(CONDITIONAL, "44"), decimal(2)),
	e("MontoGravadoI1", without(CONDITIONAL, "44"), decimal(2)),
	e("MontoGravadoI2", without(CONDITIONAL, "44"), decimal(2)),
	e("MontoGravadoI3", without(CONDITIONAL, "44"), decimal(2)),
	e("MontoExento", CONDITIONAL, decimal(2)),
	e("ITBIS1", without(CONDITIONAL, "44"), digits(2)),
	e("ITBIS2", without(CONDITIONAL, "44"), digits(2)),
	e("ITBIS3", without(CONDITIONAL, "44"), digits(2)),
	e("TotalITBIS", without(CONDITIONAL, "44"), decimal(2)),
	e("TotalITBIS1", without(CONDITIONAL, "44"), decimal(2)),
	e("TotalITBIS2", without(CONDITIONAL, "44"), decimal(2)),
	e("TotalITBIS3", without(CONDITIONAL, "44"), decimal(2)),
	e("MontoImpuestoAdicional", without(CONDITIONAL, "41"), positive(2)),
	e("ImpuestosAdicionales", without(CONDITIONAL, "41"), [
		e(
			"ImpuestoAdicional",
			without(MANDATORY, "41"),
			[
				e("TipoImpuesto", { 31: "M", 32: "M", 33: "M", 34: "C", 44: "M" }, ADDITIONAL_TAX),
				e("TasaImpuestoAdicional", { 31: "M", 32: "M", 33: "M", 34: "C", 44: "M" }, PERCENT),
				e("MontoImpuestoSelectivoConsumoEspecifico", without(CONDITIONAL, "41", "44"), positive(2)),
				e("MontoImpuestoSelectivoConsumoAdvalorem", without(CONDITIONAL, "41", "44"), positive(2)),
				e("OtrosImpuestosAdicionales", { 31: "C", 32: "C", 33: "C", 34: "C", 44: "M" }, positive(2)),
			],
			20,
		),
	]),
	e("MontoTotal", MANDATORY, decimal(2)),
	e("MontoNoFacturable", without(CONDITIONAL, "41"), signed(2)),
	e("MontoPeriodo", OPTIONAL, signed(2)),
	e("SaldoAnterior", OPTIONAL, signed(2)),
	e("MontoAvancePago", OPTIONAL, decimal(2)),
	e("ValorPagar", OPTIONAL, signed(2)),
	e("TotalITBISRetenido", without(CONDITIONAL, "32", "44"), decimal(2)),
	e("TotalISRRetencion", without(CONDITIONAL, "32", "44"), decimal(2)),
	e("TotalITBISPercepcion", without(CONDITIONAL, "32", "44"), decimal(2)),
	e("TotalISRPercepcion", without(CONDITIONAL, "32", "44"), decimal(2)),
]);

export const OTHER_CURRENCY = e("OtraMoneda", CONDITIONAL, [
	e("TipoMoneda", CONDITIONAL, CURRENCY),
	e("TipoCambio", CONDITIONAL, EXCHANGE_RATE),
	e("MontoGravadoTotalOtraMoneda", without(CONDITIONAL, "44"), decimal(2)),
	e("MontoGravado1OtraMoneda", without(CONDITIONAL, "44"), decimal(2)),
	e("MontoGravado2OtraMoneda", without(CONDITIONAL, "44"), decimal(2)),
	e("MontoGravado3OtraMoneda", without(CONDITIONAL, "44"), decimal(2)),
	e("MontoExentoOtraMoneda", CONDITIONAL, decimal(2)),
	e("TotalITBISOtraMoneda", without(CONDITIONAL, "44"), decimal(2)),
	e("TotalITBIS1OtraMoneda", without(CONDITIONAL, "44"), decimal(2)),
	e("TotalITBIS2OtraMoneda", without(CONDITIONAL, "44"), decimal(2)),
	e("TotalITBIS3OtraMoneda", without(CONDITIONAL, "44"), decimal(2)),
	e("MontoImpuestoAdicionalOtraMoneda", without(CONDITIONAL, "41"), positive(2)),
	e("ImpuestosAdicionalesOtraMoneda", without(CONDITIONAL, "41"), [
		e(
			"ImpuestoAdicionalOtraMoneda",
			without(MANDATORY, "41"),
			[
				e("TipoImpuestoOtraMoneda", { 31: "M", 32: "M", 33: "M", 34: "M", 44: "C" }, ADDITIONAL_TAX),
				e("TasaImpuestoAdicionalOtraMoneda", { 31: "M", 32: "M", 33: "M", 34: "M", 44: "C" }, PERCENT),
				e("MontoImpuestoSelectivoConsumoEspecificoOtraMoneda", without(CONDITIONAL, "41", "44"), positive(2)),
				e("MontoImpuestoSelectivoConsumoAdvaloremOtraMoneda", without(CONDITIONAL, "41", "44"), positive(2)),
				e("OtrosImpuestosAdicionalesOtraMoneda", without(CONDITIONAL, "41"), positive(2)),
			],
			20,
		),
	]),
	e("MontoTotalOtraMoneda", CONDITIONAL, decimal(2)),
]);
