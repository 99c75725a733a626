/**
 * Reads the registry's file `numbers` offline, for tills: is a taxpayer number registered, and with what status? The answer is exact.
 *
 *   const numbers = await openNumbers(await (await fetch(fileUrl)).arrayBuffer());
 *   numbers.find("131-88068-1");            // "ACTIVO", or undefined if no taxpayer has the number
 *   const newer = await numbers.update(deltaBytes);   // with `numbers-delta-FROM-TO`, FROM being the run of the file
 *
 * File: 80 bytes of header; first value of each block of 128 (8 bytes each); where its gaps start (4 bytes each, 5 bits of them k); gaps
 * less 1 as Rice codes: units of 2^k as ones and a zero, k bits; or 12 ones, 40 bits; two bits of status for each number; SHA-256 of all
 * that. A value is the number, plus 10^9 if it has 11 digits. Bytes are little-endian, bits begin with the highest.
 */
const STATUSES = ["ACTIVO", "SUSPENDIDO", "DADO DE BAJA", "OTHER"];
const BLOCK = 128;
const REMOVED = 4;

/** Throws an Error if the file is damaged. */
export async function openNumbers(data) {
	const { bytes, view, count, extra: blocks, bodyBytes, ...facts } = await readFile(data, "SELLONUM");
	const firsts = new Float64Array(bytes.slice(80, 80 + 8 * blocks).buffer);
	const places = new Uint32Array(bytes.slice(80 + 8 * blocks, 80 + 12 * blocks).buffer);
	const gaps = new DataView(bytes.buffer, bytes.byteOffset + 80 + 12 * blocks);
	const statuses = bytes.subarray(80 + 12 * blocks + bodyBytes);
	const findValue = (value) => {
		let [low, high] = [-1, blocks];
		while (high - low > 1) {
			const middle = (low + high) >>> 1;
			if (firsts[middle] <= value) low = middle;
			else high = middle;
		}
		if (low < 0) return undefined;
		const k = places[low] & 31;
		let [found, index, at] = [firsts[low], low * BLOCK, 8 * (places[low] >>> 5)];
		const end = Math.min(index + BLOCK, count) - 1;
		for (; found < value && index < end; index++) {
			const bits = peek(gaps, at);
			const units = Math.clz32(~bits);
			if (units < 12) {
				const rest = units + k < 25 ? bits << (units + 1) : peek(gaps, at + units + 1);
				found += 1 + ((units << k) | ((rest >>> 1) >>> (31 - k)));
			} else found += 1 + (peek(gaps, at + 12) >>> 12) * 2 ** 20 + (peek(gaps, at + 32) >>> 12);
			at += units < 12 ? units + 1 + k : 52;
		}
		return found === value ? (statuses[index >>> 2] >>> (2 * (index & 3))) & 3 : undefined;
	};
	return toNumbers({ ...facts, count, total: view.getBigUint64(32, true), findValue }, facts, count);
}

/** At least 25 bits from a place on, at the top of the number. */
const peek = (view, at) => view.getInt32(at >>> 3) << (at & 7);

/** `base` is the file, `facts` are those of the newest delta, `changes` its values with their new status. */
function toNumbers(base, { runId, validUntil }, count, changes = new Map()) {
	return {
		runId,
		validUntil: new Date(validUntil),
		count,
		/** Use no answer after `validUntil`. The status of a number as written, with or without hyphens; undefined if no taxpayer has it. */
		find(written) {
			const digits = String(written).replace(/[-\s]/g, "");
			if (!/^(\d{9}|\d{11})$/.test(digits)) return undefined;
			const value = Number(digits) + (digits.length === 11 ? 1e9 : 0);
			return STATUSES[changes.get(value) ?? base.findValue(value)];
		},
		/** Throws an Error if the delta does not lead from this file to the newest one exactly: download `numbers` again. */
		async update(data) {
			const { bytes, view, count: after, extra: records, from, ...newer } = await readFile(data, "SELLODEL");
			if (from !== base.runId) throw new Error(`the delta starts at run ${from}, the file is of run ${base.runId}`);
			const next = new Map();
			let [sum, held, value] = [base.total, base.count, 0];
			for (let at = 120, left = records; left > 0; left--) {
				let unit = 1;
				for (; bytes[at] > 127; unit *= 128) value += (bytes[at++] - 128) * unit;
				value += bytes[at++] * unit;
				const status = bytes[at++];
				const change = (status === REMOVED ? 0 : 1) - (base.findValue(value) === undefined ? 0 : 1);
				held += change;
				sum += BigInt(change) * BigInt(value);
				next.set(value, status);
			}
			if (held !== after || sum !== view.getBigUint64(32, true)) throw new Error("download the file again");
			return toNumbers(base, newer, after, next);
		},
	};
}

async function readFile(data, magic) {
	const whole = new Uint8Array(data);
	const bytes = whole.subarray(0, -32);
	const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
	const text = (from, to) => String.fromCharCode(...whole.subarray(from, to));
	if (text(0, 8) !== magic || digest.some((byte, i) => byte !== whole[bytes.length + i])) throw new Error("the file is damaged");
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
	if (view.getUint32(8, true) !== 2) throw new Error("the file needs a newer reader");
	const [count, extra, bodyBytes] = [12, 16, 20].map((at) => view.getUint32(at, true));
	return { bytes, view, count, extra, bodyBytes, validUntil: view.getFloat64(24, true), runId: text(40, 76), from: text(80, 116) };
}
