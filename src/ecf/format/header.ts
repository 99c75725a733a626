/** Section A of the e-CF, the header: what the document is, who issues it, who buys. Source: the authority's e-CF format, October 2025. */
import { ecfRow as e } from "./element";
import {
	DATE,
	decimal,
	digits,
	ECF_TYPE,
	EMAIL,
	ENCF,
	INCOME_TYPE,
	oneOf,
	PHONE,
	PLACE,
	positive,
	TAXPAYER,
	text,
	UNIT,
	WORDS,
} from "./forms";

/** What the document is and how it is paid. */
export const IDENTIFICATION = e("IdDoc", "MMMMMM", [
	e("TipoeCF", "MMMMMM", ECF_TYPE),
	e("eNCF", "MMMMMM", ENCF),
	e("IndicadorNotaCredito", "---M--", oneOf("0", "1")),
	e("FechaVencimientoSecuencia", "M-M-MM", DATE),
	e("IndicadorEnvioDiferido", "CCCC-C", oneOf("1")),
	e("IndicadorMontoGravado", "CCCCC-", oneOf("0", "1")),
	e("IndicadorServicioTodoIncluido", "OOOO-O", oneOf("1")),
	e("TipoIngresos", "MMMM-M", INCOME_TYPE),
	e("TipoPago", "MMMMCM", oneOf("1", "2", "3")),
	e("FechaLimitePago", "CCCCCC", DATE),
	e("TerminoPago", "OOO-OO", WORDS),
	e("TablaFormasPago", "OOO-OO", [
		e(
			"FormaDePago",
			"MMM-MM",
			[e("FormaPago", "MMM-MM", oneOf("1", "2", "3", "4", "5", "6", "7", "8")), e("MontoPago", "MMM-MM", decimal(2))],
			7,
		),
	]),
	e("TipoCuentaPago", "OOO-OO", oneOf("CT", "AH", "OT")),
	e("NumeroCuentaPago", "OOO-OO", text(28)),
	e("BancoPago", "OOO-OO", text(75)),
	e("FechaDesde", "OOOO-O", DATE),
	e("FechaHasta", "OOOO-O", DATE),
	e("TotalPaginas", "CCCCCC", digits(5)),
]);

/** Who issues it. */
export const ISSUER = e("Emisor", "MMMMMM", [
	e("RNCEmisor", "MMMMMM", TAXPAYER),
	e("RazonSocialEmisor", "MMMMMM", text(150)),
	e("NombreComercial", "OOOOOO", text(150)),
	e("Sucursal", "OOOOOO", text(20)),
	e("DireccionEmisor", "MMMMMM", text(100)),
	e("Municipio", "OOOOOO", PLACE),
	e("Provincia", "OOOOOO", PLACE),
	e("TablaTelefonoEmisor", "OOOOOO", [e("TelefonoEmisor", "MMMMMM", PHONE, 3)]),
	e("CorreoEmisor", "OOOOOO", EMAIL),
	e("WebSite", "OOOOOO", text(50)),
	e("ActividadEconomica", "OOOOOO", text(100)),
	e("CodigoVendedor", "OOOO-O", text(60)),
	e("NumeroFacturaInterna", "OOOOOO", text(20)),
	e("NumeroPedidoInterno", "OOOOOO", digits(20)),
	e("ZonaVenta", "OOOO-O", text(20)),
	e("RutaVenta", "OOOO-O", text(20)),
	e("InformacionAdicionalEmisor", "OOOOOO", text(250)),
	e("FechaEmision", "MMMMMM", DATE),
]);

/** Who buys; in type 41, who sells. */
export const BUYER = e("Comprador", "MMCCMM", [
	e("RNCComprador", "MCCCMC", TAXPAYER),
	e("IdentificadorExtranjero", "-CCC-C", text(20)),
	e("RazonSocialComprador", "MCCCMM", text(150)),
	e("ContactoComprador", "OOOOOO", text(80)),
	e("CorreoComprador", "OOOOOO", EMAIL),
	e("DireccionComprador", "OOOOOO", text(100)),
	e("MunicipioComprador", "OOOOOO", PLACE),
	e("ProvinciaComprador", "OOOOOO", PLACE),
	e("FechaEntrega", "OOOO-O", DATE),
	e("ContactoEntrega", "OOOO-O", text(100)),
	e("DireccionEntrega", "OOOO-O", text(100)),
	e("TelefonoAdicional", "OOOO-O", PHONE),
	e("FechaOrdenCompra", "OOOO-O", DATE),
	e("NumeroOrdenCompra", "OOOO-O", text(20)),
	e("CodigoInternoComprador", "OOOOOO", text(20)),
	e("ResponsablePago", "OOOOOO", text(20)),
	e("InformacionAdicionalComprador", "OOOOOO", text(150)),
]);

/** Shipment and transport, which this service does not fill. */
export const SHIPMENT = e("InformacionesAdicionales", "OOOO-O", [
	e("FechaEmbarque", "OOOO-O", DATE),
	e("NumeroEmbarque", "OOOO-O", text(25)),
	e("NumeroContenedor", "OOOO-O", text(100)),
	e("NumeroReferencia", "OOOO-O", digits(20)),
	e("PesoBruto", "OOOO-O", decimal(2)),
	e("PesoNeto", "OOOO-O", decimal(2)),
	e("UnidadPesoBruto", "OOOO-O", UNIT),
	e("UnidadPesoNeto", "OOOO-O", UNIT),
	e("CantidadBulto", "OOOO-O", decimal(2)),
	e("UnidadBulto", "OOOO-O", UNIT),
	e("VolumenBulto", "OOOO-O", positive(2)),
	e("UnidadVolumen", "OOOO-O", UNIT),
]);
export const TRANSPORT = e("Transporte", "OOOO-O", [
	e("Conductor", "OOOO-O", text(20)),
	e("DocumentoTransporte", "OOOO-O", digits(20)),
	e("Ficha", "OOOO-O", text(10)),
	e("Placa", "OOOO-O", text(7)),
	e("RutaTransporte", "OOOO-O", text(20)),
	e("ZonaTransporte", "OOOO-O", text(20)),
	e("NumeroAlbaran", "OOOO-O", text(20)),
]);
