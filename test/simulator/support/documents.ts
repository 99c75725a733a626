/** Builds minimal valid documents; a test names only what it is about. */
import {
	Decimal,
	isoToAuthorityDate,
	toAuthorityDate,
	toAuthorityDateTime,
	toLocalIsoDate,
} from "../../../src/platform/values";

export const ISSUER = "990000001";
export const BUYER = "990000026";

export type EcfParts = {
	readonly type?: string;
	readonly encf?: string;
	readonly issuer?: string;
	/** Null leaves the buyer's RNC out. */
	readonly buyer?: string | null;
	readonly price?: string;
	readonly lines?: number;
	/** Instead of the sum of lines and ITBIS. */
	readonly total?: string;
	readonly expiresOn?: string;
	readonly issueDate?: string;
	readonly signedAt?: string;
	readonly priceIndicator?: boolean;
	/** Type 41: null leaves the withheld ITBIS out. */
	readonly withheld?: string | null;
	readonly reference?: { encf: string; date?: string; code?: string; indicator?: string };
};

/** An e-CF of lines taxed at 18 %, unsigned and without white space between elements. */
export function ecf(parts: EcfParts = {}): string {
	const { type = "31", encf = `E${type}0000000001`, buyer = BUYER, price = "100.00", lines = 1 } = parts;
	const now = new Date();
	const base = Decimal.of(price).times(Decimal.of(String(lines)));
	const tax = base.times(Decimal.of("0.18")).rounded(2);
	const total = parts.total ?? base.plus(tax).toFixed(2);
	const isNote = type === "33" || type === "34";
	return [
		'<?xml version="1.0" encoding="utf-8"?><ECF><Encabezado><Version>1.0</Version><IdDoc>',
		leaf("TipoeCF", type),
		leaf("eNCF", encf),
		type === "34" ? leaf("IndicadorNotaCredito", parts.reference?.indicator ?? "0") : "",
		type === "32" || type === "34" ? "" : leaf("FechaVencimientoSecuencia", parts.expiresOn ?? "31-12-2028"),
		parts.priceIndicator === false ? "" : leaf("IndicadorMontoGravado", "0"),
		type === "41" ? "" : leaf("TipoIngresos", "01"),
		"<TipoPago>1</TipoPago></IdDoc><Emisor>",
		leaf("RNCEmisor", parts.issuer ?? ISSUER),
		"<RazonSocialEmisor>EMISORA SRL</RazonSocialEmisor><DireccionEmisor>NO INDICADA</DireccionEmisor>",
		leaf("FechaEmision", parts.issueDate ?? toAuthorityDate(now)),
		"</Emisor><Comprador>",
		buyer === null ? "" : leaf("RNCComprador", buyer),
		"<RazonSocialComprador>COMPRADORA SRL</RazonSocialComprador></Comprador><Totales>",
		leaf("MontoGravadoTotal", base.toFixed(2)),
		leaf("MontoGravadoI1", base.toFixed(2)),
		"<ITBIS1>18</ITBIS1>",
		leaf("TotalITBIS", tax.toFixed(2)),
		leaf("TotalITBIS1", tax.toFixed(2)),
		leaf("MontoTotal", total),
		"</Totales></Encabezado><DetallesItems>",
		...Array.from({ length: lines }, (_, index) => item(index + 1, type, price, parts.withheld)),
		"</DetallesItems>",
		isNote ? reference(parts.reference ?? { encf: "E310000000001" }, now) : "",
		leaf("FechaHoraFirma", parts.signedAt ?? toAuthorityDateTime(now)),
		"</ECF>",
	].join("");
}

function item(line: number, type: string, price: string, withheld: string | null = "0.00"): string {
	const amount = withheld === null ? "" : leaf("MontoITBISRetenido", withheld);
	const retention = `<Retencion><IndicadorAgenteRetencionoPercepcion>1</IndicadorAgenteRetencionoPercepcion>${amount}</Retencion>`;
	return [
		`<Item><NumeroLinea>${line}</NumeroLinea><IndicadorFacturacion>1</IndicadorFacturacion>`,
		type === "41" ? retention : "",
		"<NombreItem>Cemento gris</NombreItem><IndicadorBienoServicio>1</IndicadorBienoServicio>",
		`<CantidadItem>1</CantidadItem><PrecioUnitarioItem>${price}</PrecioUnitarioItem><MontoItem>${price}</MontoItem></Item>`,
	].join("");
}

