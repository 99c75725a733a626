import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../../src/simulator/store";
import { openDatabase } from "../../../src/simulator/store/open";

const folder = mkdtempSync(join(tmpdir(), "simulator-store-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("every commit reaches the disk", () => {
	const database = openDatabase(join(folder, "made", "on", "the", "way.sqlite"));
	const pragma = (name: string) => Object.values(database.query(`PRAGMA ${name}`).get() ?? {})[0];
	expect([pragma("journal_mode"), pragma("synchronous")]).toEqual(["wal", 2]);
	database.close();
});

test("a file of a later layout is refused with a sentence", () => {
	const path = join(folder, "later.sqlite");
	const later = new Database(path, { create: true });
	later.run("PRAGMA user_version = 99");
	later.close();
	expect(() => openStore(path)).toThrow("has layout 99");
});

test("a delegation for certificate and issuer wins over one for either alone", () => {
	const { certificates, close } = openStore(":memory:");
	const [thumbprint, rnc] = ["aa", "990000001"];
	expect(certificates.isDelegated(thumbprint, rnc)).toBe(true);
	certificates.setDelegation({ rnc, delegated: false });
	expect(certificates.isDelegated(thumbprint, rnc)).toBe(false);
	certificates.setDelegation({ thumbprint, delegated: true });
	expect(certificates.isDelegated(thumbprint, rnc)).toBe(true);
	certificates.setDelegation({ thumbprint, rnc, delegated: false });
	expect(certificates.isDelegated(thumbprint, rnc)).toBe(false);
	expect(certificates.isDelegated("bb", "990000026")).toBe(true);
	close();
});
