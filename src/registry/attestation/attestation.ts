/**
 * Signed statements of what the registry's copy held about a number. A compact JWS, so a holder needs only the public keys and any tool
 * that verifies Ed25519. The service keeps nothing: who asked about whom is personal data.
 */
import { verify } from "node:crypto";
import type { RegistryEntry } from "../entry";
import { ACTIVE_STATUS } from "../known-values";
import { type Consultation, type Outcome, type Parties, readNumber, writeNumber } from "./consultation-number";
import type { RegistryKeys } from "./keys";

/** What the copy held on a day. */
export type Finding = {
	/** `YYYY-MM-DD`, in UTC-4. */
	readonly asOf: string;
	readonly entry: RegistryEntry | undefined;
	readonly run: {
		readonly runId: string;
		readonly ordinal: number;
		readonly sourceSha256: string | null;
		/** Null for an operator's import of an older file, like the source. */
		readonly confirmedAt: Date | null;
	};
};

export type Attestations = {
	readonly attest: (finding: Finding, parties: Parties) => Promise<Attested>;
	/** What an attestation says; undefined unless it is ours and unchanged. */
	readonly readAttestation: (text: string) => Promise<Checked | undefined>;
	/** What a consultation number says; undefined unless it was given for these parties. */
	readonly readNumber: (text: string, parties: Parties) => Checked | undefined;
};

type Attested = {
	readonly consultationNumber: string;
	readonly outcome: Outcome;
	/** Compact JWS. */
	readonly attestation: string;
};
type Checked = Pick<Consultation, "outcome" | "date">;

const TYP = "registry-attestation+jwt";
const HEADER = /^\{"alg":"EdDSA","kid":"([0-9a-z-]{1,40})","typ":"registry-attestation\+jwt"\}$/;

type AttestationsDeps = {
	readonly keys: RegistryKeys;
	/** Proves consultation numbers; the same in every process and after every restart. */
	readonly numberKey: Uint8Array;
	/** Issuer of the statements. */
	readonly baseUrl: string;
	readonly clock: { readonly now: () => Date };
};

export function createAttestations({ keys, numberKey, baseUrl, clock }: AttestationsDeps): Attestations {
	return {
		attest: async ({ asOf, entry, run }, parties) => {
			const outcome = !entry ? "not_found" : entry.status === ACTIVE_STATUS ? "found" : "inactive";
			const consultation = { date: asOf, runOrdinal: run.ordinal, outcome } as const;
			const consultationNumber = writeNumber(numberKey, consultation, parties);
			const { document, requester } = parties;
			const attestation = await keys.sign(TYP, {
				iss: baseUrl,
				iat: Math.floor(clock.now().getTime() / 1000),
				jti: consultationNumber,
				sub: document,
				...(requester === undefined ? {} : { requester }),
				as_of: asOf,
				outcome,
				...(entry ? { entry } : {}),
				run: { id: run.runId, source_sha256: run.sourceSha256, confirmed_at: run.confirmedAt?.toISOString() ?? null },
				statement: STATEMENT,
			});
			return { consultationNumber, outcome, attestation };
		},
		readAttestation: async (text) => {
			const [header = "", payload = "", signature = "", ...rest] = text.split(".");
			const [head, claims, proof] = [header, payload, signature].map((part) => Buffer.from(part, "base64url"));
			const isCanonical = [head, claims, proof].map((part) => part?.toString("base64url")).join(".") === text;
			const kid = HEADER.exec(head?.toString("latin1") ?? "")?.[1];
			if (rest.length > 0 || !isCanonical || !claims || !proof || kid === undefined) return undefined;
			const key = await keys.find(kid);
			if (!key || !verify(null, Buffer.from(`${header}.${payload}`), key, proof)) return undefined;
			const { outcome, as_of: date } = JSON.parse(claims.toString()) as { outcome: Outcome; as_of: string };
			return { outcome, date };
		},
		readNumber: (text, parties) => {
			const found = readNumber(numberKey, text, parties);
			return found && { outcome: found.outcome, date: found.date };
		},
	};
}

/** What is attested, and what is not: the authority itself signs nothing, and its file names no dates of effect. */
const STATEMENT = {
	en:
		"On the day as_of (UTC-4), the copy of the taxpayer registry in use here held this about sub. It was made from the tax authority's " +
		"file with the SHA-256 run.source_sha256. Without entry, it held nothing.",
	es:
		"El día as_of (UTC-4), la copia del registro de contribuyentes en uso aquí tenía esto sobre sub. Se hizo del archivo de la DGII con " +
		"el SHA-256 run.source_sha256. Sin entry, no tenía nada.",
};
