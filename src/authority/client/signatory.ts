/** Who signs the authority's seeds and those of other taxpayers' receivers, and how: like the documents themselves. */
import type { SealedIdentity, SignatureProfile } from "../../ecf/signing";
import type { Segment } from "./segment";
import type { Who } from "./session";

export type Signatory = { readonly identity: SealedIdentity; readonly profile: SignatureProfile };

/** On whose behalf calls in an environment of the authority are made: calls under one certificate share a token there. */
export function toWho(segment: Segment, identity: SealedIdentity, profile: SignatureProfile): Who<Signatory> {
	return { segment, certificateId: identity.thumbprint, identity: { identity, profile } };
}
