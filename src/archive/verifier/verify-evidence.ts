/**
 * Verifies a document's evidence without the service. Every check is independent, and all are reported.
 *
 *     entries ─▶ sealed.zip ─▶ manifest ─▶ unpacked          nothing is missing, added or changed
 *                    │
 *                    ├─▶ e-CF and summary: signatures, certificate, issuer     who signed it, and that they did
 *                    ├─▶ document, answers                                     all parts are of one document
 *                    └─▶ leaf ─▶ chain, inclusion ─▶ checkpoint ─▶ key         it stood in the archive by then
 *                                                       └─▶ receipt            and the archive has signed it
 *
 * Model: a check passes, fails, or is not decided, which counts for neither side. Checks use the contents of `sealed.zip`, never another part's
 * statement about it, so changing both is detected too. The evidence is valid if no check fails.
 *
 * Limits: the file alone cannot show whether its key is the archive's (the reader compares it, or gives the expected one), or whether the
 * certificate's issuer is trustworthy (a bundle of authorities is given, or not). Under a false key everything else can be forged.
 *
 * Runs wherever there is Web Cryptography: the browser's page and the command line share this code.
 */

import type { TrustedAuthority } from "../../ecf/verification";
import { judgeAnswers } from "./judge-answers";
import { type CompareOptions, judgeCheckpoint, judgeConsistency, judgeKey } from "./judge-checkpoint";
import { judgeOneDocument, judgeRegistry } from "./judge-document";
import { judgeEntries, judgeManifest, judgeSealedObject, judgeUnpacked } from "./judge-object";
import { judgeAgreement, judgeReceiptSignature } from "./judge-receipt";
import { judgeCertificateFile, judgeIssuer, judgeSignature, judgeSummarySignature } from "./judge-signatures";
import { judgeChain, judgeInclusion, judgeLeaf } from "./judge-tree";
import { type Evidence, openEvidence } from "./open-evidence";
import { joinWords, type NotJudged, Refusal, type Words } from "./words";

export type EvidenceOptions = CompareOptions & {
	/** The time of verification. Later signing times are refused. */
	readonly now: Date;
	/** Without them the certificate's issuer is not checked. */
	readonly authorities?: readonly TrustedAuthority[] | undefined;
};

export type Check = {
	readonly name: CheckName;
	/** Null if the check was not decided. */
	readonly ok: boolean | null;
	readonly detail: Words;
};

export type EvidenceReport = {
	/** True if no check fails. */
	readonly ok: boolean;
	/** One sentence: whether the evidence holds, and on which condition. */
	readonly verdict: Words;
	/** Always all of them, in one order. */
	readonly checks: readonly Check[];
};

type Judge = (evidence: Evidence, options: EvidenceOptions) => Words | NotJudged | Promise<Words | NotJudged>;

const JUDGES = {
	entries: judgeEntries,
	"sealed-object": judgeSealedObject,
	manifest: judgeManifest,
	unpacked: judgeUnpacked,
	signature: judgeSignature,
	"summary-signature": judgeSummarySignature,
	certificate: judgeCertificateFile,
	issuer: (evidence, { authorities }) => judgeIssuer(evidence, authorities !== undefined),
	document: judgeOneDocument,
	answers: judgeAnswers,
	registry: judgeRegistry,
	leaf: judgeLeaf,
	chain: judgeChain,
	inclusion: judgeInclusion,
	checkpoint: judgeCheckpoint,
	key: judgeKey,
	receipt: judgeReceiptSignature,
	agreement: judgeAgreement,
	consistency: judgeConsistency,
} as const satisfies Readonly<Record<string, Judge>>;

export type CheckName = keyof typeof JUDGES;

export const CHECK_NAMES = Object.keys(JUDGES) as readonly CheckName[];

const VERDICTS = {
	good: { en: "The evidence holds", es: "La evidencia se sostiene" },
	conditional: {
		en: "The evidence holds, if the key is the archive's",
		es: "La evidencia se sostiene, si la clave es la del archivo",
	},
	bad: { en: "The evidence does not hold", es: "La evidencia no se sostiene" },
} as const satisfies Readonly<Record<string, Words>>;

/** Verifies the bytes of an evidence ZIP, however malformed. */
export async function verifyEvidence(bytes: Uint8Array, options: EvidenceOptions): Promise<EvidenceReport> {
	const evidence = openEvidence(bytes, options);
	const checks: Check[] = [];
	for (const name of CHECK_NAMES) checks.push({ name, ...(await judge(JUDGES[name], evidence, options)) });
	const ok = checks.every((check) => check.ok !== false);
	const isKeyKnown = checks.some((check) => check.name === "key" && check.ok);
	return { ok, verdict: VERDICTS[ok ? (isKeyKnown ? "good" : "conditional") : "bad"], checks };
}

async function judge(by: Judge, evidence: Evidence, options: EvidenceOptions): Promise<Omit<Check, "name">> {
	try {
		const found = await by(evidence, options);
		return "notJudged" in found ? { ok: null, detail: found.notJudged } : { ok: true, detail: found };
	} catch (error) {
		if (error instanceof Refusal) return { ok: false, detail: joinWords(error.faults) };
		// A defect of the verifier must not pass for a valid document, nor stop the other checks.
		const detail = error instanceof Error ? error.message : String(error);
		return { ok: false, detail: { en: `the verifier failed: ${detail}`, es: `el verificador falló: ${detail}` } };
	}
}

export const CHECK_TITLES: Readonly<Record<CheckName, Words>> = {
	entries: { en: "The file is whole", es: "El archivo está completo" },
	"sealed-object": { en: "The sealed object is the archived one", es: "El objeto sellado es el archivado" },
	manifest: { en: "The sealed parts are unchanged", es: "Las partes selladas no cambiaron" },
	unpacked: { en: "The unpacked parts are the sealed ones", es: "Las partes desempacadas son las selladas" },
	signature: { en: "The e-CF's signature holds", es: "La firma del e-CF es válida" },
	"summary-signature": { en: "The summary's signature holds", es: "La firma del resumen es válida" },
	certificate: { en: "The certificate is the signer's", es: "El certificado es el de quien firmó" },
	issuer: { en: "The certificate's issuer is trusted", es: "El emisor del certificado es de confianza" },
	document: { en: "All parts are of the same document", es: "Todas las partes cuentan el mismo documento" },
	answers: { en: "The authority's answers are about it", es: "Las respuestas de la autoridad son sobre él" },
	registry: { en: "The registry's entries are the parties'", es: "Los datos del registro son de las partes" },
	leaf: { en: "The tree's leaf is this document", es: "La hoja del árbol es este documento" },
	chain: { en: "The company's chain goes through it", es: "La cadena de la empresa pasa por él" },
	inclusion: { en: "It is in the archive's tree", es: "Está en el árbol del archivo" },
	checkpoint: { en: "The archive has signed that tree", es: "El archivo firmó ese árbol" },
	key: { en: "The key is the archive's", es: "La clave es la del archivo" },
	receipt: { en: "The receipt is signed by the archive", es: "El recibo está firmado por el archivo" },
	agreement: { en: "Receipt, proof and document agree", es: "Recibo, prueba y documento concuerdan" },
	consistency: { en: "The archive was not rewritten", es: "El archivo no fue reescrito" },
};
