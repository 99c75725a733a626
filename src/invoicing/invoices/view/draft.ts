/**
 * Drafts of further documents from a stored one: the same again after a rejection, a note on it, or a copy. Nothing is checked against the authority's
 * rules here; a dry run of the draft does that.
 */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { AdviceSchema } from "../../../authority/codes";
import type { OriginalDocument } from "../../../authority/rules";
import {
	type EcfType,
	findProfile,
	InvoiceRequest,
	isEcfType,
	isLateCreditNote,
	toTypeSchema,
} from "../../../ecf/mapping";
import { type Message, msg } from "../../../platform/problem";
import { Decimal } from "../../../platform/values";
import type { InvoiceStatus } from "../model/status";

export const DRAFT_KINDS = ["reissue", "credit", "debit", "copy"] as const;
export type DraftKind = (typeof DRAFT_KINDS)[number];

const Change = Type.Object({
	pointer: Type.String({ description: "A member of the request, as a JSON pointer." }),
	before: Type.Unknown({ description: "Its value in the stored document; null if it had none." }),
	after: Type.Unknown({ description: "Its value in the draft; null if it was left out." }),
	detail: Type.String({ description: "Why." }),
	detailEs: Type.String({ description: "The same in Spanish." }),
});

export const InvoiceDraft = Type.Object(
	{
		as: Type.Union(
			DRAFT_KINDS.map((kind) => Type.Literal(kind)),
			{ description: "As requested." },
		),
		docId: Type.String({ description: "The document that the draft is made from." }),
		encf: Type.String({ description: "Its number." }),
		request: Type.Partial(InvoiceRequest, {
			$id: undefined,
			description: "A body for `POST /v1/invoices`, without the members that `open` names.",
		}),
		changes: Type.Array(Change, { description: "How it differs from the stored document." }),
		open: Type.Array(AdviceSchema, { description: "Members that a person must fill in or look at first." }),
	},
	{ $id: "InvoiceDraft" },
);
export type InvoiceDraft = Static<typeof InvoiceDraft>;

export type DraftSource = {
	readonly docId: string;
	readonly encf: string;
	readonly type: EcfType;
	/** As it was sent. */
	readonly request: InvoiceRequest;
	readonly status: Pick<InvoiceStatus, "status" | "reissue" | "fix" | "advice" | "failure">;
	/** Of the document, with what earlier notes left of it. */
	readonly original: OriginalDocument | undefined;
	/** Whether the service numbers the company's documents. */
	readonly isNumbered: boolean;
	readonly issueDate: string;
	/** In the Dominican Republic. */
	readonly today: string;
	/** The number of the document that was issued again for this one. */
	readonly replacedBy: string | undefined;
};

/** Why there is no such draft; undefined if there is one. */
export function findDraftFault(source: DraftSource, as: DraftKind): { code: string; detail: Message } | undefined {
	const { status, type, original } = source;
	const isRefused = status.status === "rejected" || status.status === "failed";
	if (as === "copy") return undefined;
	if (as === "reissue") {
		if (!isRefused) return { code: "not-rejected", detail: msg`Only a rejected or failed document is issued again.` };
		if (source.replacedBy !== undefined)
			return { code: "already-reissued", detail: msg`It was issued again as ${source.replacedBy}.` };
		return status.failure?.retryable === true
			? { code: "retryable", detail: msg`The failed document can be retried as it is.` }
			: undefined;
	}
	if (findProfile(type)?.isNote) return { code: "is-note", detail: msg`A note does not modify another note.` };
	if (isRefused) return { code: "not-accepted", detail: msg`A rejected or failed document takes no notes.` };
	if (as === "debit" || original === undefined) return undefined;
	return original.isAnnulled || Decimal.of(original.balance).compare(Decimal.of("0")) <= 0
		? { code: "nothing-left", detail: msg`Earlier notes have already taken the whole amount.` }
		: undefined;
}

/** The own id of the document that is issued again for another one, so that it is not issued twice. */
export const reissueIdOf = (docId: string) => `reissue-${docId}`;

export function toDraft(source: DraftSource, as: DraftKind): InvoiceDraft {
	const editor = createEditor(source.request);
	if (as === "reissue") reissue(editor, source);
	else if (as === "copy") copy(editor, source);
	else addNote(editor, source, as);
	const { request, changes, open } = editor.result();
	return { as, docId: source.docId, encf: source.encf, request, changes, open };
}

type Text = { readonly en: string; readonly es: string };
type Editor = ReturnType<typeof createEditor>;

