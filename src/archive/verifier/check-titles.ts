/** What each check asks, as a heading for people. */
import type { CheckName } from "./verify-evidence";
import type { Words } from "./words";

export const CHECK_TITLES: Readonly<Record<CheckName, Words>> = {
	entries: { en: "The file is whole", es: "El archivo está completo" },
	"sealed-object": { en: "The sealed object is the archived one", es: "El objeto sellado es el archivado" },
	manifest: { en: "The sealed parts are unchanged", es: "Las partes selladas no cambiaron" },
	unpacked: { en: "The unpacked parts are the sealed ones", es: "Las partes desempacadas son las selladas" },
	signature: { en: "The e-CF's signature holds", es: "La firma del e-CF es válida" },
	"summary-signature": { en: "The summary's signature holds", es: "La firma del resumen es válida" },
	certificate: { en: "The certificate is the signer's", es: "El certificado es el de quien firmó" },
	issuer: { en: "The certificate's issuer is trusted", es: "El emisor del certificado es de confianza" },
	document: { en: "All parts tell the same document", es: "Todas las partes cuentan el mismo documento" },
	answers: { en: "The authority's answers are about it", es: "Las respuestas de la autoridad son sobre él" },
	leaf: { en: "The tree's leaf is this document", es: "La hoja del árbol es este documento" },
	chain: { en: "The company's chain goes through it", es: "La cadena de la empresa pasa por él" },
	inclusion: { en: "It stands in the archive's tree", es: "Está en el árbol del archivo" },
	checkpoint: { en: "The archive has signed that tree", es: "El archivo firmó ese árbol" },
	key: { en: "The key is the archive's", es: "La clave es la del archivo" },
	receipt: { en: "The receipt is signed by the archive", es: "El recibo está firmado por el archivo" },
	agreement: { en: "Receipt, proof and document agree", es: "Recibo, prueba y documento concuerdan" },
	consistency: { en: "The archive was not rewritten", es: "El archivo no fue reescrito" },
};
