import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Sql } from "../../../src/platform/database";
import { createTombstones } from "../../../src/registry/erasure/tombstones";
import { clear } from "../../../src/registry/ingest/kept-files";
import { PEPPER, temporaryFolder } from "../build";

const folder = temporaryFolder();
afterAll(() => folder.remove());

test("a file that another process has just removed is neither damaged nor cleared", () => {
	const tombstones = createTombstones((() => undefined) as unknown as Sql, PEPPER);
	tombstones.add(tombstones.digestOf("990000001").toString("hex"));
	const gone = {
		path: join(folder.path, "gone.0.snapshot"),
		kind: "snapshot" as const,
		temporaryPath: join(folder.path, "gone.tmp"),
	};
	const job = {
		...{ do: "clear" as const, erased: tombstones.copy(), clearedOf: tombstones.fingerprint() },
		...{ files: [gone], refused: [] },
	};
	expect(clear(job)).toEqual({ replaced: [], unusable: [], erasedKeys: [] });
});
