/** An order of an export: what it asks for, its limits, and the row and message that it leaves. */
import type { TObject } from "@sinclair/typebox";
import { type Doer, recordAudit } from "../../identity/audit-log";
import type { Tx } from "../../platform/database";
import { checkDay } from "../../platform/operation";
import { append, OUTBOX_KINDS } from "../../platform/outbox";
import { type Fault, type Message, msg, Problem } from "../../platform/problem";
import { newId, toLocalIsoDate } from "../../platform/values";
import { measureSelected, type Period, type Selection } from "../documents/store";
import { type ArchiveExportRequest, type ExportFilter, type ExportRow, type Format, isSealed } from "./export";
import { countExports, insertExport, readLeafBound } from "./store";

/** How documents are chosen, which the wing above knows. */
export type DocumentChoice = {
	/** The members of a list's filter. */
	readonly filter: TObject;
	/** Violations in members that fit the schema; `at` is where they are. */
	readonly check: (filter: ExportFilter, at: string) => readonly Fault[];
	/** Newest first, with their days of receipt (UTC-4). At most `max` and one more. */
	readonly find: (
		tx: Tx,
		tenantId: string,
		wanted: { readonly docIds: readonly string[] } | { readonly filter: ExportFilter },
		max: number,
	) => Promise<readonly { readonly docId: string; readonly day: string }[]>;
};

/** Gap: the specification sets no limits for exports. Per company at a time: */
const MAKING_MAX = 2;
/** Gap: a hundred files of chosen documents, which are small, are kept beside ten of days. */
const KEPT_MAX = { ofDays: 10, chosen: 100 };
/** Per export. */
export const DOCUMENTS_MAX = 500_000;
export const CHOSEN_MAX = 10_000;
export const BYTES_MAX = 20 * 1_024 ** 3;

/** `docIds` is null for all documents of the days. */
type Ordered = Period & { readonly format: Format; readonly docIds: readonly string[] | null };

type Asked = { readonly tenantId: string; readonly request: ArchiveExportRequest; readonly at: Date };

/** What a request asks for. Throws: validation-error, export-too-large. */
export async function readOrder(choice: DocumentChoice, tx: Tx, { tenantId, request, at }: Asked): Promise<Ordered> {
	const { from, to, docIds, filter, format } = request;
	const faults = listFaults(choice, request);
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	if (docIds === undefined && filter === undefined) return { from: from ?? "", to: to ?? "", format, docIds: null };
	const wanted = docIds === undefined ? { filter: filter ?? {} } : { docIds };
	const found = await choice.find(tx, tenantId, wanted, CHOSEN_MAX);
	if (found.length > CHOSEN_MAX) throw tooLarge(CHOSEN_MAX);
	checkKnown(docIds ?? [], new Set(found.map(({ docId }) => docId)));
	const days = found.map(({ day }) => day).toSorted();
	const [first = toLocalIsoDate(at)] = days;
	return { from: first, to: days.at(-1) ?? first, format, docIds: found.map(({ docId }) => docId) };
}

function listFaults({ check }: DocumentChoice, { from, to, docIds, filter, format }: ArchiveExportRequest): Fault[] {
	const chosen = Object.entries({ docIds, filter }).filter(([, given]) => given !== undefined);
	if (chosen.length === 0) {
		const detail = msg`Choose documents by \`docIds\` or \`filter\` for this format.`;
		const ofFormat = isSealed(format) ? [] : [{ pointer: "/format", code: "not-with-days", detail }];
		return [...listDayFaults({ from, to }), ...ofFormat];
	}
	const days = Object.entries({ from, to }).filter(([, given]) => given !== undefined);
	const others = [...chosen.slice(1), ...days].map(([name]) => {
		return { pointer: `/${name}`, code: "not-together", detail: msg`Send either \`docIds\`, \`filter\`, or days.` };
	});
	return [...others, ...(filter === undefined ? [] : check(filter, "/filter"))];
}

function listDayFaults({ from, to }: Pick<ArchiveExportRequest, "from" | "to">): Fault[] {
	const faults = Object.entries({ from, to }).flatMap(([name, day]) => {
		const fault = day === undefined ? { code: "required", detail: msg`The member is required.` } : checkDay(day);
		return fault ? [{ pointer: `/${name}`, ...fault }] : [];
	});
	if (faults.length > 0 || from === undefined || to === undefined || to >= from) return faults;
	return [{ pointer: "/to", code: "before-from", detail: msg`The day is before \`from\`.` }];
}

/** Foreign documents are unknown ones. */
function checkKnown(docIds: readonly string[], known: ReadonlySet<string>): void {
	const detail = msg`The company has no such document.`;
	const faults = docIds.flatMap((docId, n) =>
		known.has(docId) ? [] : [{ pointer: `/docIds/${n}`, code: "unknown-document", detail }],
	);
	if (faults.length > 0) throw new Problem("validation-error", { faults });
}

export type Order = Ordered & { readonly tenantId: string; readonly doer: Doer };

/** Throws: export-limit-reached, export-too-large. */
export async function orderExport(tx: Tx, { tenantId, doer, from, to, format, docIds }: Order): Promise<ExportRow> {
	const { making, kept } = await countExports(tx, tenantId, docIds !== null, doer.at);
	const keptMax = docIds === null ? KEPT_MAX.ofDays : KEPT_MAX.chosen;
	if (making >= MAKING_MAX) throw limitReached("making", MAKING_MAX, msg`${making} exports are being made.`);
	if (kept >= keptMax) throw limitReached("kept", keptMax, msg`${kept} exports are ready for download.`);
	// Before the count, so that a document archived in between belongs to neither.
	const leafBound = await readLeafBound(tx, tenantId);
	const order = { tenantId, from, to, format, leafBound, docIds };
	const documents = isSealed(format) ? await measure(tx, order) : (docIds?.length ?? 0);
	const id = newId();
	const row = await insertExport(tx, { ...order, id, documents, createdAt: doer.at });
	await append(tx, { kind: OUTBOX_KINDS.buildExport, tenantId, subject: id });
	const details = { from, to, format, documents };
	await recordAudit(tx, { ...doer, action: "archive.export", subject: id, tenantId, details });
	return row;
}

async function measure(tx: Tx, selection: Selection): Promise<number> {
	const { documents, bytes } = await measureSelected(tx, selection, DOCUMENTS_MAX);
	if (documents > DOCUMENTS_MAX || bytes > BYTES_MAX) throw tooLarge(DOCUMENTS_MAX);
	return documents;
}

function tooLarge(documentsMax: number): Problem {
	return new Problem("export-too-large", { extensions: { documentsMax, bytesMax: BYTES_MAX } });
}

function limitReached(what: "making" | "kept", limit: number, detail: Message): Problem {
	return new Problem("export-limit-reached", { detail, extensions: { counted: what, limit } });
}
