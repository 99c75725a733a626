/**
 * The file `numbers`: the exact set of all numbers with their status, small enough for a till that answers offline.
 *
 *   header       80 bytes, see `writeHeader`
 *   firsts       the first value of each block of 128, 8 bytes each
 *   places       where the block's gaps start, 4 bytes each: 27 bits for the byte in `gaps`, 5 bits for the block's `k`
 *   gaps         the differences between the values of a block, as Rice codes, see `addGap`
 *   statuses     2 bits for each value
 *   SHA-256      of everything before
 *
 * A value is the number, plus 10^9 if it has 11 digits, so that one ascending sequence holds both lengths. All numbers are little-endian.
 * A delta lists the values that changed since an earlier run, each with its new status. Its count and sum are those of the result: a
 * reader whose result differs has missed an erasure and needs the whole file. `data/registry/numbers.js` reads both.
 *
 * Alternative: a binary fuse filter of 8 bits takes a fifth less, but is wrong for 0.4 % of unknown numbers and holds no status.
 */
import { digitsOf, isElevenDigits } from "../index/index";

/** Version 1 had varints in place of Rice codes, and was a third larger. */
const VERSION = 2;
const BLOCK = 128;
const HEADER_BYTES = 80;
const DELTA_HEADER_BYTES = 120;
const ELEVEN_DIGITS = 1e9;
/** Statuses by their code; all others have the code after the last. */
const STATUSES = ["ACTIVO", "SUSPENDIDO", "DADO DE BAJA"];
const CODES = STATUSES.length + 1;
const REMOVED = CODES;

export type NumbersFacts = {
	readonly runId: string;
	/** Units: milliseconds since 1970. */
	readonly validUntil: number;
};

export function statusCodeOf(status: string): number {
	const code = STATUSES.indexOf(status);
	return code < 0 ? STATUSES.length : code;
}

/** Collects entries and writes the file. */
export type NumbersWriter = {
	/** In any order. Units: keys, see `document-key.ts`. */
	readonly add: (key: number, status: string) => void;
	readonly finish: (facts: NumbersFacts) => NumbersFile;
};

export type NumbersFile = {
	readonly bytes: Uint8Array<ArrayBuffer>;
	readonly count: number;
	/** Sum of all values. */
	readonly total: bigint;
};

export function createNumbersWriter(): NumbersWriter {
	/** Value and status in one number, because objects would take ten times the memory. */
	const members: number[] = [];
	return {
		add: (key, status) => {
			members.push(toValue(key) * CODES + statusCodeOf(status));
		},
		finish: (facts) => writeNumbers(Float64Array.from(members).sort(), facts),
	};
}

function writeNumbers(members: Float64Array, facts: NumbersFacts): NumbersFile {
	const count = members.length;
	const blocks = Math.ceil(count / BLOCK);
	const gaps = createBits();
	const firsts = new Float64Array(blocks);
	const places = new Uint32Array(blocks);
	const statuses = new Uint8Array(Math.ceil(count / 4));
	let pending: number[] = [];
	let before = 0;
	let total = 0n;
	members.forEach((member, i) => {
		const code = member % CODES;
		const value = (member - code) / CODES;
		const block = Math.floor(i / BLOCK);
		if (i % BLOCK === 0) firsts[block] = value;
		else pending.push(value - before - 1);
		if (i % BLOCK === BLOCK - 1 || i === count - 1) {
			const k = chooseK(pending);
			places[block] = gaps.startByte() * (K_MAX + 1) + k;
			for (const gap of pending) addGap(gaps, gap, k);
			pending = [];
		}
		statuses[i >>> 2] = (statuses[i >>> 2] ?? 0) | (code << (2 * (i & 3)));
		before = value;
		total += BigInt(value);
	});
	const body = gaps.bytes();
	const header = writeHeader("SELLONUM", HEADER_BYTES, facts, { count, extra: blocks, bodyBytes: body.length, total });
	return { bytes: withDigest([header, toBytes(firsts), toBytes(places), body, statuses]), count, total };
}

/** A number that changed; without a status it is no longer registered. */
export type NumberChange = { readonly key: number; readonly status: string | undefined };