function reference(to: { encf: string; date?: string; code?: string }, now: Date): string {
	const date = to.date ?? toAuthorityDate(now);
	return `<InformacionReferencia>${leaf("NCFModificado", to.encf)}${leaf("FechaNCFModificado", date)}${leaf(
		"CodigoModificacion",
		to.code ?? "3",
	)}</InformacionReferencia>`;
}

/** The e-CF of one line of 100.00 with the line exempt. */
export function toExempt(xml: string): string {
	return xml
		.replace(/<MontoGravadoTotal>.*<\/TotalITBIS1>/, "<MontoExento>100.00</MontoExento>")
		.replace("<MontoTotal>118.00", "<MontoTotal>100.00")
		.replace("<IndicadorFacturacion>1", "<IndicadorFacturacion>4");
}

/** The e-CF of one line of 100.00 with ITBIS in its price. */
export function toInclusive(xml: string): string {
	return xml
		.replace("<IndicadorMontoGravado>0", "<IndicadorMontoGravado>1")
		.replaceAll(/(?<=<(PrecioUnitarioItem|MontoItem)>)100.00/g, "118.00");
}

export type SummaryParts = {
	readonly encf?: string;
	readonly issuer?: string;
	readonly buyer?: string;
	readonly total?: string;
	readonly securityCode?: string;
};

/** A summary of a consumer invoice without tax. */
export function summary(parts: SummaryParts = {}): string {
	const total = parts.total ?? "118.00";
	return [
		'<?xml version="1.0" encoding="utf-8"?><RFCE><Encabezado><Version>1.0</Version><IdDoc><TipoeCF>32</TipoeCF>',
		leaf("eNCF", parts.encf ?? "E320000000001"),
		"<TipoIngresos>01</TipoIngresos><TipoPago>1</TipoPago></IdDoc><Emisor>",
		leaf("RNCEmisor", parts.issuer ?? ISSUER),
		`<RazonSocialEmisor>EMISORA SRL</RazonSocialEmisor>${leaf("FechaEmision", toAuthorityDate(new Date()))}</Emisor>`,
		`<Comprador>${parts.buyer ? leaf("RNCComprador", parts.buyer) : ""}`,
		"<RazonSocialComprador>CONSUMIDOR FINAL</RazonSocialComprador></Comprador>",
		`<Totales>${leaf("MontoExento", total)}${leaf("MontoTotal", total)}</Totales>`,
		`${leaf("CodigoSeguridadeCF", parts.securityCode ?? "aB3/x+")}</Encabezado></RFCE>`,
	].join("");
}

export type ApprovalParts = {
	readonly encf: string;
	readonly issuer?: string;
	readonly buyer?: string;
	readonly total?: string;
	readonly issueDate?: string;
	readonly state?: string;
	readonly reason?: string;
};

/** A commercial approval of an e-CF of `ecf()`. */
export function approval(parts: ApprovalParts): string {
	const now = new Date();
	return [
		'<?xml version="1.0" encoding="utf-8"?><ACECF><DetalleAprobacionComercial><Version>1.0</Version>',
		leaf("RNCEmisor", parts.issuer ?? ISSUER) + leaf("eNCF", parts.encf),
		leaf("FechaEmision", parts.issueDate ?? toAuthorityDate(now)) + leaf("MontoTotal", parts.total ?? "118.00"),
		leaf("RNCComprador", parts.buyer ?? BUYER) + leaf("Estado", parts.state ?? "1"),
		parts.reason === undefined ? "" : leaf("DetalleMotivoRechazo", parts.reason),
		leaf("FechaHoraAprobacionComercial", toAuthorityDateTime(now)),
		"</DetalleAprobacionComercial></ACECF>",
	].join("");
}

/** `dd-MM-yyyy` of a day counted from today. */
export function daysFromToday(days: number): string {
	return isoToAuthorityDate(toLocalIsoDate(new Date(Date.now() + days * 86_400_000)));
}

function leaf(name: string, text: string): string {
	return `<${name}>${text}</${name}>`;
}
