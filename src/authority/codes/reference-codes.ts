/** About the document that a note modifies. Observed in live answers. */
import { type CodeEntry, newNumber } from "./code-entry";

export const referenceCodes = {
	"156": {
		title: { en: "Credit-note indicator invalid", es: "IndicadorNotaCredito no válido" },
		category: "field",
		sequenceConsumed: true,
		retryable: false,
		cause: {
			en: "The indicator does not say correctly whether the modified document is more than 30 days old.",
			es: "El indicador no corresponde a si el documento modificado tiene más de 30 días.",
		},
		fix: {
			en: "Give the modified document's true issue date and issue the note with a new e-NCF.",
			es: "Indique la fecha real de emisión del documento modificado y emita la nota con un e-NCF nuevo.",
		},
		fields: [
			{
				pointer: "/reference/issue_date",
				put: { en: "issue date of the modified document", es: "fecha de emisión del documento modificado" },
			},
		],
		source: "observed",
	},
	"613": {
		title: { en: "Electronic documents cannot replace each other", es: "Un e-CF no puede reemplazar a otro e-CF" },
		category: "reference",
		sequenceConsumed: true,
		retryable: false,
		cause: {
			en: "The modification code replaces a contingency document, but the reference is an electronic one.",
			es: "El código de modificación reemplaza un comprobante de contingencia, pero la referencia es electrónica.",
		},
		fix: {
			en: "Use code 1, 2 or 3 for an electronic reference and issue with a new e-NCF.",
			es: "Use el código 1, 2 o 3 para una referencia electrónica y emita con un e-NCF nuevo.",
		},
		fields: [
			{
				pointer: "/reference/code",
				put: { en: "1, 2 or 3 for an electronic document", es: "1, 2 o 3 para un documento electrónico" },
			},
			{
				pointer: "/reference/encf",
				put: {
					en: "paper document of the contingency, for code 4",
					es: "comprobante de la contingencia, para el código 4",
				},
			},
		],
		source: "observed",
	},
	"614": {
		title: { en: "Referenced eNCF not issued", es: "El eNCF modificado no ha sido emitido" },
		category: "reference",
		sequenceConsumed: true,
		retryable: false,
		cause: {
			en: "A debit/credit note refers to a document the authority has not accepted.",
			es: "Una nota de débito o crédito se refiere a un documento que la administración no ha aceptado.",
		},
		fix: {
			en: "Issue and get acceptance of the referenced document, then issue the note with a new eNCF.",
			es: "Emita el documento referido, espere su aceptación y emita la nota con un e-NCF nuevo.",
		},
		fields: [{ pointer: "/reference/encf", put: { en: "issued eNCF", es: "eNCF emitido" } }],
		source: "observed",
	},
	"615": {
		title: { en: "Credit note does not fit its original", es: "La nota de crédito no corresponde al original" },
		category: "reference",
		sequenceConsumed: true,
		retryable: false,
		cause: {
			en: "The note's buyer is not the original's buyer, or the note exceeds the balance that is left.",
			es: "El comprador de la nota no es el del original, o la nota excede el balance disponible.",
		},
		fix: {
			en: "Use the original's buyer and at most the remaining amount; issue with a new e-NCF.",
			es: "Use el comprador del original y a lo sumo el monto restante; emita con un e-NCF nuevo.",
		},
		fields: [
			{
				pointer: "/customer/rnc",
				put: { en: "buyer of the modified document", es: "comprador del documento modificado" },
			},
			{
				pointer: "/totals/grand_total",
				put: { en: "at most the balance that is left", es: "a lo sumo el balance disponible" },
			},
		],
		source: "observed",
	},
	"634": {
		title: { en: "Issue date of the reference wrong", es: "FechaNCFModificado incorrecta" },
		category: "reference",
		sequenceConsumed: true,
		retryable: false,
		cause: {
			en: "The date given for the modified document is not its issue date.",
			es: "La fecha indicada para el documento modificado no es su fecha de emisión.",
		},
		fix: newNumber,
		fields: [
			{
				pointer: "/reference/issue_date",
				put: { en: "issue date of the modified document", es: "fecha de emisión del documento modificado" },
			},
		],
		source: "observed",
	},
} as const satisfies Record<string, CodeEntry>;