/** The delta from an earlier run to the file of `facts`. */
export function writeNumbersDelta(
	changes: readonly NumberChange[],
	fromRunId: string,
	facts: NumbersFacts,
	after: Pick<NumbersFile, "count" | "total">,
): Uint8Array<ArrayBuffer> {
	const records = changes
		.map(({ key, status }) => ({ value: toValue(key), code: status === undefined ? REMOVED : statusCodeOf(status) }))
		.sort((a, b) => a.value - b.value);
	const body = createVarints();
	let before = 0;
	for (const { value, code } of records) {
		body.add(value - before);
		body.add(code);
		before = value;
	}
	const bytes = body.bytes();
	const numbers = { ...after, extra: records.length, bodyBytes: bytes.length };
	const header = writeHeader("SELLODEL", DELTA_HEADER_BYTES, facts, numbers);
	header.write(fromRunId, HEADER_BYTES, "latin1");
	return withDigest([header, bytes]);
}

type HeaderNumbers = {
	readonly count: number;
	/** Blocks of a file, records of a delta. */
	readonly extra: number;
	readonly bodyBytes: number;
	readonly total: bigint;
};

/** 0 magic, 8 version, 12 count, 16 blocks or records, 20 bytes of the body, 24 valid until, 32 sum, 40 run, 80 run before (delta only). */
function writeHeader(magic: string, size: number, { runId, validUntil }: NumbersFacts, numbers: HeaderNumbers): Buffer {
	const header = Buffer.alloc(size);
	header.write(magic, 0, "latin1");
	header.writeUInt32LE(VERSION, 8);
	header.writeUInt32LE(numbers.count, 12);
	header.writeUInt32LE(numbers.extra, 16);
	header.writeUInt32LE(numbers.bodyBytes, 20);
	header.writeDoubleLE(validUntil, 24);
	header.writeBigUInt64LE(numbers.total, 32);
	header.write(runId, 40, "latin1");
	return header;
}

function toValue(key: number): number {
	return Number(digitsOf(key)) + (isElevenDigits(key) ? ELEVEN_DIGITS : 0);
}

const K_MAX = 31;
/** A gap of so many units is written as a whole, so that the step between the lengths of numbers stays short. */
const UNITS_MAX = 12;
const HALF_BITS = 20;

/** The gap less 1 in units of 2^k as so many ones and a zero, and the rest in k bits; or 12 ones and 40 bits. */
function addGap(bits: Bits, gap: number, k: number): void {
	const units = Math.floor(gap / 2 ** k);
	if (units < UNITS_MAX) {
		bits.add(2 ** (units + 1) - 2, units + 1);
		bits.add(gap % 2 ** k, k);
	} else {
		bits.add(2 ** UNITS_MAX - 1, UNITS_MAX);
		bits.add(Math.floor(gap / 2 ** HALF_BITS), HALF_BITS);
		bits.add(gap % 2 ** HALF_BITS, HALF_BITS);
	}
}

/** The k that makes a block shortest. A reader takes at most 24 bits at once. */
function chooseK(gaps: readonly number[]): number {
	let best = 0;
	let least = Number.POSITIVE_INFINITY;
	for (let k = 0; k <= 24; k++) {
		let length = 0;
		for (const gap of gaps) {
			const units = Math.floor(gap / 2 ** k);
			length += units < UNITS_MAX ? units + 1 + k : UNITS_MAX + 2 * HALF_BITS;
		}
		if (length < least) [best, least] = [k, length];
	}
	return best;
}

type Bits = ReturnType<typeof createBits>;

/** Bits, the highest of each byte first. */
function createBits() {
	const bytes: number[] = [];
	let free = 0;
	return {
		/** Fills up the last byte. */
		startByte: () => {
			free = 0;
			return bytes.length;
		},
		add: (value: number, length: number) => {
			for (let left = length; left > 0; ) {
				if (free === 0) free = bytes.push(0) && 8;
				const step = Math.min(free, left);
				const part = Math.floor(value / 2 ** (left - step)) % 2 ** step;
				free -= step;
				left -= step;
				bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | (part << free);
			}
		},
		bytes: () => Uint8Array.from(bytes),
	};
}

function createVarints() {
	let bytes = new Uint8Array(1 << 16);
	let length = 0;
	return {
		add: (value: number) => {
			if (length + 8 > bytes.length) {
				const larger = new Uint8Array(2 * bytes.length);
				larger.set(bytes);
				bytes = larger;
			}
			let rest = value;
			for (; rest > 127; rest = Math.floor(rest / 128)) bytes[length++] = 128 + (rest % 128);
			bytes[length++] = rest;
		},
		bytes: () => bytes.subarray(0, length),
	};
}

const toBytes = ({ buffer, byteOffset, byteLength }: Float64Array | Uint32Array) =>
	new Uint8Array(buffer, byteOffset, byteLength);

function withDigest(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
	const content = Buffer.concat(parts);
	return Uint8Array.from(Buffer.concat([content, new Bun.CryptoHasher("sha256").update(content).digest()]));
}
