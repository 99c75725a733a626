/**
 * Reads the acknowledgement of receipt (ARECF) that a receiver sends for an e-CF. Its signature is verified before anything else, and it must name
 * the issuer, buyer and number of this document.
 *
 * It confirms receipt, not agreement. Source: the authority's format of the acknowledgement.
 */
import { type TrustedAuthority, verifyDocument } from "../../ecf/verification";
import { childElements, OUTSIDE_LIMITS, textOf, type XmlElement } from "../../platform/xml";

export type Acknowledgement = {
	readonly isReceived: boolean;
	/** Present if it was not received. */
	readonly motive?: number;
	/** Subject of the certificate that signed it. */
	readonly signer: string;
};

/** The document that it must name. RNCs are digits. */
export type Acknowledged = { readonly issuerRnc: string; readonly buyerRnc: string; readonly encf: string };

export type TrustOptions = {
	readonly now: Date;
	/** Trusted authorities. Without a bundle, as in the sandboxes, any certificate is accepted. */
	readonly authorities?: readonly TrustedAuthority[] | undefined;
};

const LIMITS = { ...OUTSIDE_LIMITS, bytesMax: 64 * 1024 };

/** Returns the reason as a string if it is no acknowledgement of the document. */
export function readAcknowledgement(
	bytes: Uint8Array,
	of: Acknowledged,
	{ now, authorities }: TrustOptions,
): Acknowledgement | string {
	const { faults, content, signer } = verifyDocument(bytes, { now, authorities, limits: LIMITS });
	const [fault] = faults;
	if (!content || !signer) return `no acknowledgement: ${fault?.code ?? "unreadable"}: ${fault?.detail ?? ""}`;
	const detail = childElements(content).find((one) => one.localName === "DetalleAcusedeRecibo");
	if (content.localName !== "ARECF" || !detail) return `no acknowledgement, but ${content.localName}`;
	const textIn = readTexts(detail);
	const differs = (["RNCEmisor", "RNCComprador", "eNCF"] as const).find((name) => textIn(name) !== expected(of)[name]);
	if (differs) return `an acknowledgement of another document: ${differs} differs`;
	const state = textIn("Estado");
	const motive = textIn("CodigoMotivoNoRecibido");
	if (state === "0") return { isReceived: true, signer: signer.subject };
	if (state !== "1" || !/^\d{1,3}$/.test(motive)) return "an acknowledgement without a known state";
	return { isReceived: false, motive: Number(motive), signer: signer.subject };
}

/** The trimmed text of an element; empty if it is absent or not unique. */
function readTexts(detail: XmlElement): (name: string) => string {
	return (name) => {
		const [one, ...others] = childElements(detail).filter((child) => child.localName === name);
		return one && others.length === 0 ? textOf(one).trim() : "";
	};
}

function expected({ issuerRnc, buyerRnc, encf }: Acknowledged) {
	return { RNCEmisor: issuerRnc, RNCComprador: buyerRnc, eNCF: encf };
}
