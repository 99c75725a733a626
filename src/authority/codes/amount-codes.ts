/** About amounts that do not follow from each other. Observed in live answers. */
import { type CodeEntry, newNumber } from "./code-entry";

const SUBTOTAL = {
	en: "sum of the lines, less discounts and plus surcharges",
	es: "suma de las líneas, menos descuentos y más recargos",
};

export const amountCodes = {
	"1920": {
		title: { en: "Taxed total invalid", es: "MontoGravadoTotal no válido" },
		category: "amount",
		sequenceConsumed: true,
		retryable: false,
		cause: {
			en: "The total of taxed amounts does not agree with the lines.",
			es: "El total de los montos gravados no corresponde a las líneas.",
		},
		fix: newNumber,
		fields: [
			{ pointer: "/totals/subtotal", put: SUBTOTAL },
			{ pointer: "/lines", put: { en: "lines with their true amounts", es: "líneas con sus montos reales" } },
		],
		source: "observed",
	},
	"1930": {
		title: { en: "Taxed amounts differ", es: "Montos gravados no corresponden" },
		category: "amount",
		sequenceConsumed: true,
		retryable: false,
		cause: {
			en: "A taxed amount is not the sum of its lines, less discounts and plus surcharges.",
			es: "Un monto gravado no es la suma de sus líneas, menos descuentos y más recargos.",
		},
		fix: newNumber,
		fields: [
			{ pointer: "/totals/subtotal", put: SUBTOTAL },
			{ pointer: "/lines", put: { en: "lines with their true amounts", es: "líneas con sus montos reales" } },
		],
		source: "observed",
	},
	"1934": {
		title: { en: "Amount taxed at 18 % differs", es: "MontoGravadoI1 no corresponde" },
		category: "amount",
		sequenceConsumed: true,
		retryable: false,
		cause: {
			en: "The amount taxed at 18 % is not the sum of its lines, less discounts and plus surcharges.",
			es: "El monto gravado al 18 % no es la suma de sus líneas, menos descuentos y más recargos.",
		},
		fix: {
			en: "Check lines and adjustments. When rejected, issue with a new e-NCF.",
			es: "Revise líneas y ajustes. Si fue rechazado, emita con un e-NCF nuevo.",
		},
		fields: [
			{ pointer: "/totals/subtotal", put: SUBTOTAL },
			{ pointer: "/lines", put: { en: "lines with their true amounts", es: "líneas con sus montos reales" } },
			{
				pointer: "/adjustments",
				put: {
					en: "discounts and surcharges that the totals count",
					es: "descuentos y recargos que los totales cuentan",
				},
			},
		],
		source: "observed",
	},
	"2020": {
		title: { en: "Line discount invalid", es: "Descuento de línea no válido" },
		category: "amount",
		sequenceConsumed: true,
		retryable: false,
		cause: {
			en: "A line's discount amount and its discount table do not agree.",
			es: "El monto de descuento de una línea y su tabla de descuentos no concuerdan.",
		},
		fix: newNumber,
		fields: [
			{
				pointer: "/lines",
				put: { en: "line with the discount that its amount counts", es: "línea con el descuento que su monto cuenta" },
			},
		],
		source: "observed",
	},
	"2030": {
		title: { en: "Line surcharge invalid", es: "Recargo de línea no válido" },
		category: "amount",
		sequenceConsumed: true,
		retryable: false,
		cause: {
			en: "A line's surcharge amount and its surcharge table do not agree.",
			es: "El monto de recargo de una línea y su tabla de recargos no concuerdan.",
		},
		fix: newNumber,
		fields: [
			{
				pointer: "/lines",
				put: { en: "line with the surcharge that its amount counts", es: "línea con el recargo que su monto cuenta" },
			},
		],
		source: "observed",
	},
	"2150": {
		title: { en: "Line sub-quantity invalid", es: "Subcantidad de línea no válida" },
		category: "amount",
		sequenceConsumed: true,
		retryable: false,
		cause: { en: "A line's sub-quantity table is invalid.", es: "La tabla de subcantidad de una línea no es válida." },
		fix: newNumber,
		fields: [
			{
				pointer: "/lines",
				put: {
					en: "line without a sub-quantity, or with a whole one",
					es: "línea sin subcantidad, o con una completa",
				},
			},
		],
		source: "observed",
	},
	"3205": {
		title: { en: "Total of the summary incorrect", es: "MontoTotal del resumen incorrecto" },
		category: "amount",
		sequenceConsumed: true,
		retryable: false,
		cause: {
			en: "The summary's total does not follow from its amounts. Seen with conditional acceptance.",
			es: "El total del resumen no resulta de sus montos. Visto con aceptación condicional.",
		},
		fix: { en: "Check the totals of the next document.", es: "Revise los totales del próximo documento." },
		fields: [{ pointer: "/totals/grand_total", put: { en: "subtotal plus tax", es: "subtotal más impuesto" } }],
		source: "observed",
	},
} as const satisfies Record<string, CodeEntry>;
