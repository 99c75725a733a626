/**
 * The authority's codes. It publishes no list of them: 0 to 4 stand in its description of the services, the others have been
 * observed in live answers. `estado` and `codigo` decide; a remark's code only explains, and one that is not here is opaque.
 *
 * `sequenceConsumed` is what usually holds, null where it does not follow from the code. An answer's own flag comes first.
 */

type Bilingual = { readonly en: string; readonly es: string };

export type CodeEntry = {
	readonly title: Bilingual;
	readonly category: "result" | "sequence" | "reference" | "amount" | "field" | "buyer" | "structure" | "authority";
	readonly sequenceConsumed: boolean | null;
	/** The same bytes may be sent again. */
	readonly retryable: boolean;
	readonly cause: Bilingual;
	readonly fix: Bilingual;
	/** Members of the invoice request that the code is about. */
	readonly fields: readonly string[];
	readonly source: "official" | "observed";
};

const newNumber: Bilingual = {
	en: "Correct the document and issue it with a new e-NCF.",
	es: "Corrija el documento y emítalo con un e-NCF nuevo.",
};

export const errorCodes = {
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
		fields: ["/reference"],
		source: "observed",
	},
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
		fields: ["/encf"],
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
		fields: ["/encf"],
		source: "observed",
	},
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
		fields: ["/reference/issue_date"],
		source: "observed",
	},
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
		fields: ["/lines"],
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
		fields: ["/lines"],
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
		fields: ["/reference/code", "/reference/encf"],
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
		fields: ["/reference/encf"],
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
		fields: ["/customer/rnc", "/totals/grand_total"],
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
		fields: ["/reference/issue_date"],
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
		fields: ["/encf"],
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
		fields: ["/customer/rnc"],
		source: "observed",
	},
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
		fields: ["/totals/subtotal", "/lines"],
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
		fields: ["/totals/subtotal", "/lines", "/adjustments"],
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
		fields: ["/lines"],
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
		fields: ["/lines"],
		source: "observed",
	},
	"2150": {
		title: { en: "Line sub-quantity invalid", es: "Subcantidad de línea no válida" },
		category: "amount",
		sequenceConsumed: true,
		retryable: false,
		cause: { en: "A line's sub-quantity table is invalid.", es: "La tabla de subcantidad de una línea no es válida." },
		fix: newNumber,
		fields: ["/lines"],
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
		fields: ["/totals/grand_total"],
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
