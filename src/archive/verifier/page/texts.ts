/** The page's texts in both languages, by the names of its elements. */
import type { Words } from "../words";

export const TEXTS = {
	title: { en: "Sello: evidence verifier", es: "Sello: verificador de evidencia" },
	heading: { en: "Evidence verifier", es: "Verificador de evidencia" },
	intro: {
		en: "Checks the evidence file (ZIP) of an archived electronic invoice. Everything happens in this page: nothing is sent anywhere, and it works without a network. Save this page to have it in ten years.",
		es: "Verifica el archivo de evidencia (ZIP) de una factura electrónica archivada. Todo ocurre en esta página: no se envía nada a ninguna parte, y funciona sin conexión. Guarde esta página para tenerla dentro de diez años.",
	},
	choose: { en: "Evidence files", es: "Archivos de evidencia" },
	drop: { en: "Choose ZIP files, or drop them here.", es: "Elija archivos ZIP, o suéltelos aquí." },
	more: { en: "What you have from other sources", es: "Lo que usted tiene de otra parte" },
	moreWhy: {
		en: "A forged evidence file can contain a forged key. With one of these, the verifier can detect that.",
		es: "Quien puede hacer una evidencia falsa puede poner en ella una clave falsa. Con algo de esto el verificador lo nota.",
	},
	key: { en: "The archive's key (name+hash+base64)", es: "La clave del archivo (nombre+hash+base64)" },
	ca: { en: "Certificate authorities that you trust (PEM)", es: "Autoridades certificadoras de su confianza (PEM)" },
	checkpoint: { en: "Another checkpoint of the archive (text)", es: "Otro punto de control del archivo (texto)" },
	consistency: {
		en: "Consistency proof between the two checkpoints (JSON)",
		es: "Prueba de consistencia entre los dos puntos de control (JSON)",
	},
	results: { en: "Results", es: "Resultados" },
	nothing: { en: "No file has been checked yet.", es: "Aún no se ha verificado ningún archivo." },
	working: { en: "Checking…", es: "Verificando…" },
	proves: { en: "What this proves, and what not", es: "Qué prueba esto, y qué no" },
	provesYes: {
		en: "If everything passes: the document, its signature and the authority's answers were in the archive like this when it signed the checkpoint, and not a bit has changed since.",
		es: "Si todo pasa: el documento, su firma y las respuestas de la autoridad estaban así en el archivo cuando este firmó el punto de control, y nadie ha cambiado un bit desde entonces.",
	},
	provesKey: {
		en: "Not by itself: that the key is the archive's. Compare its name and fingerprint with those at /v1/archive/checkpoints of the service, with a key that you kept, or with another person's evidence.",
		es: "Por sí solo no: que la clave sea la del archivo. Compare su nombre y huella con los de /v1/archive/checkpoints del servicio, con una clave que usted guardó, o con la evidencia de otra persona.",
	},
	provesIssuer: {
		en: "Not by itself: that the signer's certificate comes from an accredited authority, nor that it was not revoked. Give the authorities' certificates above to check the first.",
		es: "Por sí solo no: que el certificado de quien firmó venga de una entidad acreditada, ni que no fuera revocado. Para juzgar lo primero, dé arriba los certificados de las entidades.",
	},
	provesAnswers: {
		en: "The authority's answers are not signed by the authority: only the archive says that it received them like this.",
		es: "Las respuestas de la autoridad no están firmadas por ella: es el archivo quien dice que llegaron así.",
	},
	licences: { en: "Software in this page", es: "Software en esta página" },
	noScript: { en: "This page needs JavaScript.", es: "Esta página necesita JavaScript." },
} as const satisfies Readonly<Record<string, Words>>;

export const LABELS = {
	passed: { en: "passed", es: "pasa" },
	failed: { en: "FAILED", es: "FALLA" },
	open: { en: "not checked", es: "no se juzga" },
	at: { en: "checked at", es: "verificado el" },
	counts: {
		en: (passed: number, failed: number, open: number) => `${passed} passed, ${failed} failed, ${open} not checked`,
		es: (passed: number, failed: number, open: number) => `${passed} pasan, ${failed} fallan, ${open} no se juzgan`,
	},
	unusable: {
		en: "An additional input cannot be used",
		es: "Lo que usted dio además no se puede usar",
	},
} as const;
