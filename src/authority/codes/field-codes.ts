/** About single fields and the buyer. Observed in live answers. */
import { type CodeEntry, newNumber } from "./code-entry";

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
