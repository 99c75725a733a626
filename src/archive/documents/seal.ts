/**
 * Seals a decided document with everything about it into one ZIP, which can be read without this service.
 *
 *   manifest.json                 whose document it is, its verdict, and the SHA-256 of every other entry
 *   ecf.xml                       the signed bytes, as sent
 *   summary.xml                   the signed summary, if the document has one
 *   request.json                  the request, as received
 *   acknowledgement.json          the answer to it, if the caller has one
 *   facts.json                    what the service shows of the document and no other entry says, if the caller has it
 *   registry.json                 what the taxpayer registry held about issuer and buyer at the intake, if that is known
 *   answers/001-<operation>.xml   the authority's answers in order, verbatim; .json or .txt by content
 *   events.json                   what happened to the document, and when
 *
 * The same parts always give the same bytes: entries have a fixed order and one date. Sealing again after a crash therefore
 * finds the object that is already there.
 */

import { crc32 } from "node:zlib";
import { strFromU8, strToU8, unzipSync, Zip, type ZipInputFile } from "fflate";
import { isId } from "../../platform/values";
import { sha256Hex } from "../object-store/archive";

export type SealParts = {
	readonly docId: string;
	readonly tenantId: string;
	readonly environment: string;
	readonly encf: string;
	readonly type: string;
	readonly status: string;
	readonly decidedAt: Date;
	readonly retainUntil: Date;
	readonly ecf: Uint8Array;
	/** The signed summary of a small consumer invoice. */
	readonly summary?: Uint8Array;
	/** JSON text as received. */
	readonly request: string;
	/** JSON text of the answer to the request. */
	readonly acknowledgement?: string;
	/** What the service shows of the document, and no other entry says. */
	readonly facts?: Readonly<Record<string, unknown>>;
	/** What the taxpayer registry held about the parties. */
	readonly registry?: Readonly<Record<string, unknown>>;
	readonly answers: readonly SealedAnswer[];
	readonly events: readonly Readonly<Record<string, unknown>>[];
};

type SealedAnswer = {
	readonly at: Date;
	/** Which of the authority's operations answered: `submit`, `result`. */
	readonly operation: string;
	readonly httpStatus: number | null;
	readonly mediaType: string | null;
	readonly body: string;
};

export type Manifest = {
	readonly format: (typeof FORMATS)[number];
	readonly docId: string;
	readonly tenantId: string;
	readonly environment: string;
	readonly encf: string;
	readonly type: string;
	readonly status: string;
	readonly decidedAt: string;
	readonly retainUntil: string;
	readonly answers: readonly {
		readonly entry: string;
		readonly at: string;
		readonly operation: string;
		readonly httpStatus: number | null;
		readonly mediaType: string | null;
	}[];
	/** Entry name → SHA-256, hex. */
	readonly sha256: Readonly<Record<string, string>>;
};

/** A sealed object does not hold what its manifest says. */
export class SealedObjectError extends Error {
	constructor(
		readonly fault: string,
		cause?: unknown,
	) {
		super(`not a whole sealed document: ${fault}`, { cause });
		this.name = "SealedObjectError";
	}
}

/** The first one lacks the acknowledgement and the facts. Objects are written in the last one. */
const FORMATS = ["sello-sealed-document/1", "sello-sealed-document/2"] as const;
const FORMAT = FORMATS[1];
const MANIFEST = "manifest.json";
/** A document has at most 10,000 lines, and its answers are cut off well below this. */
const UNPACKED_BYTES_MAX = 256 * 1024 * 1024;

export function sealDocument(parts: SealParts): Uint8Array {
	const answers = parts.answers.map((answer, i) => ({ ...answer, entry: nameAnswer(answer, i + 1) }));
	const entries: [name: string, bytes: Uint8Array][] = [
		["ecf.xml", parts.ecf],
		...(parts.summary ? [["summary.xml", parts.summary] as [string, Uint8Array]] : []),
		["request.json", strToU8(parts.request)],
		...(parts.acknowledgement === undefined
			? []
			: [["acknowledgement.json", strToU8(parts.acknowledgement)] as [string, Uint8Array]]),
		...(parts.facts ? [["facts.json", toJson(parts.facts)] as [string, Uint8Array]] : []),
		...(parts.registry ? [["registry.json", toJson(parts.registry)] as [string, Uint8Array]] : []),
		...answers.map(({ entry, body }): [string, Uint8Array] => [entry, strToU8(body)]),
		["events.json", toJson(parts.events)],
	];
	const manifest: Manifest = {
		format: FORMAT,
		docId: parts.docId,
		tenantId: parts.tenantId,
		environment: parts.environment,
		encf: parts.encf,
		type: parts.type,
		status: parts.status,
		decidedAt: parts.decidedAt.toISOString(),
		retainUntil: parts.retainUntil.toISOString(),
		answers: answers.map(({ entry, at, operation, httpStatus, mediaType }) => ({
			entry,
			at: at.toISOString(),
			operation,
			httpStatus,
			mediaType,
		})),
		sha256: Object.fromEntries(entries.map(([name, bytes]) => [name, sha256Hex(bytes)])),
	};
	return toZip([[MANIFEST, toJson(manifest)], ...entries]);
}

