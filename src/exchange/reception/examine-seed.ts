/** What a peer has signed to get a token. Apart from what gives seeds, which needs no library of certificates. */
import { verifyDocument } from "../../ecf/verification";
import { childElements, OUTSIDE_LIMITS, textOf } from "../../platform/xml";
import type { ExamineOptions } from "./examine";

const LIMITS = { ...OUTSIDE_LIMITS, bytesMax: 64 * 1024, nodesMax: 500 };

export type ExaminedSeed =
	| { readonly kind: "refused"; readonly detail: string }
	| { readonly kind: "signed"; readonly value: string; readonly subject: string };

/** What a signed seed says and who signed it; whether it is one of ours is not asked here. */
export function examineSeed(bytes: Uint8Array, { now, authorities }: ExamineOptions): ExaminedSeed {
	const { faults, content, signer } = verifyDocument(bytes, { now, authorities, limits: LIMITS });
	if (!content || !signer) return { kind: "refused", detail: faults.map(({ code }) => code).join(", ") };
	const children = childElements(content);
	const [value, date] = children;
	const isSeed =
		content.localName === "SemillaModel" &&
		children.length === 2 &&
		value?.localName === "valor" &&
		date?.localName === "fecha" &&
		childElements(value).length === 0;
	if (!isSeed || !value) return { kind: "refused", detail: "it is no seed" };
	return { kind: "signed", value: textOf(value), subject: signer.subject };
}
