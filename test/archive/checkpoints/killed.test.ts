/** Processes that are killed while they sign: the next one continues, and the archive verifies. */
import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { verifyArchive } from "../../../src/archive";
import { CHECKPOINT_FAILPOINTS } from "../../../src/platform/failpoints";
import { openStage } from "./stage";

test.each(CHECKPOINT_FAILPOINTS)(
	"killed at %s, again and again",
	async (point) => {
		const stage = await openStage();
		try {
			const kek = randomBytes(32).toString("hex");
			const sign = async (failpoint?: string) => {
				const child = Bun.spawn(
					[process.execPath, join(import.meta.dir, "sign-once.ts"), stage.url, stage.folder, kek],
					{
						env: {
							...process.env,
							NODE_ENV: "test",
							...(failpoint === undefined ? {} : { FAULT_POINT: `${failpoint}:1` }),
						},
						stdout: "pipe",
						stderr: "pipe",
					},
				);
				const [text] = await Promise.all([new Response(child.stdout).text(), child.exited]);
				return { text, signal: child.signalCode };
			};
			await stage.add(3);
			expect((await sign(point)).signal).toBe("SIGKILL");
			await stage.add(3);
			expect((await sign(point)).signal).toBe("SIGKILL");
			await stage.add(3);
			const { number, size } = JSON.parse((await sign()).text);
			const notes = readdirSync(join(stage.folder, "proof/checkpoints")).filter((name) => name.endsWith(".txt"));
			// A note that was written is a checkpoint, whatever became of its writer.
			expect({ number, size, notes: notes.length }).toEqual(
				{
					"checkpoint-leaves": { number: 1, size: 9, notes: 1 },
					// The list of the first attempt is signed as it is.
					"checkpoint-listed": { number: 2, size: 9, notes: 2 },
					"checkpoint-written": { number: 3, size: 9, notes: 3 },
				}[point],
			);
			// The stage's documents are rows alone; what was signed of them is whole.
			const { faults } = await verifyArchive(stage);
			expect(faults.filter(({ fault }) => fault !== "missing")).toEqual([]);
		} finally {
			await stage.close();
		}
	},
	120_000,
);
