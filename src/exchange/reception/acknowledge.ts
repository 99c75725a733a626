/** Answers for a buyer: acknowledgements with its signature, made in the signing threads, where keys are. */
import { type CompanyRow, findSigningIdentity } from "../../companies";
import type { Signer } from "../../ecf/signing";
import { retryOnFailure, type Sql } from "../../platform/database";
import type { Clock } from "../../platform/values";
import { type DocumentNames, type Motive, writeArecf } from "./arecf-xml";

export type AcknowledgeDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly signer: Pick<Signer, "signDocument">;
};

/** An acknowledgement that the document was not received, unsigned where nobody here can sign it. */
export async function refuse(
	deps: AcknowledgeDeps,
	company: CompanyRow | undefined,
	names: DocumentNames,
	motive: Motive,
): Promise<Uint8Array> {
	const signed = company && (await acknowledge(deps, company, names, motive));
	if (signed) return signed;
	return new TextEncoder().encode(
		`<?xml version="1.0" encoding="UTF-8"?>${writeArecf(names, motive, deps.clock.now())}`,
	);
}

/** Signed by the buyer; undefined where it has no certificate that is in force. */
export async function acknowledge(
	{ sql, signer, clock }: AcknowledgeDeps,
	{ tenantId, settings }: CompanyRow,
	names: DocumentNames,
	motive: Motive | undefined,
): Promise<Uint8Array | undefined> {
	const at = clock.now();
	const identity = await retryOnFailure(() => findSigningIdentity(sql, tenantId, at));
	if (!identity) return undefined;
	const xml = writeArecf(names, motive, at);
	return signer.signDocument({
		tenantId,
		xml,
		identity,
		profile: settings.signatureProfile,
		signedAt: at.toISOString(),
	});
}
