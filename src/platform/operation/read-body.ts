/**
 * Reads a request's body within limits: Content-Length is believed only when it is too large, the stream is cut at the limit, and the limit
 * counts bytes after decompression.
 */
import { createGunzip, createZstdDecompress } from "node:zlib";
import type { TSchema } from "@sinclair/typebox";
import { type Fault, joinMessages, msg, Problem } from "../problem";
import { checkSchema, isObject } from "./check-schema";
import type { BodyRule, Call } from "./operation";
import { checkText, parseJson } from "./read-json";

/** Longest text of a body member, in characters; base64 members have their own limits. */
const TEXT_MAX = 4_000;
/** Every process refuses revoked credentials within a second, so a caller that passed the guard earlier is checked again. */
const ASKED_AGAIN_AFTER_MS = 1_000;

/** Gets the decompressed body piece by piece before the rest is read; what it throws refuses the request. */
export type BodyWatch = (piece: Uint8Array) => void | Promise<void>;

/** Between two pieces of a body other work gets its turn. */
const PIECE_BYTES = 256 * 1024;
/** A body this much larger than what was sent is no document, once it has `RATIO_FROM_BYTES`. */
const RATIO_MAX = 200;
const RATIO_FROM_BYTES = 2 * 1024 * 1024;

/**
 * Reads the whole body. A body may take up to half a minute to arrive, and its sender's credentials may have been revoked meanwhile; then
 * the request is refused. Throws, in this order: malformed-json (cut off), payload-too-large (as sent), unauthorised, insufficient-scope,
 * unsupported-media-type, payload-too-large (decompressed), malformed-json (broken compression).
 */
export async function readBytes(call: Call, watch?: BodyWatch): Promise<Uint8Array> {
	const rule = ruleOf(call);
	const { request } = call;
	const declared = request.headers.get("content-length");
	if (declared !== null && Number(declared) > rule.limitBytes) throw tooLarge(rule.limitBytes);
	const begunAt = performance.now();
	const sent = await takeWhole(call, rule.limitBytes);
	if (performance.now() - begunAt > ASKED_AGAIN_AFTER_MS) await call.checkAgain?.();
	checkMediaType(request, rule);
	const encoding = (request.headers.get("content-encoding") ?? "identity").trim().toLowerCase();
	const decode = decoders.get(encoding);
	if (!decode) {
		throw new Problem("unsupported-media-type", {
			detail: msg`Content-Encoding ${encoding.slice(0, 40)} is not supported.`,
		});
	}
	return sent ? decode(sent, rule.limitBytes, watch) : new Uint8Array(0);
}

/**
 * Passes an uncompressed body on, piece by piece, so that it never is in memory as a whole. Throws: as `readBytes`, and whatever `take`
 * throws.
 */
export async function readPiecewise(call: Call, take: (piece: Uint8Array) => Promise<void>): Promise<void> {
	const rule = ruleOf(call);
	const { request } = call;
	if (Number(request.headers.get("content-length") ?? 0) > rule.limitBytes) throw tooLarge(rule.limitBytes);
	checkMediaType(request, rule);
	const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
	if (encoding !== "identity")
		throw new Problem("unsupported-media-type", { detail: msg`Send the body uncompressed.` });
	const begunAt = performance.now();
	call.noteBody?.("begun");
	try {
		let total = 0;
		for await (const piece of (request.body ?? []) as AsyncIterable<Uint8Array>) {
			total += piece.length;
			if (total > rule.limitBytes) throw tooLarge(rule.limitBytes);
			await take(piece);
		}
	} catch (cause) {
		if (cause instanceof Problem || !isCut(cause)) throw cause;
		throw new Problem("malformed-json", { detail: msg`The connection ended before the body was complete.`, cause });
	} finally {
		call.noteBody?.("whole");
	}
	if (performance.now() - begunAt > ASKED_AGAIN_AFTER_MS) await call.checkAgain?.();
}

/**
 * Reads and checks a JSON body against the operation's schema. Throws: as `readBytes`, malformed-json, validation-error with all
 * violations. `textMax` of Infinity lifts the common limit where the schema sets its own.
 */
export async function readJson<T>(call: Call, textMax = TEXT_MAX): Promise<T> {
	const bytes = await readBytes(call);
	if (bytes.length === 0 && !ruleOf(call).required) return {} as T;
	const { schema, takesAnyText } = ruleOf(call);
	const value = parseJson(bytes);
	return takesAnyText ? asSchema<T>(value, checkSchema(schema, value)) : checkBody<T>(value, schema, textMax);
}

