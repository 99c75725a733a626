/** About the file and the authority's own state. Observed in live answers. */
import type { CodeEntry } from "./code-entry";

export const technicalCodes = {
	"004": {
		title: { en: "Internal error of the authority", es: "Error interno de la administración" },
		category: "authority",
		sequenceConsumed: false,
		retryable: true,
		cause: {
			en: "The authority could not validate the document; the number was not used.",
			es: "La administración no pudo validar el documento; el número no fue utilizado.",
		},
		fix: { en: "The same document is sent again for you.", es: "El mismo documento se envía de nuevo por usted." },
		fields: [],
		source: "observed",
	},
	"64": {
		title: { en: "Structure or reference failure", es: "Fallo de estructura o de referencia" },
		category: "structure",
		sequenceConsumed: false,
		retryable: false,
		cause: {
			en: "The document's structure or its reference could not be processed; the authority gives no text.",
			es: "No se pudo procesar la estructura del documento o su referencia; la administración no da texto.",
		},
		fix: {
			en: "Check the reference and the optional members; the e-NCF may be used again.",
			es: "Revise la referencia y los campos opcionales; el e-NCF puede usarse de nuevo.",
		},
		fields: [
			{ pointer: "/reference", put: { en: "the document that is modified", es: "el documento que se modifica" } },
		],
		source: "observed",
	},
	"3243": {
		title: { en: "Length of the file name invalid", es: "Longitud del nombre del archivo no válida" },
		category: "structure",
		sequenceConsumed: false,
		retryable: false,
		cause: {
			en: "The file was not named after issuer and e-NCF. The service names files, so the defect is not the caller's.",
			es: "El archivo no se nombró según emisor y e-NCF. El servicio nombra los archivos: el defecto no es de quien llama.",
		},
		fix: { en: "Nothing on the caller's side.", es: "Nada por parte de quien llama." },
		fields: [],
		source: "observed",
	},
} as const satisfies Record<string, CodeEntry>;
