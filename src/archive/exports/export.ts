/** An export: its request, row, record and download address. */

import { createHmac, timingSafeEqual } from "node:crypto";
import { type Static, type TObject, Type } from "@sinclair/typebox";
import { ID_PATTERN } from "../../platform/values";

/** Containers of sealed objects. */
const SEALED_FORMATS = ["zip", "tar.zst"] as const;
const FORMATS = [...SEALED_FORMATS, "xml", "pdf", "csv"] as const;
export type Format = (typeof FORMATS)[number];

/** Sealed objects come in both containers, the invoices' own files in a ZIP. */
export const FILES: Readonly<Record<Format, { readonly extension: string; readonly mediaType: string }>> = {
	zip: { extension: "zip", mediaType: "application/zip" },
	"tar.zst": { extension: "tar.zst", mediaType: "application/zstd" },
	xml: { extension: "xml.zip", mediaType: "application/zip" },
	pdf: { extension: "pdf.zip", mediaType: "application/zip" },
	csv: { extension: "csv", mediaType: "text/csv; charset=utf-8; header=present" },
};

export const isSealed = (format: Format): format is (typeof SEALED_FORMATS)[number] =>
	SEALED_FORMATS.some((one) => one === format);

export const STATUSES = ["queued", "running", "ready", "failed", "expired"] as const;
type ExportStatus = (typeof STATUSES)[number];

/** Why an export failed: the archive no longer has a document as it was written, or an internal failure. */
const FAILURES = ["object-missing", "object-changed", "object-unreadable", "internal"] as const;
export type Failure = {
	readonly code: (typeof FAILURES)[number];
	readonly detail: string;
	readonly docId: string | null;
};

/** An object that is not in the file, because the archive no longer has it as it was written. */
export type Damage = Failure & {
	readonly docId: string;
	/** Where the object would be in the file. */
	readonly path: string;
};

/** How many damaged objects a record names; the file's `index.csv` names all. */
export const DAMAGED_MAX = 100;

export type ExportRow = {
	readonly id: string;
	readonly tenantId: string;
	/** Whether documents were chosen; else it has those of the days. */
	readonly isChosen: boolean;
	/** Days of decision (UTC-4), both included; days of receipt of chosen documents. */
	readonly from: string;
	readonly to: string;
	readonly format: Format;
	/** Only documents with a smaller leaf index belong to the export. */
	readonly leafBound: number;
	readonly status: ExportStatus;
	readonly documents: number;
	readonly bytes: number | null;
	/** Hex, as are all digests here. */
	readonly sha256: string | null;
	readonly chainFrom: string | null;
	readonly chainTo: string | null;
	readonly treeSize: number | null;
	readonly merkleRoot: string | null;
	readonly failure: Failure | null;
	/** The first ones; `damagedCount` counts all. */
	readonly damaged: readonly Damage[];
	readonly damagedCount: number;
	readonly createdAt: Date;
	readonly completedAt: Date | null;
	readonly expiresAt: Date | null;
};

const Day = (description: string) => Type.String({ description, maxLength: 64, examples: ["2026-11-20"] });
const Instant = Type.String({ format: "date-time" });
const or = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(schema: T) =>
	Type.Union([schema, Type.Null()]);

export const DOC_IDS_MAX = 500;

/** `filter` has the members of a list of invoices, which the wing above declares. */
export const exportRequestOf = (filter: TObject) =>
	Type.Object(
		{
			from: Type.Optional(Day("First day of decision, YYYY-MM-DD (UTC-4).")),
			to: Type.Optional(Day("Last day of decision, YYYY-MM-DD (UTC-4).")),
			docIds: Type.Optional(
				Type.Array(Type.String({ pattern: ID_PATTERN }), {
					...{ description: "Documents, in place of days.", minItems: 1, maxItems: DOC_IDS_MAX, uniqueItems: true },
				}),
			),
			filter: Type.Optional({ ...filter, description: "As the parameters of `GET /v1/invoices`, in place of days." }),
			format: Type.Union(
				FORMATS.map((format) => Type.Literal(format)),
				{
					description:
						"`zip`, `tar.zst`: sealed objects. Of chosen documents also a ZIP of `xml` or `pdf`, or a `csv`.",
				},
			),
		},
		{ additionalProperties: false },
	);
export type ExportFilter = Readonly<Record<string, string | undefined>>;
export type ArchiveExportRequest = Omit<Static<ReturnType<typeof exportRequestOf>>, "filter"> & {
	readonly filter?: ExportFilter;
};

