/** What the decision needs to know of a document with a valid structure. */
import { Decimal } from "../../platform/values";
import type { Message } from "./judgement";
import { elementAt, textAt, type XmlElement } from "./read-document";
import type { Channel } from "./structure";

export type Ecf = {
	readonly channel: Channel;
	readonly root: XmlElement;
	readonly rnc: string;
	readonly issuerName: string | null;
	readonly encf: string;
	readonly type: string;
	/** `dd-MM-yyyy`, like the other dates. */
	readonly issueDate: string;
	readonly total: Decimal;
	readonly totalItbis: Decimal;
	readonly buyerRnc: string | null;
	readonly buyerName: string | null;
	readonly foreignBuyer: string | null;
	/** Absent in types 32 and 34 and in summaries. */
	readonly sequenceExpiresOn: string | null;
	/** `dd-MM-yyyy HH:mm:ss`; absent in summaries. */
	readonly signedAt: string | null;
	/** Six characters: of the document's own signature, or those that a summary quotes. */
	readonly securityCode: string;
	readonly reference: Reference | null;
};

export type Reference = {
	readonly encf: string;
	/** Another taxpayer's number when the original belongs to a merged company. */
	readonly otherRnc: string | null;
	readonly date: string | null;
	readonly code: string | null;
};

export function toEcf(root: XmlElement, channel: Channel, signatureValue: string): Ecf {
	const header = (path: string) => textAt(root, `Encabezado/${path}`) ?? null;
	return {
		channel,
		root,
		rnc: header("Emisor/RNCEmisor") ?? "",
		issuerName: header("Emisor/RazonSocialEmisor"),
		encf: header("IdDoc/eNCF") ?? "",
		type: header("IdDoc/TipoeCF") ?? "",
		issueDate: header("Emisor/FechaEmision") ?? "",
		total: amountAt(root, "Encabezado/Totales/MontoTotal"),
		totalItbis: amountAt(root, "Encabezado/Totales/TotalITBIS"),
		buyerRnc: header("Comprador/RNCComprador"),
		buyerName: header("Comprador/RazonSocialComprador"),
		foreignBuyer: header("Comprador/IdentificadorExtranjero"),
		sequenceExpiresOn: header("IdDoc/FechaVencimientoSecuencia"),
		signedAt: textAt(root, "FechaHoraFirma") ?? null,
		securityCode: header("CodigoSeguridadeCF") ?? signatureValue.slice(0, 6),
		reference: toReference(root),
	};
}

export function amountAt(element: XmlElement, path: string): Decimal {
	const text = textAt(element, path);
	return text === undefined ? Decimal.zero : Decimal.of(text.replace(/^\+/, ""));
}

function toReference(root: XmlElement): Reference | null {
	const block = elementAt(root, "InformacionReferencia");
	if (!block) return null;
	return {
		encf: textAt(block, "NCFModificado") ?? "",
		otherRnc: textAt(block, "RNCOtroContribuyente") ?? null,
		date: textAt(block, "FechaNCFModificado") ?? null,
		code: textAt(block, "CodigoModificacion") ?? null,
	};
}

/** A broken business rule: a serious one rejects the document, others make the acceptance conditional. */
export type Finding = { readonly grave: boolean; readonly message: Message };

export type Rule = (ecf: Ecf) => readonly Finding[];

export function grave(message: Message): Finding {
	return { grave: true, message };
}

export function mild(message: Message): Finding {
	return { grave: false, message };
}
