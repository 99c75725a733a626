import { expect, test } from "bun:test";
import { join } from "node:path";
import { tryNewMember } from "../../scripts/try-new-member";

const root = join(import.meta.dir, "../..");

test("a member added to a line does not compile until it is mapped everywhere", async () => {
	expect(await tryNewMember(root, "line")).toEqual([
		"scripts/random/random-invoice.ts",
		"src/ecf/mapping/plan-lines.ts",
		"src/ecf/mapping/type-schema.ts",
		"src/ecf/printing/printable.ts",
	]);
}, 60_000);

test("a member added to the invoice does not compile until it is mapped everywhere", async () => {
	expect(await tryNewMember(root, "invoice")).toEqual([
		"scripts/random/random-invoice.ts",
		"src/ecf/mapping/plan-ecf.ts",
		"src/ecf/mapping/type-schema.ts",
		"src/ecf/printing/printable.ts",
	]);
}, 60_000);
