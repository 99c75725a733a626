/** Does a debit or credit note fit the document that it modifies? */
import { Decimal, daysBetween } from "../../../../values";
import type { Reception } from "../../store/receptions";
import type { Ecf, Reference } from "../ecf";
import { textAt } from "../element";
import { toIsoDate } from "../forms";
import { invalidField, type Message } from "../judgement";
import { type Finding, grave } from "./finding";

export type ReferenceLookup = {
	/** The reception of a number whose verdict is already told. */
	readonly find: (rnc: string, encf: string) => Reception | undefined;
	/** Good notes of the issuer that modify the number. */
	readonly listNotesOn: (rnc: string, encf: string) => readonly Reception[];
};

/** Numbers of other series were never sent here, so nothing is known of them. */
const ELECTRONIC = /^E[0-9]{10,12}$/;

const SAME_TAX_DAYS = 30;

export function checkReference(ecf: Ecf, lookup: ReferenceLookup): Finding[] {
	const { reference } = ecf;
	if (!reference || (ecf.type !== "33" && ecf.type !== "34")) return [];
	const messages = checkNoteIndicator(ecf, reference);
	if (!ELECTRONIC.test(reference.encf)) return messages.map(grave);
	const original = lookup.find(reference.otherRnc ?? ecf.rnc, reference.encf);
	if (!original || (original.verdict !== 1 && original.verdict !== 4)) {
		return [grave({ code: "614", text: "El e-NCF modificado no ha sido emitido." })];
	}
	if (reference.code === "4") {
		messages.push({ code: "613", text: "Un comprobante electrónico no puede reemplazar a otro." });
	}
	if (original.issueDate !== reference.date) {
		messages.push(invalidField("634", { field: "FechaNCFModificado", area: "InformacionReferencia", section: "ECF" }));
	}
	if (original.buyerRnc !== ecf.buyerRnc || original.foreignBuyer !== ecf.foreignBuyer) {
		messages.push({ code: "615", text: "El comprador no es el del comprobante modificado." });
	}
	if (ecf.type === "34" && exceedsBalance(ecf, reference, original, lookup)) {
		messages.push({ code: "615", text: "El monto excede el balance disponible del comprobante modificado." });
	}
	return messages.map(grave);
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

function exceedsBalance(ecf: Ecf, reference: Reference, original: Reception, lookup: ReferenceLookup): boolean {
	const notes = lookup.listNotesOn(ecf.rnc, reference.encf);
	const sum = (type: string) =>
		Decimal.sum(notes.filter((note) => note.type === type).map((note) => Decimal.of(note.total ?? "0")));
	const balance = Decimal.of(original.total ?? "0")
		.plus(sum("33"))
		.minus(sum("34"));
	return ecf.total.compare(balance) > 0;
}