/** Opens a sealed object, every entry checked against the manifest: name → bytes, the manifest included. Throws: SealedObjectError. */
export function openSealed(bytes: Uint8Array): Readonly<Record<string, Uint8Array>> {
	return openWhole(bytes).entries;
}

/** The manifest of a sealed object, after every entry was checked against it. Throws: SealedObjectError. */
export function readManifest(bytes: Uint8Array): Manifest {
	return openWhole(bytes).manifest;
}

function openWhole(bytes: Uint8Array): { entries: Readonly<Record<string, Uint8Array>>; manifest: Manifest } {
	const entries = unzip(bytes);
	const { [MANIFEST]: head, ...rest } = entries;
	if (!head) throw new SealedObjectError("the manifest is missing");
	const manifest = parseManifest(head);
	const { sha256 } = manifest;
	for (const [name, expected] of Object.entries(sha256)) {
		const entry = rest[name];
		if (!entry) throw new SealedObjectError(`${name} is missing`);
		if (sha256Hex(entry) !== expected) throw new SealedObjectError(`${name} was changed`);
	}
	const unknown = Object.keys(rest).find((name) => !Object.hasOwn(sha256, name));
	if (unknown !== undefined) throw new SealedObjectError(`${unknown} is not in the manifest`);
	return { entries, manifest };
}

function unzip(bytes: Uint8Array): Record<string, Uint8Array> {
	try {
		let size = 0;
		return unzipSync(bytes, {
			filter: ({ originalSize }) => {
				size += originalSize;
				if (size > UNPACKED_BYTES_MAX) throw new SealedObjectError("its entries are larger than those of any document");
				return true;
			},
		});
	} catch (cause) {
		if (cause instanceof SealedObjectError) throw cause;
		throw new SealedObjectError("it is not a ZIP file", cause);
	}
}

function parseManifest(bytes: Uint8Array): Manifest {
	let manifest: Manifest;
	try {
		manifest = JSON.parse(strFromU8(bytes)) as Manifest;
	} catch (cause) {
		throw new SealedObjectError("the manifest is not JSON", cause);
	}
	if (!FORMATS.includes(manifest?.format))
		throw new SealedObjectError(`the manifest's format is none of ${FORMATS.join(", ")}`);
	const { docId, tenantId, environment, encf, type, status, decidedAt, retainUntil, sha256 } = manifest;
	const isNamed = [docId, tenantId].every((id) => typeof id === "string" && isId(id));
	const isDated = [decidedAt, retainUntil].every((time) => typeof time === "string" && isInstant(time));
	const isDescribed = [environment, encf, type, status].every((text) => typeof text === "string");
	if (!isNamed || !isDated || !isDescribed || typeof sha256 !== "object" || sha256 === null)
		throw new SealedObjectError("the manifest lacks members or has malformed ones");
	return manifest;
}

function isInstant(text: string): boolean {
	const time = new Date(text);
	return !Number.isNaN(time.getTime()) && time.toISOString() === text;
}

function nameAnswer(answer: SealedAnswer, n: number): string {
	const operation = answer.operation.toLowerCase().replace(/[^a-z0-9]+/g, "-");
	return `answers/${String(n).padStart(3, "0")}-${operation}.${extensionOf(answer)}`;
}

/** By the body's content, since the authority's media types are not reliable. */
function extensionOf({ body }: SealedAnswer): "json" | "xml" | "txt" {
	const text = body.trimStart();
	if (text.startsWith("<?xml") || (text.startsWith("<") && !/^<(!doctype|html)/i.test(text))) return "xml";
	try {
		JSON.parse(text);
		return "json";
	} catch {
		return "txt";
	}
}

function toJson(value: unknown): Uint8Array {
	return strToU8(`${JSON.stringify(value, undefined, "\t")}\n`);
}

/** ZIP dates are wall-clock dates. Made from local parts, this one is the same in every time zone. */
const ONE_DATE = new Date(1980, 0, 1, 12);
/** Source: PKWARE's APPNOTE.TXT, 4.4.5. */
const [STORED, DEFLATED] = [0, 8];
/** Shorter entries are stored uncompressed: compression saves a few bytes and costs as much as for a longer entry. */
const DEFLATED_BYTES_MIN = 256;
/** Compresses signed documents as well as zlib's level 6, in half the time. */
const COMPRESSION = { library: "libdeflate", level: 1 } as const;

/** Writes entries in their order with one date, so equal entries give equal bytes. */
export function toZip(entries: readonly (readonly [name: string, bytes: Uint8Array])[]): Uint8Array {
	const chunks: Uint8Array[] = [];
	const zip = new Zip((error, chunk) => {
		if (error) throw error;
		chunks.push(chunk);
	});
	for (const [filename, bytes] of entries) {
		const isShort = bytes.length < DEFLATED_BYTES_MIN;
		const file: ZipInputFile = {
			filename,
			size: bytes.length,
			crc: crc32(bytes),
			compression: isShort ? STORED : DEFLATED,
			mtime: ONE_DATE,
		};
		zip.add(file);
		file.ondata?.(null, isShort ? new Uint8Array(bytes) : Bun.deflateSync(new Uint8Array(bytes), COMPRESSION), true);
	}
	zip.end();
	return Buffer.concat(chunks);
}
