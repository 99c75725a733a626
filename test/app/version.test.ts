/** The commit, read from the checkout. */
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findCommit } from "../../src/app/version";

const COMMIT = "9f3c2d1e0b7a465c8d9e0f1a2b3c4d5e6f708192";

function checkout(files: Readonly<Record<string, string>>): { root: string; remove: () => void } {
	const root = mkdtempSync(join(tmpdir(), "sello-checkout-"));
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(join(root, ".git", name, ".."), { recursive: true });
		writeFileSync(join(root, ".git", name), text);
	}
	return { root, remove: () => rmSync(root, { recursive: true }) };
}

test.each<[string, Record<string, string>, string | null]>([
	["a branch", { HEAD: "ref: refs/heads/main\n", "refs/heads/main": `${COMMIT}\n` }, COMMIT],
	["a packed branch", { HEAD: "ref: refs/heads/main\n", "packed-refs": `# pack\n${COMMIT} refs/heads/main\n` }, COMMIT],
	["a commit without a branch", { HEAD: `${COMMIT}\n` }, COMMIT],
	["a branch without a commit", { HEAD: "ref: refs/heads/main\n" }, null],
	["no history", {}, null],
])("the commit of %s is reported", (_, files, expected) => {
	const { root, remove } = checkout(files);
	expect(findCommit(root)).toBe(expected);
	remove();
});
