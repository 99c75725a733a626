/** Content written in pieces must appear in the file unchanged, wherever a piece ends. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { createSnapshotWriter } from "../../../../src/registry/ingest/build/write-file";

const PIECE_BYTES = 2 * 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), "sello-write-file-"));
const path = join(folder, "written");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A few bytes, or about as many as one or two pieces. */
const sizes = fc.oneof(
	fc.integer({ min: 0, max: 40 }),
	fc
		.tuple(fc.constantFrom(1, 2), fc.integer({ min: -80, max: 80 }))
		.map(([pieces, more]) => pieces * PIECE_BYTES + more),
);

test("sections of any size are where the table says, also those of a second writer", () => {
	const random = Buffer.alloc(3 * PIECE_BYTES);
	for (let at = 0; at < random.length; at += 4) random.writeInt32LE(Math.imul(at, 0x9e3779b1), at);
	const run = fc.property(fc.array(sizes, { maxLength: 4 }), fc.array(sizes, { maxLength: 4 }), (before, behind) => {
		const write = (writer: ReturnType<typeof createSnapshotWriter>, lengths: readonly number[]) =>
			lengths.forEach((length, i) => {
				const section = writer.begin(`${i}`);
				section.append(random.subarray(i, i + (length >>> 1)));
				section.append(random.subarray(i + (length >>> 1), i + length));
				section.end();
			});
		const first = createSnapshotWriter(path);
		write(first, before);
		const part = first.part();
		first.close();
		expect(readFileSync(path).length).toBe(part.end);
		const second = createSnapshotWriter(path, part);
		write(second, behind);
		const { sections } = second.part();
		second.close();
		const written = readFileSync(path);
		rmSync(path);
		[...before, ...behind].forEach((length, i) => {
			const section = sections[i];
			const start = i < before.length ? i : i - before.length;
			expect(section?.bytes).toBe(length);
			const offset = section?.offset ?? -1;
			expect(offset % 8).toBe(0);
			expect(written.subarray(offset, offset + length).equals(random.subarray(start, start + length))).toBe(true);
		});
	});
	fc.assert(run, { numRuns: 20 });
});
