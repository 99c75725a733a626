/** A signed document's faults in both languages: the verification tells its own in English. */
import type { DocumentFault, DocumentFaultCode } from "../../ecf/verification";
import type { Words } from "./words";

/** Of those that tampering brings about; for the others the code has to do. */
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

export function tellFault({ code, detail }: DocumentFault): Words {
	return { en: `${detail} (${code})`, es: `${IN_SPANISH[code] ?? "la firma no se acepta"} (${code})` };
}