/** Checks a parsed body. Throws: validation-error with all violations. */
export function checkBody<T>(value: unknown, schema: TSchema, textMax = TEXT_MAX): T {
	return asSchema<T>(value, listBodyFaults(value, schema, textMax));
}

/** All violations of a parsed body. For a text beyond both limits, the schema's is reported. */
export function listBodyFaults(value: unknown, schema: TSchema, textMax = TEXT_MAX): Fault[] {
	const bySchema = checkSchema(schema, value);
	const tooLong = new Set(bySchema.filter(({ code }) => code === "too-long").map(({ pointer }) => pointer));
	const byText = checkText(value, textMax).filter(({ code, pointer }) => code !== "too-long" || !tooLong.has(pointer));
	return [...byText, ...bySchema];
}

function asSchema<T>(value: unknown, faults: readonly Fault[]): T {
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	return value as T;
}

function ruleOf(call: Call): BodyRule {
	const rule = call.operation.body;
	if (!rule) throw new Error(`operation ${call.operation.id} declares no body`);
	return rule;
}

/** A caller that leaves before its body is complete gets no answer, and nothing on our side has failed. */
async function takeWhole(call: Call, limitBytes: number): Promise<Uint8Array | undefined> {
	call.noteBody?.("begun");
	try {
		return await takeSent(call, limitBytes);
	} catch (cause) {
		if (cause instanceof Problem || !isCut(cause)) throw cause;
		throw new Problem("malformed-json", { detail: msg`The connection ended before the body was complete.`, cause });
	} finally {
		call.noteBody?.("whole");
	}
}

/** The runtime's two codes: for a body read as a whole, and for one read as a stream. */
function isCut(error: unknown): boolean {
	return error instanceof Error && (error.name === "AbortError" || /connection was closed/i.test(error.message));
}

/** As a whole when its length is known and enforced: a stream costs more than the rest of the request's head. */
async function takeSent({ request, isLengthEnforced }: Call, limitBytes: number): Promise<Uint8Array | undefined> {
	if (!request.body) return undefined;
	const { headers } = request;
	const isStated = headers.get("transfer-encoding") === null && /^\d+$/.test(headers.get("content-length") ?? "");
	return isLengthEnforced === true && isStated ? request.bytes() : collect(request.body, limitBytes);
}

function checkMediaType(request: Request, rule: BodyRule): void {
	const header = request.headers.get("content-type");
	if (header === null) {
		if (!rule.required && !request.body) return;
		throw new Problem("unsupported-media-type", {
			detail: msg`Content-Type is missing; send ${rule.mediaTypes[0] ?? ""}.`,
		});
	}
	const [type = "", ...parameters] = header.split(";").map((part) => part.trim().toLowerCase());
	const charset = parameters
		.find((p) => p.startsWith("charset="))
		?.slice("charset=".length)
		.replace(/^"|"$/g, "");
	const isKnown = rule.takesAnyCharset || charset === undefined || charset === "utf-8" || charset === "utf8";
	if (!rule.mediaTypes.includes(type) || !isKnown) {
		const types = joinMessages(
			rule.mediaTypes.map((one) => msg`${one}`),
			msg` or `,
		);
		throw new Problem("unsupported-media-type", {
			detail: rule.takesAnyCharset ? msg`Send ${types}.` : msg`Send ${types} in UTF-8.`,
		});
	}
}

function tooLarge(limitBytes: number): Problem {
	return new Problem("payload-too-large", {
		detail: msg`Body exceeds ${limitBytes} bytes.`,
		extensions: { limitBytes },
	});
}

function tooCompressed(limitBytes: number): Problem {
	const detail = msg`The body is more than ${RATIO_MAX} times as large as its compressed form. Send it uncompressed.`;
	return new Problem("payload-too-large", { detail, extensions: { limitBytes } });
}

function brokenCompression(cause?: unknown): Problem {
	return new Problem("malformed-json", { detail: msg`The compressed body is broken.`, cause });
}

type Decoder = (sent: Uint8Array, limitBytes: number, watch?: BodyWatch) => Promise<Uint8Array>;
const decoders = new Map<string, Decoder>([
	["identity", showWhole],
	["gzip", (sent, ...rule) => inflate(sent, createGunzip({ chunkSize: PIECE_BYTES }), ...rule)],
	["zstd", unzstd],
]);

async function showWhole(sent: Uint8Array, _limitBytes: number, watch?: BodyWatch): Promise<Uint8Array> {
	if (!watch) return sent;
	for (let at = 0; at < sent.length; at += PIECE_BYTES) {
		if (at > 0) await new Promise(setImmediate);
		await watch(sent.subarray(at, at + PIECE_BYTES));
	}
	return sent;
}

