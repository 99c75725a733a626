import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openArchive } from "../../../src/archive";
import { isRoomy } from "../../../src/archive/files/room";
import { reportSkip } from "../../support/skips";

const GIB_BLOCKS = 1024 ** 3 / 4_096;
const disk = (size: number, free: number, names = { files: 1_000, ffree: 10 }) =>
	isRoomy({ bsize: 4_096, blocks: size * GIB_BLOCKS, bavail: free * GIB_BLOCKS, ...names });

test.each([
	["a hundredth of a small disk", 2, 0.02, true],
	["less than a hundredth of a small disk", 2, 0.019, false],
	["256 MiB of a large disk", 1_000, 0.25, true],
	["less than 256 MiB of a large disk", 1_000, 0.24, false],
	["nothing", 10, 0, false],
])("%s free is or is not room", (_, size, free, isEnough) => {
	expect(disk(size, free)).toBe(isEnough);
});

test("a disk that takes no further name has no room, one that counts none has", () => {
	expect(disk(10, 5, { files: 1_000, ffree: 0 })).toBe(false);
	expect(disk(10, 5, { files: 0, ffree: 0 })).toBe(true);
});

const folder = mkdtempSync(join(tmpdir(), "sello-small-disk-"));
/** Only root can mount one. */
const hasDisk = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]).exitCode === 0;
if (!hasDisk) reportSkip("no small disk can be mounted", { requiredInCi: false });
afterAll(() => {
	if (hasDisk) Bun.spawnSync(["umount", "--lazy", folder]);
	rmSync(folder, { recursive: true, force: true });
});

test.skipIf(!hasDisk)(
	"an archive on a disk that is full says that it cannot be written, until there is room",
	async () => {
		const archive = await openArchive(join(folder, "archive"));
		expect(await archive.isWritable()).toBe(true);
		const fill = join(folder, "fill");
		writeFileSync(fill, Buffer.alloc(1_040_000));
		expect(await archive.isWritable()).toBe(false);
		rmSync(fill);
		expect(await archive.isWritable()).toBe(true);
	},
);