const WHY = {
	number: { en: "The document gets a number of its own.", es: "El comprobante recibe su propio número." },
	sameNumber: {
		en: "The authority did not use up the number, so it serves again.",
		es: "La autoridad no consumió el número, por lo que sirve de nuevo.",
	},
	id: { en: "An own id is used once.", es: "Un id propio se usa una sola vez." },
	reissueId: {
		en: "With this id, the document cannot be issued again twice.",
		es: "Con este id, el comprobante no puede emitirse de nuevo dos veces.",
	},
	today: { en: "The document is issued today.", es: "El comprobante se emite hoy." },
	sameMonth: {
		en: "It is issued today: the earlier document has no effect, and the month in which it is declared stays the same.",
		es: "Se emite hoy: el comprobante anterior no tiene efecto, y el mes en que se declara es el mismo.",
	},
	deferred: { en: "It is sent at once.", es: "Se envía de inmediato." },
	fix: { en: "The authority expects this value.", es: "La autoridad espera este valor." },
	note: { en: "A note modifies the original document.", es: "La nota modifica el comprobante original." },
	notCarried: { en: "A note does not state it.", es: "La nota no lo indica." },
	amounts: { en: "State only what is added.", es: "Indique solo lo que se agrega." },
} as const satisfies Readonly<Record<string, Text>>;

function reissue(editor: Editor, source: DraftSource): void {
	const { docId, status } = source;
	const { fix = [], advice = [], reissue } = status;
	for (const one of fix) editor.patch(one, WHY.fix);
	if (reissue?.encf === "same") editor.set("encf", source.encf, WHY.sameNumber);
	else renumber(editor, source);
	editor.set("client_request_id", reissueIdOf(docId), WHY.reissueId);
	editor.remove("deferred", WHY.deferred);
	dateAgain(editor, source);
	for (const { pointer, detail, detailEs } of advice) {
		if (pointer !== "/encf") editor.ask(pointer, { en: detail, es: detailEs });
	}
}

/**
 * A rejected document is void, and the authority expects a document on the day on which it is issued: today. Where that changes the tax, by month or by
 * the thirty days of a credit note, the date stays and a person decides.
 */
function dateAgain(editor: Editor, { type, issueDate, today }: DraftSource): void {
	const { reference, due_date } = editor.result().request;
	const isLate = (day: string) => isLateCreditNote(type, { reference }, day);
	const isOtherMonth = !today.startsWith(issueDate.slice(0, 7));
	if (isOtherMonth || (isLate(today) && !isLate(issueDate))) {
		const [en, es] = isOtherMonth
			? ["it would be declared in another month", "se declararía en otro mes"]
			: ["the note would be too late to give ITBIS back", "la nota llegaría tarde para devolver el ITBIS"];
		const why = {
			en: `With today's date ${en}, so it keeps ${issueDate}. Leave the date out to issue it today.`,
			es: `Con la fecha de hoy ${es}, por lo que conserva el ${issueDate}. Deje la fecha vacía para emitir hoy.`,
		};
		editor.set("issue_date", issueDate, why);
		editor.ask("/issue_date", why);
		return;
	}
	editor.remove("issue_date", WHY.sameMonth, issueDate === today ? undefined : issueDate);
	if (due_date !== undefined && due_date < today) askForDue(editor);
}

function copy(editor: Editor, source: DraftSource): void {
	renumber(editor, source);
	editor.remove("client_request_id", WHY.id);
	editor.remove("internal_number", WHY.id);
	editor.remove("issue_date", WHY.today);
	editor.remove("deferred", WHY.deferred);
	if (source.request.due_date !== undefined) askForDue(editor);
	if (findProfile(source.type)?.isNote) {
		editor.ask("/reference", { en: "Name the document that it modifies.", es: "Indique el comprobante que modifica." });
	}
}

function askForDue(editor: Editor): void {
	editor.remove("due_date", WHY.today);
	editor.ask("/due_date", { en: "State the last day of payment.", es: "Indique el último día de pago." });
}

/** What a note keeps of its original's request. */
const KEPT: ReadonlySet<string> = new Set([
	...["type", "encf", "client_request_id", "company", "customer", "lines", "totals", "reference", "issue_date"],
	...["currency", "exchange_rate", "amounts_in", "legal_tip", "income_type", "adjustments", "branch", "pos", "seller"],
	...["sales_zone", "sales_route", "emails", "metadata"],
]);

