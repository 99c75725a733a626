/** A document that a person is writing: the request, its lines as rows of the grid, and what becomes of both when something is typed. */
import type { InvoiceDraft, InvoiceRequest } from "../../api/generated";
import { amountOf, readAmount, readRate, sumUp } from "./amounts";
import { type Cell, isBlank, type Members, newRow, profileOf, type Row, ratesOf, type Totals, toRow } from "./row";

export const LINES_MAX = 1_000;

export type DraftKind = InvoiceDraft["as"];

export type Draft = {
	readonly id: string;
	/** A UUID; the document is issued once under it. */
	readonly key: string;
	readonly members: Members;
	readonly rows: readonly Row[];
	/** Totals of a stored document that its lines alone do not give; undefined once an amount is changed. */
	readonly stated?: Totals | undefined;
	/** What a person still has to fill in or look at. */
	readonly open: InvoiceDraft["open"];
	readonly source?: Pick<InvoiceDraft, "as" | "docId" | "encf" | "changes">;
	/** Milliseconds since 1970. */
	readonly changedAt: number;
};

export function newDraft(id: string, key: string): Draft {
	const members = { type: "31" };
	return { id, key, members, rows: [newRow(members.type)], open: [], changedAt: Date.now() };
}

/** The draft that the service made from a stored document. */
export function fromAnswer(id: string, key: string, { request, open, ...source }: InvoiceDraft): Draft {
	const { lines = [], totals, ...members } = request;
	const rows = lines.length === 0 ? [newRow(request.type)] : lines.map(toRow);
	const draft: Draft = { id, key, members, rows, open, source, changedAt: Date.now() };
	if (totals === undefined) return draft;
	// Lines without a rate are taxed as the totals have it.
	const rates = ["", ...ratesOf(request.type)];
	const given = rates.map((rate) => rows.map((row) => (row.tax_rate === "" ? { ...row, tax_rate: rate } : row)));
	const found = given.find((one) => !one.some(hasNoRate) && isSame(sumUp(one, members), totals));
	return found ? { ...draft, rows: found } : { ...draft, stated: totals };
}

const hasNoRate = ({ tax_rate }: Row) => tax_rate === "";
const isSame = (one: Totals, other: Totals) =>
	readAmount(one.subtotal)?.equals(readAmount(other.subtotal) ?? ZERO) === true &&
	readAmount(one.tax)?.equals(readAmount(other.tax) ?? ZERO) === true;
const ZERO = readAmount("0") as NonNullable<ReturnType<typeof readAmount>>;

/** A changed draft: its time is now. */
function changed(draft: Draft, change: Partial<Draft>): Draft {
	return { ...draft, ...change, changedAt: Date.now() };
}

/** The value at a JSON pointer of objects. */
export function memberAt(members: Members, pointer: string): unknown {
	let value: unknown = members;
	for (const name of pointer.slice(1).split("/")) value = (value as Members | undefined)?.[name];
	return value;
}

export const textAt = (members: Members, pointer: string): string => {
	const value = memberAt(members, pointer);
	return value === undefined ? "" : String(value);
};

/** Sets the member at a pointer; `undefined` and empty text take it out, with parents that it leaves empty. */
export function setMember(draft: Draft, pointer: string, value: unknown): Draft {
	const members = put(draft.members, pointer.slice(1).split("/"), value === "" ? undefined : value);
	const open = draft.open.filter((one) => !isWithin(pointer, one.pointer) && !isWithin(one.pointer, pointer));
	return changed(draft, { members: members ?? {}, open });
}

const isWithin = (pointer: string, outer: string) => pointer === outer || pointer.startsWith(`${outer}/`);

function put(object: Members, [name = "", ...rest]: readonly string[], value: unknown): Members | undefined {
	const inner = rest.length === 0 ? value : put((object[name] ?? {}) as Members, rest, value);
	const { [name]: _, ...others } = object;
	const result = inner === undefined ? others : { ...object, [name]: inner };
	return Object.keys(result).length === 0 ? undefined : result;
}

/** Another type; rates that it does not have become its first one. */
export function setType(draft: Draft, type: string): Draft {
	const rates: readonly string[] = ratesOf(type);
	const rows = draft.rows.map((row) => (rates.includes(row.tax_rate) ? row : { ...row, tax_rate: rates[0] ?? "" }));
	const number = textAt(draft.members, "/encf");
	// A number has the type in it.
	const numbered = number.startsWith("E") ? setMember(draft, "/encf", "") : draft;
	return { ...withRows(numbered, rows), members: { ...numbered.members, type } };
}

function withRows(draft: Draft, rows: readonly Row[]): Draft {
	const open = draft.open.filter(({ pointer }) => !isWithin(pointer, "/lines") && !isWithin(pointer, "/totals"));
	const { type } = draft.members;
	const kept = rows.length > 0 ? rows : [newRow(type)];
	if (!kept.some(hasNoRate) || draft.stated === undefined)
		return changed(draft, { rows: kept, open, stated: undefined });
	// The old totals had the rates of the lines in them, and no longer do.
	const rated = kept.map((row) => (hasNoRate(row) ? { ...row, tax_rate: ratesOf(type)[0] ?? "" } : row));
	return changed(draft, { rows: rated, open: [...open, CHECK_RATES], stated: undefined });
}