async function unzstd(sent: Uint8Array, limitBytes: number, watch?: BodyWatch): Promise<Uint8Array> {
	if (!isWholeZstd(sent)) throw brokenCompression();
	return inflate(sent, createZstdDecompress({ chunkSize: PIECE_BYTES }), limitBytes, watch);
}

async function collect(
	body: AsyncIterable<Uint8Array>,
	limitBytes: number,
	watch?: BodyWatch,
	refuse = tooLarge,
): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	let total = 0;
	for await (const chunk of body) {
		total += chunk.length;
		if (total > limitBytes) throw refuse(limitBytes);
		await watch?.(chunk);
		chunks.push(chunk);
	}
	const only = chunks[0];
	return chunks.length === 1 && only ? only : Buffer.concat(chunks);
}

async function inflate(
	sent: Uint8Array,
	engine: ReturnType<typeof createGunzip> | ReturnType<typeof createZstdDecompress>,
	limitBytes: number,
	watch?: BodyWatch,
): Promise<Uint8Array> {
	const byRatio = Math.max(RATIO_FROM_BYTES, sent.length * RATIO_MAX);
	engine.end(sent);
	try {
		return await (byRatio < limitBytes
			? collect(engine, byRatio, watch, tooCompressed)
			: collect(engine, limitBytes, watch));
	} catch (cause) {
		if (cause instanceof Problem) throw cause;
		throw brokenCompression(cause);
	} finally {
		engine.destroy();
	}
}

/**
 * Whether bytes are complete Zstandard frames, one after another, and nothing else.
 *
 * The runtime's decompressor silently accepts input that ends within a frame, and ignores what follows a frame: a truncated body would
 * become a shorter one. So the frames' own lengths are checked; nothing is decompressed here.
 *
 *   magic · descriptor · window? · dictionary? · content size? · blocks (3 bytes: last, type, size) … · checksum?
 *
 * Source: RFC 8878, 3.1.
 */

const FRAME = 0xfd2fb528;
/** The first of sixteen. */
const SKIPPABLE = 0x184d2a50;
const MAGIC_BYTES = 4;
const BLOCK_HEAD_BYTES = 3;
const CHECKSUM_BYTES = 4;
const DICTIONARY_BYTES = [0, 1, 2, 4];
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];
/** One byte that is repeated. */
const RLE_BLOCK = 1;

export function isWholeZstd(bytes: Uint8Array): boolean {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	let at = 0;
	while (at < bytes.length) {
		const end = endOfFrame(view, at);
		if (end === undefined || end > bytes.length) return false;
		at = end;
	}
	return true;
}

/** Where the frame that starts here ends, perhaps beyond the bytes; undefined for no frame or a truncated header. */
function endOfFrame(view: DataView, from: number): number | undefined {
	if (from + 2 * MAGIC_BYTES > view.byteLength) return undefined;
	const magic = view.getUint32(from, true);
	if (magic >>> 4 === SKIPPABLE >>> 4) return from + 2 * MAGIC_BYTES + view.getUint32(from + MAGIC_BYTES, true);
	if (magic !== FRAME) return undefined;
	const descriptor = view.getUint8(from + MAGIC_BYTES);
	const isOneSegment = (descriptor & 0x20) !== 0;
	const contentSizeBytes = CONTENT_SIZE_BYTES[descriptor >>> 6] || (isOneSegment ? 1 : 0);
	const headBytes = 1 + (isOneSegment ? 0 : 1) + (DICTIONARY_BYTES[descriptor & 3] ?? 0) + contentSizeBytes;
	const end = endOfBlocks(view, from + MAGIC_BYTES + headBytes);
	return end === undefined ? undefined : end + ((descriptor & 4) === 0 ? 0 : CHECKSUM_BYTES);
}

function endOfBlocks(view: DataView, from: number): number | undefined {
	let at = from;
	while (at + BLOCK_HEAD_BYTES <= view.byteLength) {
		const head = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
		at += BLOCK_HEAD_BYTES + (((head >>> 1) & 3) === RLE_BLOCK ? 1 : head >>> 3);
		if ((head & 1) === 1) return at;
	}
	return undefined;
}

/**
 * Applies a merge patch: members of objects are merged, `null` removes one, anything else replaces the value. Members named `__proto__` or
 * `constructor` are ordinary. Source: RFC 7396, section 2.
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
	if (!isObject(patch)) return patch;
	const merged = new Map<string, unknown>(isObject(target) ? Object.entries(target) : []);
	for (const [name, value] of Object.entries(patch)) {
		if (value === null) merged.delete(name);
		else merged.set(name, applyMergePatch(merged.get(name), value));
	}
	return Object.fromEntries(merged);
}
