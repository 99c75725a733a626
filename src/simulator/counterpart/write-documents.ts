/** The documents of the simulated taxpayer: invoices, acknowledgements of receipt, commercial approvals. */
import { toAuthorityDate, toAuthorityDateTime } from "../../platform/values";
import { type CanonicalDocument, COUNTERPART, leaf } from "./identity";

const TEST_EXPIRY = "31-12-2028";
const WITHOUT_EXPIRY = ["32", "34"];
/** Types whose lines are always exempt, and the type at 0 %. */
const EXEMPT = ["43", "44", "47"];
const AT_ZERO = "46";
const PRICE = "1000.00";

/**
 * An e-CF of one line. Quirk: the authority's own documents have `<Version>1</Version>`.
 * `reference`: the number that a note modifies.
 */
export function writeInvoice(to: {
	readonly type: string;
	readonly encf: string;
	readonly buyerRnc: string;
	readonly reference: string;
	readonly now: Date;
}): CanonicalDocument & { readonly total: string; readonly itbis: string } {
	const { type, encf, now } = to;
	const today = toAuthorityDate(now);
	const isNote = type === "33" || type === "34";
	const isTaxed = !EXEMPT.includes(type) && type !== AT_ZERO;
	const [itbis, total] = isTaxed ? ["180.00", "1180.00"] : ["0.00", PRICE];
	const indicator = isTaxed ? "1" : type === AT_ZERO ? "3" : "4";
	const content = [
		"<Encabezado><Version>1</Version><IdDoc>",
		leaf("TipoeCF", type) + leaf("eNCF", encf),
		type === "34" ? "<IndicadorNotaCredito>0</IndicadorNotaCredito>" : "",
		WITHOUT_EXPIRY.includes(type) ? "" : leaf("FechaVencimientoSecuencia", TEST_EXPIRY),
		isTaxed ? "<IndicadorMontoGravado>0</IndicadorMontoGravado>" : "",
		["41", "43", "47"].includes(type) ? "" : "<TipoIngresos>01</TipoIngresos>",
		"<TipoPago>1</TipoPago></IdDoc><Emisor>",
		leaf("RNCEmisor", COUNTERPART.rnc) + leaf("RazonSocialEmisor", COUNTERPART.name),
		`<DireccionEmisor>CALLE DE PRUEBA 1</DireccionEmisor>${leaf("FechaEmision", today)}</Emisor>`,
		buyerOf(type, to.buyerRnc),
		`<Totales>${totalsOf(isTaxed, type, itbis, total)}</Totales></Encabezado>`,
		`<DetallesItems><Item><NumeroLinea>1</NumeroLinea><IndicadorFacturacion>${indicator}</IndicadorFacturacion>`,
		type === "41" || type === "47" ? withholding(type) : "",
		"<NombreItem>Artículo de prueba</NombreItem><IndicadorBienoServicio>1</IndicadorBienoServicio>",
		`<CantidadItem>1</CantidadItem>${leaf("PrecioUnitarioItem", PRICE)}${leaf("MontoItem", PRICE)}</Item></DetallesItems>`,
		isNote ? referenceTo(to.reference, today) : "",
		leaf("FechaHoraFirma", toAuthorityDateTime(now)),
	].join("");
	return { root: "ECF", declarations: "", content, total, itbis };
}

/** A 43 has no buyer; the buyer of a 47 is abroad. */
function buyerOf(type: string, rnc: string): string {
	if (type === "43") return "";
	const buyer = type === "47" ? leaf("IdentificadorExtranjero", rnc) : leaf("RNCComprador", rnc);
	return `<Comprador>${buyer}<RazonSocialComprador>COMPRADOR DE PRUEBA</RazonSocialComprador></Comprador>`;
}

function totalsOf(isTaxed: boolean, type: string, itbis: string, total: string): string {
	const base = isTaxed
		? `${leaf("MontoGravadoTotal", PRICE)}${leaf("MontoGravadoI1", PRICE)}<ITBIS1>18</ITBIS1>${leaf("TotalITBIS", itbis)}${leaf("TotalITBIS1", itbis)}`
		: type === AT_ZERO
			? `${leaf("MontoGravadoTotal", PRICE)}${leaf("MontoGravadoI3", PRICE)}<ITBIS3>0</ITBIS3><TotalITBIS>0.00</TotalITBIS><TotalITBIS3>0.00</TotalITBIS3>`
			: leaf("MontoExento", PRICE);
	return base + leaf("MontoTotal", total);
}

function withholding(type: string): string {
	const amount =
		type === "41" ? "<MontoITBISRetenido>0.00</MontoITBISRetenido>" : "<MontoISRRetenido>0.00</MontoISRRetenido>";
	return `<Retencion><IndicadorAgenteRetencionoPercepcion>1</IndicadorAgenteRetencionoPercepcion>${amount}</Retencion>`;
}

function referenceTo(encf: string, date: string): string {
	return `<InformacionReferencia>${leaf("NCFModificado", encf)}${leaf("FechaNCFModificado", date)}<CodigoModificacion>3</CodigoModificacion></InformacionReferencia>`;
}

/** Why a receiver refuses a document: 1 specification, 2 signature, 3 duplicate, 4 another buyer. */
export type Motive = 1 | 2 | 3 | 4;

/** An ARECF: received, or not received and why. */
export function writeReceipt(of: {
	readonly issuerRnc: string;
	readonly buyerRnc: string;
	readonly encf: string;
	readonly motive: Motive | undefined;
	readonly now: Date;
}): CanonicalDocument {
	const content = [
		"<DetalleAcusedeRecibo><Version>1.0</Version>",
		leaf("RNCEmisor", of.issuerRnc) + leaf("RNCComprador", of.buyerRnc) + leaf("eNCF", of.encf),
		leaf("Estado", of.motive === undefined ? 0 : 1),
		of.motive === undefined ? "" : leaf("CodigoMotivoNoRecibido", of.motive),
		`${leaf("FechaHoraAcuseRecibo", toAuthorityDateTime(of.now))}</DetalleAcusedeRecibo>`,
	].join("");
	return { root: "ARECF", declarations: "", content };
}

/** An ACECF. Quirks: the authority's own documents declare namespaces on the root and have a total without decimals, against its schema. */
export function writeApproval(of: {
	readonly issuerRnc: string;
	readonly buyerRnc: string;
	readonly encf: string;
	readonly issueDate: string;
	readonly total: string;
	readonly isApproved: boolean;
	readonly now: Date;
}): CanonicalDocument {
	const content = [
		"<DetalleAprobacionComercial><Version>1.0</Version>",
		leaf("RNCEmisor", of.issuerRnc) + leaf("eNCF", of.encf) + leaf("FechaEmision", of.issueDate),
		leaf("MontoTotal", String(Number(of.total))) + leaf("RNCComprador", of.buyerRnc),
		of.isApproved
			? leaf("Estado", 1)
			: `${leaf("Estado", 2)}<DetalleMotivoRechazo>Prueba de rechazo</DetalleMotivoRechazo>`,
		`${leaf("FechaHoraAprobacionComercial", toAuthorityDateTime(of.now))}</DetalleAprobacionComercial>`,
	].join("");
	const declarations =
		' xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
	return { root: "ACECF", declarations, content };
}
