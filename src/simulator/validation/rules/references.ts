/** Checks that a document fits the one that it modifies. Source: the authority's e-CF format, area InformacionReferencia, and its answers. */
import { Decimal, daysBetween } from "../../../platform/values";
import type { Reception } from "../../store";
import { amountAt, type Ecf, type Finding, grave, type Reference } from "../ecf";
import { toIsoDate } from "../forms";
import { invalidField, type Message } from "../judgement";
import { textAt } from "../read-document";
import { linesOf } from "./amounts";

export type ReferenceLookup = {
	/** The reception of a number whose verdict has been reported. */
	readonly find: (rnc: string, encf: string) => Reception | undefined;
	/** Valid notes of the issuer that modify the number. */
	readonly listNotesOn: (rnc: string, encf: string) => readonly Reception[];
};

/** Numbers of other series are never submitted, so nothing is known of them. */
const ELECTRONIC = /^E[0-9]{10,12}$/;
/** Series B, series E, series A and P. */
const NUMBER_LENGTHS = [11, 13, 19];
const SAME_TAX_DAYS = 30;
/** From this total on, a note on a consumer invoice names its buyer. Units: RD$. */
const NAMED_BUYER_FROM = Decimal.of("250000.00");
const CONSUMER_INVOICE = /^(E32|B02)/;
const CONSUMER_PAPER = "02";

const CANCELS = "1";
const CORRECTS_TEXT = "2";
const REPLACES = "4";
const NAMES_CONSUMER_INVOICE = "5";
/** The paper documents of a contingency, and the types that replace them. */
const ELECTRONIC_OF_PAPER: Readonly<Record<string, string>> = {
	"01": "31",
	"02": "32",
	"03": "33",
	"04": "34",
	"11": "41",
	"13": "43",
	"14": "44",
	"15": "45",
	"16": "46",
	"17": "47",
};

const invalid = (field: string, code = "0") =>
	invalidField(code, { field, area: "InformacionReferencia", section: "InformacionReferencia" });

export function checkReference(ecf: Ecf, lookup: ReferenceLookup): Finding[] {
	const { reference } = ecf;
	if (!reference) return [];
	const ownFaults = [...checkCode(ecf, reference), ...checkNumber(reference)];
	if (!isNote(ecf)) return ownFaults.map(grave);
	// Answered like a document that cannot be read: no text, and the number stays free.
	if (ecf.type === "33" && reference.code === CANCELS) return [grave({ code: "64", text: "" })];
	const messages = [
		...checkNoteIndicator(ecf, reference),
		...ownFaults,
		...checkTextCorrection(ecf, reference),
		...checkTarget(reference),
	];
	if (!ELECTRONIC.test(reference.encf)) {
		return [...messages, ...checkNamedBuyer(ecf, reference, undefined)].map(grave);
	}
	const original = lookup.find(reference.otherRnc ?? ecf.rnc, reference.encf);
	if (!original || (original.verdict !== 1 && original.verdict !== 4)) {
		return [grave({ code: "614", text: "El e-NCF modificado no ha sido emitido." })];
	}
	messages.push(...checkNamedBuyer(ecf, reference, original));
	if (original.issueDate !== reference.date) messages.push(invalid("FechaNCFModificado", "634"));
	if (original.buyerRnc !== ecf.buyerRnc || original.foreignBuyer !== ecf.foreignBuyer) {
		messages.push({ code: "615", text: "El comprador no es el del comprobante modificado." });
	}
	const notes = lookup.listNotesOn(ecf.rnc, reference.encf);
	if (notes.some(({ type, referenceCode }) => type === "34" && referenceCode === CANCELS)) {
		messages.push({ code: "0", text: "El comprobante modificado ha sido anulado por una nota de crédito." });
	}
	if (ecf.type === "34") messages.push(...checkBalance(ecf, reference, original, notes));
	return messages.map(grave);
}

function isNote(ecf: Ecf): boolean {
	return ecf.type === "33" || ecf.type === "34";
}

