/** Checks the signatures of the documents, the signer, and the certificate's issuer. */

import type { CertificateFacts } from "../../ecf/certificate";
import type { DocumentFault, DocumentFaultCode, Verification } from "../../ecf/verification";
import { fromBase64 } from "../../platform/values";
import { requireCryptography, sha256Hex } from "./cryptography";
import { CERTIFICATE, ECF, type Evidence, SUMMARY } from "./open-evidence";
import { type NotJudged, Refusal, refuseIfAny, type Words } from "./words";

/** A fault of the issuer's trust alone, not of the signature. */
const OF_TRUST = "certificate-untrusted";
const PEM = /^\s*-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/;

/** The e-CF's signature is valid for its certificate, which was valid at the time of signing. Throws: Refusal. */
export async function judgeSignature(evidence: Evidence): Promise<Words> {
	return judgeDocument(evidence, ECF);
}

/** The same for the summary, if there is one. Throws: Refusal. */
export async function judgeSummarySignature(evidence: Evidence): Promise<Words | NotJudged> {
	if (evidence.hasSummary()) return judgeDocument(evidence, SUMMARY);
	return { notJudged: { en: "this document has no summary", es: "este documento no tiene resumen" } };
}

/** `certificate.pem` is the certificate of the e-CF and the summary. Throws: Refusal. */
export async function judgeCertificateFile(evidence: Evidence): Promise<Words> {
	const pem = new TextDecoder().decode(evidence.file(CERTIFICATE));
	const der = fromBase64((PEM.exec(pem)?.[1] ?? "").replace(/\s+/g, ""));
	if (!der || der.length === 0) {
		throw new Refusal({
			en: `${CERTIFICATE} is not one PEM certificate`,
			es: `${CERTIFICATE} no es un certificado PEM`,
		});
	}
	const thumbprint = `sha256:${sha256Hex(der)}`;
	const faults: Words[] = [];
	for (const name of evidence.hasSummary() ? [ECF, SUMMARY] : [ECF]) {
		const signer = await signerOf(evidence, name);
		if (signer.thumbprint === thumbprint) continue;
		faults.push({
			en: `${CERTIFICATE} (${thumbprint}) is not the certificate in ${name} (${signer.thumbprint})`,
			es: `${CERTIFICATE} (${thumbprint}) no es el certificado de ${name} (${signer.thumbprint})`,
		});
	}
	refuseIfAny(faults);
	return { en: thumbprint, es: thumbprint };
}

/** The certificate comes from an authority of the reader's bundle. Throws: Refusal. */
export async function judgeIssuer(evidence: Evidence, isJudged: boolean): Promise<Words | NotJudged> {
	const { issuer, subject } = await signerOf(evidence, ECF);
	if (!isJudged) {
		return {
			notJudged: {
				en: `issued by ${issuer}, whose trust was not checked: no bundle of certificate authorities was given. Anyone can create a certificate in the name of ${subject}`,
				es: `emitido por ${issuer}, cuya confianza no se juzga: no se dio una lista de autoridades certificadoras. Cualquiera puede hacer un certificado a nombre de ${subject}`,
			},
		};
	}
	const names = evidence.hasSummary() ? [ECF, SUMMARY] : [ECF];
	const found = await Promise.all(names.map((name) => evidence.verification(name)));
	refuseIfAny(found.flatMap(({ faults }) => faults.filter(({ code }) => code === OF_TRUST)).map(toWords));
	return {
		en: `issued by ${issuer}, which is in the given bundle; revocation is not checked`,
		es: `emitido por ${issuer}, que está en la lista dada; no se consulta si fue revocado`,
	};
}

async function judgeDocument(evidence: Evidence, name: string): Promise<Words> {
	requireCryptography();
	const verification = await evidence.verification(name);
	refuseIfAny(faultsOf(verification).map(toWords));
	const { holderName, subject, notBefore, notAfter } = await signerOf(evidence, name);
	const { signedAt } = verification;
	if (!signedAt) {
		throw new Refusal({ en: `${name} does not say when it was signed`, es: `${name} no dice cuándo se firmó` });
	}
	return {
		en: `signed by ${holderName ?? subject} at ${signedAt}, with a certificate valid from ${notBefore} to ${notAfter}`,
		es: `firmado por ${holderName ?? subject} el ${signedAt}, con un certificado vigente de ${notBefore} a ${notAfter}`,
	};
}

function faultsOf({ faults }: Verification): DocumentFault[] {
	return faults.filter(({ code }) => code !== OF_TRUST);
}

async function signerOf(evidence: Evidence, name: string): Promise<CertificateFacts> {
	const { signer } = await evidence.verification(name);
	if (signer) return signer;
	throw new Refusal({ en: `no certificate can be read in ${name}`, es: `no se puede leer un certificado en ${name}` });
}

/** Faults that tampering causes. For the others, the code is enough. */
const IN_SPANISH: Readonly<Partial<Record<DocumentFaultCode, string>>> = {
	"signature-missing": "el documento no está firmado",
	"signature-repeated": "hay más de una firma",
	"signature-misplaced": "la firma no está en su lugar",
	"not-well-formed": "no es XML bien formado",
	"document-digest-differs": "el documento no es el que se firmó",
	"properties-digest-differs": "las propiedades firmadas no son las que se firmaron",
	"signature-value-wrong": "la clave del certificado no corresponde a la firma",
	"certificate-unreadable": "el certificado no se puede leer",
	"certificate-key-refused": "la clave del certificado no es RSA de 2048 a 8192 bits",
	"certificate-usage-refused": "el certificado no puede usarse para firmar documentos",
	"certificate-expired": "el certificado estaba vencido al firmar",
	"certificate-not-yet-valid": "el certificado aún no estaba vigente al firmar",
	"certificate-untrusted": "ninguna autoridad de la lista dada emitió el certificado",
	"certificate-mismatch": "las propiedades firmadas nombran otro certificado",
	"signing-time-malformed": "la hora de la firma no es un instante",
	"signing-time-in-future": "dice haberse firmado en el futuro",
};

function toWords({ code, detail }: DocumentFault): Words {
	return { en: `${detail} (${code})`, es: `${IN_SPANISH[code] ?? "la firma no se acepta"} (${code})` };
}