export const ArchiveExportRecord = Type.Object({
	exportId: Type.String(),
	status: Type.Union(STATUSES.map((status) => Type.Literal(status))),
	chosen: Type.Boolean({ description: "Whether documents were chosen; `from` and `to` are then days of receipt." }),
	from: Type.String(),
	to: Type.String(),
	format: Type.Union(FORMATS.map((format) => Type.Literal(format))),
	documents: Type.Integer({ description: "Sealed objects or documents in the file." }),
	bytes: or(Type.Integer({ description: "Size of the file." })),
	sha256: or(Type.String({ description: "SHA-256 of the file, hex." })),
	url: or(Type.String({ description: "Download address, valid until `expiresAt` without credentials." })),
	expiresAt: or(Instant),
	chain: Type.Union([
		Type.Object({
			from: Type.String({ description: "The company's link before the first document, hex." }),
			to: Type.String({ description: "The link of the last document, hex." }),
		}),
		Type.Null(),
	]),
	merkleRoot: or(
		Type.String({
			description:
				"Root of the first `treeSize` documents of the archive's log with the company's, which include these. Hex.",
		}),
	),
	treeSize: or(Type.Integer()),
	failure: Type.Union([
		Type.Object({
			code: Type.Union(FAILURES.map((code) => Type.Literal(code))),
			detail: Type.String(),
			docId: or(Type.String()),
		}),
		Type.Null(),
	]),
	damaged: Type.Array(
		Type.Object({
			code: Type.Union(FAILURES.map((code) => Type.Literal(code))),
			detail: Type.String(),
			docId: Type.String(),
			path: Type.String({ description: "Where the object would be in the file." }),
		}),
		{
			description: `Objects that the file lacks because they are damaged in the archive. The first ${DAMAGED_MAX}; \`index.csv\` names all.`,
		},
	),
	damagedCount: Type.Integer({ description: "How many objects the file lacks." }),
	createdAt: Instant,
	completedAt: or(Instant),
	_links: Type.Object({ self: Type.String() }),
});
export type ArchiveExportRecord = Static<typeof ArchiveExportRecord>;

export function pathOf(id: string): string {
	return `/v1/archive/exports/${id}`;
}

/** The record for callers. `linkOf` creates the address of the file. */
export function toRecord(row: ExportRow, now: Date, linkOf: (id: string, until: Date) => string): ArchiveExportRecord {
	const { id, chainFrom, chainTo, expiresAt } = row;
	// The file is removed a little after it expires.
	const isOver = row.status === "ready" && expiresAt !== null && expiresAt <= now;
	const status = isOver ? "expired" : row.status;
	return {
		...{ exportId: id, status, chosen: row.isChosen, from: row.from, to: row.to, format: row.format },
		...{ documents: row.documents, bytes: row.bytes, sha256: row.sha256 },
		url: status === "ready" && expiresAt ? linkOf(id, expiresAt) : null,
		expiresAt: expiresAt?.toISOString() ?? null,
		chain: chainFrom !== null && chainTo !== null ? { from: chainFrom, to: chainTo } : null,
		...{ merkleRoot: row.merkleRoot, treeSize: row.treeSize },
		failure: row.failure && { ...row.failure },
		damaged: row.damaged.map((one) => ({ ...one })),
		damagedCount: row.damagedCount,
		createdAt: row.createdAt.toISOString(),
		completedAt: row.completedAt?.toISOString() ?? null,
		_links: { self: pathOf(id) },
	};
}

type LinkTerms = { readonly id: string; readonly expires: number };

/** Whole seconds since 1970. The address expires with the file. */
const secondsOf = (until: Date) => Math.floor(until.getTime() / 1_000);

/**
 * The address of an export's file. It needs no credentials: the signature covers the export's id and the expiry, so neither can be replaced.
 */
export function linkTo(key: Uint8Array, baseUrl: string, id: string, until: Date): string {
	const expires = secondsOf(until);
	return `${baseUrl}${pathOf(id)}/file?expires=${expires}&signature=${sign(key, { id, expires })}`;
}

/** True for a signature of exactly these terms. */
export function isSigned(key: Uint8Array, terms: LinkTerms, signature: string): boolean {
	const given = Buffer.from(signature);
	const right = Buffer.from(sign(key, terms));
	return given.length === right.length && timingSafeEqual(given, right);
}

function sign(key: Uint8Array, { id, expires }: LinkTerms): string {
	return createHmac("sha256", key).update(`export file|${id}|${expires}`).digest("base64url");
}
