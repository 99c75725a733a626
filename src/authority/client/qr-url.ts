/**
 * The address in a document's QR code, where anyone can look the document up.
 * Source: the authority's technical report, QR code and printed representation.
 */
import type { AuthorityUrls, Segment } from "./addresses";

/** Finds the segment in either kind of address. */
const segmentInQrUrl = /\/(testecf|certecf|ecf)\/ConsultaTimbre/;

/**
 * The authority's environment that a document was issued for, read from its printed address; undefined if it names none. The document is sent
 * there even if its company has moved since.
 */
export function segmentOfQrUrl(qrUrl: string): Segment | undefined {
	return segmentInQrUrl.exec(qrUrl)?.[1] as Segment | undefined;
}

/** Every text exactly as in the signed document. */
export type QrDocument = {
	readonly rnc: string;
	/** Absent if the buyer has no RNC. */
	readonly buyerRnc?: string;
	readonly encf: string;
	/** `dd-MM-yyyy`. */
	readonly issueDate: string;
	readonly total: string;
	/** `dd-MM-yyyy HH:mm:ss`. */
	readonly signedAt: string;
	readonly securityCode: string;
};

export function ecfQrUrl(urls: Pick<AuthorityUrls, "main">, segment: Segment, document: QrDocument): string {
	return address(urls.main, `${segment}/ConsultaTimbre`, [
		["RncEmisor", document.rnc],
		["RncComprador", document.buyerRnc],
		["ENCF", document.encf],
		["FechaEmision", document.issueDate],
		["MontoTotal", document.total],
		["FechaFirma", document.signedAt],
		["CodigoSeguridad", document.securityCode],
	]);
}

/** The address for a consumer invoice under RD$250,000, of which the authority has only the summary. */
export function consumerQrUrl(
	urls: Pick<AuthorityUrls, "fc">,
	segment: Segment,
	document: Pick<QrDocument, "rnc" | "encf" | "total" | "securityCode">,
): string {
	return address(urls.fc, `${segment}/ConsultaTimbreFC`, [
		["RncEmisor", document.rnc],
		["ENCF", document.encf],
		["MontoTotal", document.total],
		["CodigoSeguridad", document.securityCode],
	]);
}

function address(base: string, path: string, query: readonly [name: string, value: string | undefined][]): string {
	let url = `${base.endsWith("/") ? base.slice(0, -1) : base}/${path}`;
	let separator = "?";
	for (const [name, value] of query) {
		if (value === undefined) continue;
		url += `${separator}${name}=${encode(value)}`;
		separator = "&";
	}
	return url;
}

/** Texts that encoding leaves unchanged, colons included. */
const PLAIN = /^[\w.!~*'():-]*$/;

/** Quirk: the official example leaves the colons of the time as they are; everything else is percent-encoded. */
function encode(text: string): string {
	return PLAIN.test(text) ? text : encodeURIComponent(text).replaceAll("%3A", ":");
}
