/**
 * Reads the registry's file `numbers` offline, for tills: is a taxpayer number registered, and with what status? The answer is exact.
 *
 *   const numbers = await openNumbers(await (await fetch(fileUrl)).arrayBuffer());
 *   numbers.find("131-88068-1");            // "ACTIVO", or undefined if no taxpayer has the number
 *   const newer = await numbers.update(deltaBytes);   // with `numbers-delta-FROM-TO`, FROM being the run of the file
 *
 * File: 80 bytes of header; first value of each block of 128 (8 bytes each), where its gaps start (4 bytes each); gaps as varints; two
 * bits of status for each number; SHA-256 of all that. A value is the number, plus 10^9 if it has 11 digits. Everything is little-endian.
 */
const STATUSES = ["ACTIVO", "SUSPENDIDO", "DADO DE BAJA", "OTHER"];
const BLOCK = 128;
const REMOVED = 4;

/** Throws an Error if the file is damaged. */
export async function openNumbers(data) {
	const { bytes, view, count, extra: blocks, bodyBytes, ...facts } = await readFile(data, "SELLONUM");
	const firsts = new Float64Array(bytes.slice(80, 80 + 8 * blocks).buffer);
	const offsets = new Uint32Array(bytes.slice(80 + 8 * blocks, 80 + 12 * blocks).buffer);
	const gaps = bytes.subarray(80 + 12 * blocks, 80 + 12 * blocks + bodyBytes);
	const statuses = bytes.subarray(80 + 12 * blocks + bodyBytes);
	const findValue = (value) => {
		let low = 0;
		let high = blocks;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (firsts[middle] <= value) low = middle + 1;
			else high = middle;
		}
		const block = low - 1;
		if (block < 0) return undefined;
		let at = offsets[block];
		let index = block * BLOCK;
		const end = Math.min(index + BLOCK, count) - 1;
		let found = firsts[block];
		while (found < value && index < end) {
			let unit = 1;
			let byte = gaps[at++];
			for (; byte > 127; byte = gaps[at++], unit *= 128) found += (byte - 128) * unit;
			found += byte * unit;
			index++;
		}
		return found === value ? (statuses[index >>> 2] >>> (2 * (index & 3))) & 3 : undefined;
	};
	const total = view.getBigUint64(32, true);
	return toNumbers({ ...facts, count, total, findValue }, facts, count);
}

/** `base` is the file, `facts` are those of the newest delta, `changes` its values with their new status. */
function toNumbers(base, { runId, validUntil }, count, changes = new Map()) {
	return {
		runId,
		/** The answers may be used until then. */
		validUntil: new Date(validUntil),
		count,
		/** The status of a number as written, with or without hyphens; undefined if no taxpayer has it. */
		find(written) {
			const digits = String(written).replace(/[-\s]/g, "");
			if (!/^(\d{9}|\d{11})$/.test(digits)) return undefined;
			const value = Number(digits) + (digits.length === 11 ? 1e9 : 0);
			const status = changes.get(value) ?? base.findValue(value);
			return status === REMOVED ? undefined : STATUSES[status];
		},
		/** Throws an Error if the delta does not lead from this file to the newest one exactly: download `numbers` again. */
		async update(data) {
			const { bytes, view, count: after, extra: records, from, ...newer } = await readFile(data, "SELLODEL");
			if (from !== base.runId) throw new Error(`the delta starts at run ${from}, the file is of run ${base.runId}`);
			const next = new Map();
			let sum = base.total;
			let held = base.count;
			let value = 0;
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
	if (view.getUint32(8, true) !== 1) throw new Error("the file needs a newer reader");
	const [count, extra, bodyBytes] = [12, 16, 20].map((at) => view.getUint32(at, true));
	return { bytes, view, count, extra, bodyBytes, validUntil: view.getFloat64(24, true), runId: text(40, 76), from: text(80, 116) };
}