/** Codes 1 to 3 are for notes, 5 for fiscal-credit invoices that name a consumer invoice; 4 replaces paper of the equivalent type. */
function checkCode(ecf: Ecf, { code, encf }: Reference): Message[] {
	if (code === null) return [];
	if (code === REPLACES) {
		if (encf.startsWith("E"))
			return [{ code: "613", text: "Los comprobantes electrónicos no pueden reemplazarse entre sí." }];
		const paper = paperTypeOf(encf);
		return paper !== undefined && ELECTRONIC_OF_PAPER[paper] !== ecf.type ? [invalid("NCFModificado")] : [];
	}
	const namesConsumerInvoice = code === NAMES_CONSUMER_INVOICE;
	const fits = namesConsumerInvoice ? ecf.type === "31" : isNote(ecf);
	if (!fits) return [invalid("CodigoModificacion")];
	const isConsumerInvoice = CONSUMER_INVOICE.test(encf) || paperTypeOf(encf) === CONSUMER_PAPER;
	return namesConsumerInvoice && !isConsumerInvoice ? [invalid("NCFModificado")] : [];
}

function checkNumber({ encf }: Reference): Message[] {
	return NUMBER_LENGTHS.includes(encf.length) ? [] : [invalid("NCFModificado")];
}

/** The two digits of the type in a paper number: B01… of 11 characters, A and P numbers of 19. */
function paperTypeOf(number: string): string | undefined {
	if (number.startsWith("B") && number.length === 11) return number.slice(1, 3);
	return /^[AP]/.test(number) && number.length === 19 ? number.slice(9, 11) : undefined;
}

/** A note modifies an invoice, never another note. Gap: the authority's number for it is unknown. */
function checkTarget({ encf }: Reference): Message[] {
	return /^E3[34]/.test(encf) ? [{ code: "0", text: "Una nota no puede modificar otra nota." }] : [];
}

/** 0 up to thirty days after the original, 1 later. */
function checkNoteIndicator(ecf: Ecf, reference: Reference): Message[] {
	const stated = textAt(ecf.root, "Encabezado/IdDoc/IndicadorNotaCredito");
	const from = toIsoDate(reference.date ?? "");
	const to = toIsoDate(ecf.issueDate);
	if (stated === undefined || !from || !to) return [];
	const expected = daysBetween(from, to) > SAME_TAX_DAYS ? "1" : "0";
	if (stated === expected) return [];
	return [invalidField("156", { field: "IndicadorNotaCredito", area: "IdDoc", section: "Encabezado" })];
}

function checkTextCorrection(ecf: Ecf, { code }: Reference): Message[] {
	if (code !== CORRECTS_TEXT) return [];
	const hasAmounts = !ecf.total.isZero() || linesOf(ecf.root).some((item) => !amountAt(item, "MontoItem").isZero());
	return hasAmounts ? [invalidField("0", { field: "MontoTotal", area: "Totales", section: "Encabezado" })] : [];
}

/** For a debit note on an unknown document only its own total counts. */
function checkNamedBuyer(ecf: Ecf, reference: Reference, original: Reception | undefined): Message[] {
	if (!CONSUMER_INVOICE.test(reference.encf)) return [];
	const total = original?.total ? Decimal.of(original.total) : ecf.total;
	const isNamed = (ecf.buyerRnc || ecf.foreignBuyer) && ecf.buyerName;
	if (isNamed || total.compare(NAMED_BUYER_FROM) < 0) return [];
	return [invalidField("0", { field: "RNCComprador", area: "Comprador", section: "Encabezado" })];
}

/** A credit note takes no more than the balance, and all of it if it cancels. */
function checkBalance(ecf: Ecf, reference: Reference, original: Reception, notes: readonly Reception[]): Message[] {
	const sum = (type: string) =>
		Decimal.sum(notes.filter((note) => note.type === type).map((note) => Decimal.of(note.total ?? "0")));
	const balance = Decimal.of(original.total ?? "0")
		.plus(sum("33"))
		.minus(sum("34"));
	const order = ecf.total.compare(balance);
	if (order > 0) return [{ code: "615", text: "El monto excede el balance disponible del comprobante modificado." }];
	return reference.code === CANCELS && order < 0 ? [invalid("CodigoModificacion", "615")] : [];
}
