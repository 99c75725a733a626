/** The verdicts themselves. Source: the authority's technical description of its services. */
import type { CodeEntry } from "./code-entry";

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
			en: "The document is void for tax purposes; the messages tell why.",
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