const CHECK_RATES = {
	pointer: "/rates",
	detail: "The original states no ITBIS rates of its lines. Check the rate of each.",
	detailEs: "El original no indica las tasas de ITBIS de sus líneas. Revise la tasa de cada una.",
};

const AMOUNTS: ReadonlySet<Cell> = new Set(["quantity", "unit_price", "discount", "tax_rate"]);

export function setCell(draft: Draft, at: number, cell: Cell, text: string): Draft {
	const isAmount = AMOUNTS.has(cell);
	const rows = draft.rows.map((row, n) => {
		if (n === at) return isAmount ? recalculated({ ...row, [cell]: text }) : { ...row, [cell]: text };
		// Either all lines state prices with ITBIS or none.
		return isAmount && "gross_unit_price" in row.further ? withoutGross(row) : row;
	});
	return isAmount ? withRows(draft, rows) : changed(draft, { rows });
}

function withoutGross(row: Row): Row {
	const { gross_unit_price: _, gross_subtotal: __, ...further } = row.further;
	return { ...row, further };
}

const recalculated = (row: Row): Row => ({ ...withoutGross(row), stated: undefined });

export function addRow(draft: Draft, at: number): Draft {
	if (draft.rows.length >= LINES_MAX) return draft;
	return withRows(draft, draft.rows.toSpliced(at, 0, newRow(draft.members.type)));
}

export function duplicateRow(draft: Draft, at: number): Draft {
	const row = draft.rows[at];
	if (!row || draft.rows.length >= LINES_MAX) return draft;
	return withRows(draft, draft.rows.toSpliced(at + 1, 0, { ...row, id: crypto.randomUUID() }));
}

export function removeRow(draft: Draft, at: number): Draft {
	return withRows(draft, draft.rows.toSpliced(at, 1));
}

/** Writes copied cells from one cell on, downwards and to the right, in the order of the shown columns. Rows beyond the limit are left out. */
export function pasteCells(
	draft: Draft,
	at: number,
	columns: readonly Cell[],
	texts: readonly (readonly string[])[],
): Draft {
	const rows = [...draft.rows];
	for (const [down, cells] of texts.slice(0, LINES_MAX - at).entries()) {
		const place = at + down;
		const before = rows[place] ?? newRow(draft.members.type);
		const given = cells.flatMap((text, right) => {
			const column = columns[right];
			return column === undefined ? [] : [[column, readCell(column, text)] as const];
		});
		const known = given.filter(([, text]) => text !== undefined);
		rows[place] = recalculated({ ...before, ...Object.fromEntries(known) });
	}
	return withRows(draft, rows.map(withoutGross));
}

/** A copied cell as the grid has it; undefined where a choice does not know the text. */
function readCell(cell: Cell, text: string): string | undefined {
	if (cell === "description") return text.trim();
	if (cell === "tax_rate") return readRate(text);
	if (cell === "kind") return /^s/i.test(text.trim()) ? "service" : /^[bg]/i.test(text.trim()) ? "good" : undefined;
	return readAmount(text)?.toShortest() ?? text.trim();
}

/** A body for `POST /v1/invoices`, and for each of its lines the row of the grid that it comes from. */
export function toRequest(
	draft: Draft,
	company: { readonly rnc: string; readonly name: string },
): { readonly body: InvoiceRequest; readonly rowOfLine: readonly number[] } {
	const { members, rows, key } = draft;
	const used = [...rows.entries()].filter(([, row]) => !isBlank(row));
	const withheld = profileOf(members.type).isPurchase === true;
	const kept = used.map(([, row]) => row);
	const body = {
		client_request_id: `console-${key}`,
		encf: "auto",
		...members,
		company: { rnc: company.rnc, name: company.name },
		lines: kept.map((row, n) => toLine(row, n + 1, withheld)),
		totals: draft.stated ?? sumUp(kept, members),
	};
	return { body: body as InvoiceRequest, rowOfLine: used.map(([at]) => at) };
}

function toLine(row: Row, number: number, withheld: boolean) {
	const sent = (text: string) => readAmount(text)?.toShortest() ?? text.trim();
	const { description, quantity, unit_price, discount, tax_rate, kind, withheld_itbis, withheld_isr } = row;
	const hasWithheld = withheld && (withheld_itbis !== "" || withheld_isr !== "");
	return {
		...{ line_number: number, description: description.trim(), quantity: sent(quantity), unit_price: sent(unit_price) },
		subtotal: row.stated ?? amountOf(row).toFixed(2),
		...(discount.trim() === "" ? {} : { discount: sent(discount) }),
		...(tax_rate === "" ? {} : { tax_rate }),
		...(kind === "service" ? { kind } : {}),
		...(hasWithheld ? { withholding: { itbis: sent(withheld_itbis || "0"), isr: sent(withheld_isr || "0") } } : {}),
		...row.further,
	};
}

/** The place on the page of a fault's pointer: lines count as rows of the grid. */
export function toPlace(pointer: string, rowOfLine: readonly number[]): string {
	return pointer
		.replace(/^\/lines\/(\d+)/, (_, line: string) => `/lines/${rowOfLine[Number(line)] ?? line}`)
		.replace("/withholding/", "/withheld_");
}
