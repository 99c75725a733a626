/**
 * Reads the acknowledgement of receipt (ARECF) that a receiver answers an e-CF with. Nothing in it is believed before its signature has been
 * verified, and it has to speak of this very document: issuer, buyer, number.
 *
 * It says that the document came, not that the buyer agrees. Source: the authority's format of the acknowledgement.
 */
import { type TrustedAuthority, verifyDocument } from "../../ecf/verification";
import { childElements, OUTSIDE_LIMITS, textOf, type XmlElement } from "../../platform/xml";

export type Acknowledgement = {
	readonly isReceived: boolean;
	/** Present when it is not. */
	readonly motive?: number;
	/** The subject of the certificate that signed it. */
	readonly signer: string;
};

/** Whose document it has to speak of; RNCs are digits. */
export type Acknowledged = { readonly issuerRnc: string; readonly buyerRnc: string; readonly encf: string };

export type TrustOptions = {
	readonly now: Date;
	/** Who may vouch for a signer; without a bundle, as in the sandboxes, anybody's certificate will do. */
	readonly authorities?: readonly TrustedAuthority[] | undefined;
};

const LIMITS = { ...OUTSIDE_LIMITS, bytesMax: 64 * 1024 };

/** A string says why it is no acknowledgement of the document. */
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
	const told = tell(detail);
	const differs = (["RNCEmisor", "RNCComprador", "eNCF"] as const).find((name) => told(name) !== expected(of)[name]);
	if (differs) return `an acknowledgement of another document: ${differs} differs`;
	const state = told("Estado");
	const motive = told("CodigoMotivoNoRecibido");
	if (state === "0") return { isReceived: true, signer: signer.subject };
	if (state !== "1" || !/^\d{1,3}$/.test(motive)) return "an acknowledgement without a state that is known";
	return { isReceived: false, motive: Number(motive), signer: signer.subject };
}

/** An element's trimmed text; empty for one that is absent or stands there twice. */
function tell(detail: XmlElement): (name: string) => string {
	return (name) => {
		const [one, ...others] = childElements(detail).filter((child) => child.localName === name);
		return one && others.length === 0 ? textOf(one).trim() : "";
	};
}

function expected({ issuerRnc, buyerRnc, encf }: Acknowledged) {
	return { RNCEmisor: issuerRnc, RNCComprador: buyerRnc, eNCF: encf };
}
