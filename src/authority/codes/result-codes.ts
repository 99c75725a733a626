/** The verdicts. Source: the authority's technical description of its services. The codes below them were observed in live answers. */
import { type CodeEntry, newNumber } from "./code-entry";

export const resultCodes = {
	"0": {
		title: { en: "Not found", es: "No encontrado" },
		category: "result",
		sequenceConsumed: null,
		retryable: false,
		cause: {
			en: "The authority knows no document under this number or trackId. In a remark: no code, free text only.",
			es: "La administración no conoce ningún documento con este número o trackId. En un mensaje: sin código, solo texto.",
		},
		fix: { en: "Query again a little later.", es: "Consulte de nuevo un poco más tarde." },
		fields: [],
		source: "official",
	},
	"1": {
		title: { en: "Accepted", es: "Aceptado" },
		category: "result",
		sequenceConsumed: true,
		retryable: false,
		cause: { en: "The document is valid for tax purposes.", es: "El documento es válido para fines fiscales." },
		fix: { en: "Nothing needs to be done.", es: "No hay nada que hacer." },
		fields: [],
		source: "official",
	},
	"2": {
		title: { en: "Rejected", es: "Rechazado" },
		category: "result",
		sequenceConsumed: null,
		retryable: false,
		cause: {
			en: "The document is void for tax purposes; the messages explain why.",
			es: "El documento no tiene validez fiscal; los mensajes dicen por qué.",
		},
		fix: {
			en: "Correct what the messages name. Reuse the e-NCF only when `sequenceConsumed` is false.",
			es: "Corrija lo que indican los mensajes. Reutilice el e-NCF solo si `sequenceConsumed` es false.",
		},
		fields: [],
		source: "official",
	},
	"3": {
		title: { en: "In process", es: "En proceso" },
		category: "result",
		sequenceConsumed: null,
		retryable: false,
		cause: { en: "The authority has not decided yet.", es: "La administración aún no ha decidido." },
		fix: { en: "Wait; the status is polled for you.", es: "Espere; el estado se consulta por usted." },
		fields: [],
		source: "official",
	},
	"4": {
		title: { en: "Accepted conditionally", es: "Aceptado condicional" },
		category: "result",
		sequenceConsumed: true,
		retryable: false,
		cause: {
			en: "The document is valid, with irregularities that the messages list.",
			es: "El documento es válido, con irregularidades que los mensajes enumeran.",
		},
		fix: {
			en: "Avoid the listed irregularities in future documents.",
			es: "Evite las irregularidades indicadas en los próximos documentos.",
		},
		fields: [],
		source: "official",
	},
} as const satisfies Record<string, CodeEntry>;

export const sequenceCodes = {
	"75": {
		title: { en: "Sequence number not authorised", es: "Secuencia no autorizada" },
		category: "sequence",
		sequenceConsumed: false,
		retryable: false,
		cause: {
			en: "The e-NCF is not in a range authorised for the issuer. The test environment accepts it conditionally.",
			es: "El e-NCF no está en un rango autorizado al emisor. El ambiente de pruebas lo acepta condicionalmente.",
		},
		fix: { en: "Issue with a number of an authorised range.", es: "Emita con un número de un rango autorizado." },
		fields: [{ pointer: "/encf", put: { en: "e-NCF of an authorised range", es: "e-NCF de un rango autorizado" } }],
		source: "observed",
	},
	"135": {
		title: { en: "Sequence number not authorised", es: "Secuencia no autorizada" },
		category: "sequence",
		sequenceConsumed: false,
		retryable: false,
		cause: {
			en: "The e-NCF is not in a range authorised for the issuer.",
			es: "El e-NCF no está en un rango autorizado al emisor.",
		},
		fix: { en: "Issue with a number of an authorised range.", es: "Emita con un número de un rango autorizado." },
		fields: [{ pointer: "/encf", put: { en: "e-NCF of an authorised range", es: "e-NCF de un rango autorizado" } }],
		source: "observed",
	},
	"1209": {
		title: { en: "Sequence already used", es: "El e-NCF ya fue utilizado" },
		category: "sequence",
		sequenceConsumed: true,
		retryable: false,
		cause: {
			en: "The e-NCF was used before, or is not available in this environment.",
			es: "El e-NCF ya fue utilizado o no está disponible en este ambiente.",
		},
		fix: {
			en: "Query the e-NCF: when the earlier document is this one, its verdict counts; otherwise issue with a new e-NCF.",
			es: "Consulte el e-NCF: si el documento anterior es este mismo, vale su resultado; si no, emita con un e-NCF nuevo.",
		},
		fields: [{ pointer: "/encf", put: { en: "e-NCF that was never used", es: "e-NCF nunca utilizado" } }],
		source: "observed",
	},
} as const satisfies Record<string, CodeEntry>;

/** About the file, and the state of the authority itself. */
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
			en: "The structure or the reference could not be processed, for example a debit note that cancels (code 1). There is no text.",
			es: "No se pudo procesar la estructura o la referencia, por ejemplo una nota de débito que anula (código 1). No hay texto.",
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

export const fieldCodes = {
	"176": {
		title: { en: "Price-includes-tax indicator invalid", es: "IndicadorMontoGravado no válido" },
		category: "field",
		sequenceConsumed: true,
		retryable: false,
		cause: {
			en: "A document with taxed lines does not say whether its prices include the tax.",
			es: "Un documento con líneas gravadas no indica si sus precios incluyen el impuesto.",
		},
		fix: newNumber,
		fields: [{ pointer: "/lines", put: { en: "lines with their tax_rate", es: "líneas con su tax_rate" } }],
		source: "observed",
	},
	"260": {
		title: { en: "Withheld tax of a line invalid", es: "MontoITBISRetenido de una línea no válido" },
		category: "field",
		sequenceConsumed: true,
		retryable: false,
		cause: {
			en: "A line of a type 41 lacks the withheld amount, which must be there even when it is 0.00.",
			es: "Una línea de un tipo 41 no lleva el monto retenido, que debe estar aunque sea 0.00.",
		},
		fix: newNumber,
		fields: [
			{
				pointer: "/lines",
				put: { en: "lines with their withholding, 0.00 included", es: "líneas con su withholding, aunque sea 0.00" },
			},
		],
		source: "observed",
	},
	"1385": {
		title: { en: "Buyer's RNC invalid", es: "RNCComprador no válido" },
		category: "buyer",
		sequenceConsumed: true,
		retryable: false,
		cause: {
			en: "The authority does not know the buyer's number. Seen with conditional acceptance.",
			es: "La administración no conoce el número del comprador. Visto con aceptación condicional.",
		},
		fix: {
			en: "Check the buyer's RNC in the registry before the next document.",
			es: "Verifique el RNC del comprador en el registro antes del próximo documento.",
		},
		fields: [
			{ pointer: "/customer/rnc", put: { en: "RNC as the registry has it", es: "RNC como figura en el registro" } },
		],
		source: "observed",
	},
} as const satisfies Record<string, CodeEntry>;
