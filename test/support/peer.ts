/** Another taxpayer's program: signs with its own certificate and speaks the protocol between receivers. */
import { type Identity, identities } from "../../scripts/attacks/identities";
import { plainSignature, seal } from "../../scripts/attacks/seal";
import { toAuthorityDate, toAuthorityDateTime } from "../../src/platform/values";
import { until } from "./until";

export type PeerDocument = {
	readonly buyerRnc: string;
	readonly issuerRnc?: string;
	readonly type?: string;
	readonly encf?: string;
	readonly orderNumber?: string;
	readonly identity?: Identity;
	/** Changes the text before it is signed. */
	readonly edit?: (content: string) => string;
};

let next = 1;

/** A number that is unique in this run. */
export function nextEncf(type = "31"): string {
	return `E${type}${String(7_000_000_000 + next++)}`;
}

/** The content of a signed e-CF with one line, valid by the authority's schemas. */
export function contentOf({ buyerRnc, issuerRnc = "101010101", type = "31", encf, orderNumber }: PeerDocument): string {
	const now = new Date();
	const isNote = type === "33" || type === "34";
	const isExempt = type === "44";
	const order = orderNumber === undefined ? "" : `<NumeroOrdenCompra>${orderNumber}</NumeroOrdenCompra>`;
	const totals = isExempt
		? "<MontoExento>1000.00</MontoExento><MontoTotal>1000.00</MontoTotal>"
		: "<MontoGravadoTotal>1000.00</MontoGravadoTotal><MontoGravadoI1>1000.00</MontoGravadoI1><ITBIS1>18</ITBIS1>" +
			"<TotalITBIS>180.00</TotalITBIS><TotalITBIS1>180.00</TotalITBIS1><MontoTotal>1180.00</MontoTotal>";
	return [
		`<Encabezado><Version>1.0</Version><IdDoc><TipoeCF>${type}</TipoeCF><eNCF>${encf ?? nextEncf(type)}</eNCF>`,
		type === "34"
			? "<IndicadorNotaCredito>0</IndicadorNotaCredito>"
			: "<FechaVencimientoSecuencia>31-12-2028</FechaVencimientoSecuencia>",
		isExempt ? "" : "<IndicadorMontoGravado>0</IndicadorMontoGravado>",
		`<TipoIngresos>01</TipoIngresos><TipoPago>1</TipoPago></IdDoc><Emisor><RNCEmisor>${issuerRnc}</RNCEmisor>`,
		"<RazonSocialEmisor>PROVEEDOR ÑANDÚ &amp; CIA</RazonSocialEmisor><DireccionEmisor>CALLE 1</DireccionEmisor>",
		`<FechaEmision>${toAuthorityDate(now)}</FechaEmision></Emisor><Comprador><RNCComprador>${buyerRnc}</RNCComprador>`,
		`<RazonSocialComprador>COMPRADOR</RazonSocialComprador>${order}</Comprador><Totales>${totals}</Totales></Encabezado>`,
		`<DetallesItems><Item><NumeroLinea>1</NumeroLinea><IndicadorFacturacion>${isExempt ? 4 : 1}</IndicadorFacturacion>`,
		"<NombreItem>Cemento</NombreItem><IndicadorBienoServicio>1</IndicadorBienoServicio><CantidadItem>1</CantidadItem>",
		"<PrecioUnitarioItem>1000.00</PrecioUnitarioItem><MontoItem>1000.00</MontoItem></Item></DetallesItems>",
		isNote
			? `<InformacionReferencia><NCFModificado>E310000000001</NCFModificado><FechaNCFModificado>${toAuthorityDate(now)}</FechaNCFModificado><CodigoModificacion>3</CodigoModificacion></InformacionReferencia>`
			: "",
		`<FechaHoraFirma>${toAuthorityDateTime(now)}</FechaHoraFirma>`,
	].join("");
}

/** The signed bytes without an XML declaration, as the authority sends them. */
export function signedEcf(document: PeerDocument): string {
	const { identity = identities.good, edit = (content) => content } = document;
	return seal(`<ECF>${edit(contentOf(document))}${plainSignature(identity)}</ECF>`, { identity });
}

export type Sending = {
	readonly token?: string | undefined;
	readonly path?: string;
	/** Of the file part. */
	readonly headers?: string;
	readonly accept?: string;
	/** Replaces the well-formed body. */
	readonly body?: string | Uint8Array;
	readonly contentType?: string;
};

const BOUNDARY = "frontera-de-prueba";
export const RECEPTION = "/fe/recepcion/api/ecf";

/** Posts a file as other receivers do, and repeats it when the service is busy. */
export async function sendToReceiver(url: string, xml: string | Uint8Array, sending: Sending = {}): Promise<Response> {
	const { token, path = RECEPTION, accept, contentType } = sending;
	const partHeaders =
		sending.headers ?? 'Content-Disposition: form-data; name="xml"; filename="a.xml"\r\nContent-Type: text/xml';
	const body = Buffer.concat([
		Buffer.from(`--${BOUNDARY}\r\n${partHeaders}\r\n\r\n`),
		Buffer.from(xml),
		Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
	]);
	const headers = {
		"content-type": contentType ?? `multipart/form-data; boundary=${BOUNDARY}`,
		...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
		...(accept === undefined ? {} : { accept }),
	};
	let answer: Response | undefined;
	await until(async () => {
		answer = await fetch(`${url}${path}`, { method: "POST", headers, body: sending.body ?? body });
		return answer.status !== 503;
	}, 120_000);
	if (!answer) throw new Error("no answer came");
	return answer;
}

/** Gets a seed and signs it. */
export async function signedSeed(url: string, identity: Identity = identities.good): Promise<string> {
	const seed = await (await fetch(`${url}/fe/autenticacion/api/semilla`)).text();
	const unsigned = seed.replace(/^<\?xml[^>]*\?>/, "");
	return seal(unsigned.replace("</SemillaModel>", `${plainSignature(identity)}</SemillaModel>`), { identity });
}

export const TOKEN = "/fe/autenticacion/api/validacioncertificado";

/** Gets a token for a signed seed. */
export async function getPeerToken(url: string, identity: Identity = identities.good): Promise<string> {
	const answer = await sendToReceiver(url, await signedSeed(url, identity), { path: TOKEN });
	if (answer.status !== 200) throw new Error(`token: ${answer.status} ${await answer.text()}`);
	return ((await answer.json()) as { token: string }).token;
}

/** `0` for received, otherwise the reason code; undefined when the text is no acknowledgement. */
export function motiveOf(arecf: string): number | undefined {
	const [, state, motive] = /<ARECF>.*<Estado>([01])<\/Estado>(?:<CodigoMotivoNoRecibido>([1-4])<)?/s.exec(arecf) ?? [];
	if (state === undefined) return undefined;
	return state === "0" ? 0 : Number(motive);
}