function addNote(editor: Editor, source: DraftSource, as: "credit" | "debit"): void {
	const { request, original, encf } = source;
	const type = as === "credit" ? "34" : "33";
	for (const name of Object.keys(request)) if (!KEPT.has(name)) editor.remove(name, WHY.notCarried);
	editor.set("type", type, WHY.note);
	renumber(editor, source);
	editor.remove("client_request_id", WHY.id);
	editor.remove("issue_date", WHY.today);
	const isWhole =
		as === "credit" && original !== undefined && Decimal.of(original.balance).compare(Decimal.of(original.total)) === 0;
	const issueDate = original?.issueDate ?? request.issue_date;
	const reference = { encf, ...(issueDate === undefined ? {} : { issue_date: issueDate }), code: isWhole ? 1 : 3 };
	editor.set("reference", reference, WHY.note);
	if (issueDate === undefined) {
		editor.ask("/reference/issue_date", {
			en: "State the original's issue date.",
			es: "Indique la fecha de emisión del original.",
		});
	}
	if (as === "debit") {
		for (const name of ["lines", "totals", "adjustments", "legal_tip"]) editor.remove(name, WHY.amounts);
		for (const name of ["lines", "totals"])
			editor.ask(`/${name}`, { en: "State what is added.", es: "Indique lo que se agrega." });
	} else if (!isWhole) {
		const left = original?.balance ?? request.totals.grand_total;
		editor.ask("/lines", {
			en: `State what is taken back; ${left} pesos are left of the document.`,
			es: `Indique lo que se devuelve; del comprobante quedan ${left} pesos.`,
		});
	}
	editor.fit(toTypeSchema(type), WHY.notCarried);
}

function renumber(editor: Editor, { isNumbered }: Pick<DraftSource, "isNumbered">): void {
	if (isNumbered) {
		editor.set("encf", "auto", WHY.number);
		return;
	}
	editor.remove("encf", WHY.number);
	editor.ask("/encf", { en: "State the next number of yours.", es: "Indique su próximo número." });
}

/** A copy of a request, with a list of what was changed and of what is open. */
function createEditor(sent: InvoiceRequest) {
	const before: Readonly<Record<string, unknown>> = sent;
	let request: Record<string, unknown> = structuredClone(sent);
	const changes = new Map<string, InvoiceDraft["changes"][number]>();
	const open: InvoiceDraft["open"] = [];

	function note(pointer: string, from: unknown, to: unknown, why: Text): void {
		if (JSON.stringify(from) === JSON.stringify(to)) return;
		const change = { pointer, before: from ?? null, after: to ?? null, detail: why.en, detailEs: why.es };
		changes.set(pointer, change);
	}
	return {
		set(name: string, value: unknown, why: Text): void {
			note(`/${name}`, before[name], value, why);
			request[name] = value;
		},
		/** `value`: what the document had; without it, what its request had. */
		remove(name: string, why: Text, value = before[name]): void {
			note(`/${name}`, value, undefined, why);
			delete request[name];
		},
		patch({ path, value }: NonNullable<InvoiceStatus["fix"]>[number], why: Text): void {
			const [last = "", ...parents] = path.slice(1).split("/").toReversed();
			const place = memberAt(request, parents.toReversed());
			if (place === undefined) return;
			note(path, place[last], value, why);
			place[last] = value;
		},
		ask(pointer: string, what: Text): void {
			if (!open.some((one) => one.pointer === pointer)) open.push({ pointer, detail: what.en, detailEs: what.es });
		},
		/** Leaves out what a schema does not know, at any depth. */
		fit(schema: TSchema, why: Text): void {
			const fitted = leaveOut(schema, request, "", (pointer, value) => note(pointer, value, undefined, why));
			request = fitted as Record<string, unknown>;
		},
		result: () => ({ request: request as Partial<InvoiceRequest>, changes: [...changes.values()], open }),
	};
}

function memberAt(value: Record<string, unknown>, steps: readonly string[]): Record<string, unknown> | undefined {
	let found: unknown = value;
	for (const step of steps) found = (found as Record<string, unknown> | undefined)?.[step];
	return typeof found === "object" && found !== null ? (found as Record<string, unknown>) : undefined;
}

function leaveOut(
	schema: TSchema,
	value: unknown,
	pointer: string,
	onLeft: (pointer: string, value: unknown) => void,
): unknown {
	if (Array.isArray(value)) {
		return schema.items ? value.map((item, n) => leaveOut(schema.items, item, `${pointer}/${n}`, onLeft)) : value;
	}
	if (typeof value !== "object" || value === null || !schema.properties) return value;
	const kept: [string, unknown][] = [];
	for (const [name, inner] of Object.entries(value)) {
		const known: TSchema | undefined = schema.properties[name];
		if (known === undefined) onLeft(`${pointer}/${name}`, inner);
		else kept.push([name, leaveOut(known, inner, `${pointer}/${name}`, onLeft)]);
	}
	return Object.fromEntries(kept);
}

/** The e-CF type of a stored row. */
export function draftedType(type: string): EcfType {
	if (!isEcfType(type)) throw new Error(`a stored document has the unknown type ${type}`);
	return type;
}
