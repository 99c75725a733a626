/** The JSON documents of an evidence file, and readers that check untrusted JSON. */
import { LOG_COUNT } from "../merkle";
import { Refusal } from "./words";

/** Reads one value. Undefined if it is not of the expected form. */
export type Reader<T> = (value: unknown) => T | undefined;

type Read<Shape> = { readonly [Name in keyof Shape]: Shape[Name] extends Reader<infer T> ? T : never };

/** JSON of UTF-8 bytes. Throws: Refusal. */
export function parseJsonBytes(bytes: Uint8Array, file: string): unknown {
	try {
		return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
	} catch {
		throw new Refusal({ en: `${file} is not JSON`, es: `${file} no es JSON` });
	}
}

/** The members of an object, each read by its reader. Throws a Refusal that names all malformed members. */
export function readMembers<Shape extends Record<string, Reader<unknown>>>(
	value: unknown,
	shape: Shape,
	file: string,
): Read<Shape> {
	const members = toRecord(value);
	const read = Object.entries(shape).map(([name, reader]) => [name, reader(members?.[name])] as const);
	const bad = read.filter(([, one]) => one === undefined).map(([name]) => name);
	if (bad.length > 0) {
		const names = bad.join(", ");
		throw new Refusal({
			en: `${file} has no ${names}, or not in the expected form`,
			es: `${file} no tiene ${names}, o no en la forma esperada`,
		});
	}
	return Object.fromEntries(read) as Read<Shape>;
}

/** An object's own members; undefined for anything else. */
export function toRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
	return Object.assign(Object.create(null), value);
}

export const aText: Reader<string> = (value) => (typeof value === "string" ? value : undefined);
const aTextOrNull: Reader<string | null> = (value) => (value === null ? null : aText(value));
export const aCount: Reader<number> = (value) =>
	Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
const aLog: Reader<number> = (value) => (Number(aCount(value)) < LOG_COUNT ? aCount(value) : undefined);
const aCountOrNull: Reader<number | null> = (value) => (value === null ? null : aCount(value));

/** A text that matches a pattern. */
function aForm(form: RegExp): Reader<string> {
	return (value) => (typeof value === "string" && form.test(value) ? value : undefined);
}

const aUuid = aForm(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
/** A SHA-256 in lower-case hex. */
export const aDigest = aForm(/^[0-9a-f]{64}$/);
/** An ISO instant in UTC with milliseconds. */
const anInstant: Reader<string> = (value) => {
	const at = typeof value === "string" ? new Date(value) : undefined;
	return at && !Number.isNaN(at.getTime()) && at.toISOString() === value ? at.toISOString() : undefined;
};

export function aListOf<T>(reader: Reader<T>): Reader<readonly T[]> {
	return (value) => {
		if (!Array.isArray(value)) return undefined;
		const read = value.map((one) => reader(one));
		return read.some((one) => one === undefined) ? undefined : (read as T[]);
	};
}

export function members<Shape extends Record<string, Reader<unknown>>>(shape: Shape): Reader<Read<Shape>> {
	return (value) => {
		const record = toRecord(value);
		if (!record) return undefined;
		const read = Object.entries(shape).map(([name, reader]) => [name, reader(record[name])] as const);
		return read.some(([, one]) => one === undefined) ? undefined : (Object.fromEntries(read) as Read<Shape>);
	};
}

export type Manifest = ReturnType<typeof readManifest>;
/** The sealed object's positions in its tenant's chain and the archive's tree. */
export type Proof = ReturnType<typeof readProof>;
/** The service's signed statement about the document. */
export type Receipt = ReturnType<typeof readReceipt>;

const ANSWER = {
	entry: aText,
	at: anInstant,
	operation: aText,
	httpStatus: aCountOrNull,
	mediaType: aTextOrNull,
};

/** Throws: Refusal. */
export function readManifest(bytes: Uint8Array, file: string) {
	const shape = {
		...{ format: aForm(/^sello-sealed-document\/[12]$/), docId: aUuid, tenantId: aUuid, environment: aText },
		...{ encf: aText, type: aText, status: aText, decidedAt: anInstant, retainUntil: anInstant },
		answers: aListOf(members(ANSWER)),
		sha256: (value: unknown) => {
			const digests = toRecord(value);
			return digests && Object.values(digests).every((one) => aDigest(one))
				? (digests as Record<string, string>)
				: undefined;
		},
	};
	return readMembers(parseJsonBytes(bytes, file), shape, file);
}

/** A proof of one tree, or of one of the archive's logs and of the root over all logs. Throws: Refusal. */
export function readProof(bytes: Uint8Array, file: string) {
	const shape = {
		...{ format: aForm(/^sello-proof\/[12]$/), docId: aUuid, tenantId: aUuid, sha256: aDigest, decidedAt: anInstant },
		...{ leafIndex: aCount, leafHash: aDigest, checkpoint: aText, key: aText },
		chain: members({ index: aCount, previous: aDigest, hash: aDigest }),
		inclusion: members({ treeSize: aCount, root: aDigest, hashes: aListOf(aDigest) }),
	};
	const value = parseJsonBytes(bytes, file);
	const proof = readMembers(value, shape, file);
	if (proof.format === "sello-proof/1") return { ...proof, log: undefined };
	const ofLogs = { log: aLog, logs: members({ root: aDigest, hashes: aListOf(aDigest) }) };
	const { log, logs } = readMembers(value, ofLogs, file);
	return { ...proof, log: { number: log, ...logs } };
}

/** The payload of the receipt's signature. Throws: Refusal. */
export function readReceipt(bytes: Uint8Array, file: string) {
	const shape = {
		...{
			format: aForm(/^sello-receipt\/[12]$/),
			docId: aUuid,
			tenantId: aUuid,
			encf: aText,
			type: aText,
			status: aText,
		},
		...{ sha256: aDigest, bytes: aCount, decidedAt: anInstant, archivedAt: anInstant, retainUntil: anInstant },
		...{ leafIndex: aCount, chainHash: aDigest, treeSize: aCount, root: aDigest, issuedAt: anInstant },
	};
	const value = parseJsonBytes(bytes, file);
	const receipt = readMembers(value, shape, file);
	return receipt.format === "sello-receipt/1"
		? { ...receipt, log: undefined }
		: { ...receipt, ...readMembers(value, { log: aLog }, file) };
}
