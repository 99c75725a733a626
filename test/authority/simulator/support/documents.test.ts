/** The documents and signatures that the tests are made with, before judges from outside. */
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sharedIdentity } from "./authority";
import { ecf, summary } from "./documents";
import { sign } from "./signer";

const TOOLS = join(import.meta.dir, "../../../../../shared/tools");
const folder = mkdtempSync(join(tmpdir(), "simulator-documents-"));
afterAll(() => rmSync(folder, { recursive: true }));

const JUDGES = [
	{ tool: "validate-ecf", needs: "xmllint", says: "fit the authority's schemas" },
	{ tool: "verify-signature", needs: "xmlsec1", says: "have signatures that another implementation verifies" },
];

for (const { tool, needs, says } of JUDGES) {
	const isHere = existsSync(join(TOOLS, tool)) && Bun.which(needs) !== null;
	const reason = isHere ? "" : ` (skipped: ${tool} or ${needs} is not on this machine)`;
	test.skipIf(!isHere)(`the documents of these tests ${says}${reason}`, async () => {
		const files: string[] = [];
		for (const profile of ["xmldsig", "xades-bes"] as const) {
			const texts = ["31", "32", "33", "34", "41"].map((type) => ecf({ type, price: "300000.00" }));
			for (const [index, xml] of [...texts, summary()].entries()) {
				const file = join(folder, `${profile}-${index}.xml`);
				writeFileSync(file, await sign(xml, await sharedIdentity(), profile));
				files.push(file);
			}
		}
		const judged = Bun.spawnSync([join(TOOLS, tool), ...files]);
		expect({ exitCode: judged.exitCode, told: judged.stdout.toString() }).toMatchObject({ exitCode: 0 });
	});
}
