/** About the number of the document. Observed in live answers. */
import type { CodeEntry } from "./code-entry";

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
