/** `POST /v1/archive/exports`: what is asked for is measured against the limits, the order is stored, and the rest is done by its message. */
import { type Doer, recordAudit } from "../../identity/audit-log";
import type { Tx } from "../../platform/database";
import { checkDay } from "../../platform/operation";
import { append, OUTBOX_KINDS } from "../../platform/outbox";
import { type Fault, Problem } from "../../platform/problem";
import { newId } from "../../platform/values";
import type { ArchiveExportRequest } from "./export";

import { countExports, type ExportRow, insertExport, measurePeriod, readLeafBound } from "./store";

/** Gap: the specification sets no limits of exports. Of a company at a time: */
const MAKING_MAX = 2;
const KEPT_MAX = 10;
/** Of one export. */
export const DOCUMENTS_MAX = 500_000;
export const BYTES_MAX = 20 * 1_024 ** 3;

export type Order = { readonly tenantId: string; readonly request: ArchiveExportRequest; readonly doer: Doer };

/** Throws: validation-error, export-limit-reached, export-too-large. */
export async function orderExport(tx: Tx, { tenantId, request, doer }: Order): Promise<ExportRow> {
	const { from, to, format } = request;
	checkPeriod(request);
	const { making, kept } = await countExports(tx, tenantId, doer.at);
	if (making >= MAKING_MAX) throw limitReached("making", MAKING_MAX, `${making} exports are being made.`);
	if (kept >= KEPT_MAX) throw limitReached("kept", KEPT_MAX, `${kept} exports can be downloaded.`);
	// Before the documents are counted: one that comes in between belongs to neither.
	const leafBound = await readLeafBound(tx);
	const { documents, bytes } = await measurePeriod(tx, tenantId, { from, to }, DOCUMENTS_MAX);
	if (documents > DOCUMENTS_MAX || bytes > BYTES_MAX) {
		const extensions = { documentsMax: DOCUMENTS_MAX, bytesMax: BYTES_MAX };
		throw new Problem("export-too-large", { extensions });
	}
	const id = newId();
	const row = await insertExport(tx, {
		...{ id, tenantId, from, to, format, leafBound, documents, createdAt: doer.at },
	});
	await append(tx, { kind: OUTBOX_KINDS.buildExport, tenantId, subject: id });
	const details = { from, to, format, documents };
	await recordAudit(tx, { ...doer, action: "archive.export", subject: id, tenantId, details });
	return row;
}

function checkPeriod({ from, to }: ArchiveExportRequest): void {
	const faults: Fault[] = [];
	for (const [name, day] of Object.entries({ from, to })) {
		const fault = checkDay(day);
		if (fault) faults.push({ pointer: `/${name}`, ...fault });
	}
	if (faults.length === 0 && to < from) {
		faults.push({ pointer: "/to", code: "before-from", detail: "Is before `from`." });
	}
	if (faults.length > 0) throw new Problem("validation-error", { faults });
}

function limitReached(what: "making" | "kept", limit: number, detail: string): Problem {
	return new Problem("export-limit-reached", { detail, extensions: { counted: what, limit } });
}
