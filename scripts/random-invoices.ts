/**
 * Generates random invoices of all types, signs them and checks each, also with independent programs.
 *
 *     bun scripts/random-invoices.ts                        1,000 invoices
 *     options: --count N, --seed N, --folder DIR (keeps the documents)
 *
 * The independent oracles are scripts beside the repository and a JDK (random/VerifyWithJdk.java). A message names each missing one.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openEngine, toSigningIdentity } from "../src/ecf/signing";
import { createEphemeralIdentity } from "../src/ecf/signing/ephemeral-identity";
import { examineRandomInvoices } from "./random/examine";

const { values: options } = parseArgs({
	options: { count: { type: "string" }, seed: { type: "string" }, folder: { type: "string" } },
});
const folder = options.folder ?? mkdtempSync(join(tmpdir(), "sello-random-"));
mkdirSync(folder, { recursive: true });
try {
	const made = await createEphemeralIdentity({
		holderName: "FIRMANTE DE PRUEBA",
		holderDocument: "99900000001",
		notBefore: new Date("2026-01-01T00:00:00Z"),
		notAfter: new Date("2030-01-01T00:00:00Z"),
	});
	const { violations, ...counts } = await examineRandomInvoices({
		count: Number(options.count ?? 1_000),
		seed: Number(options.seed ?? 1),
		folder,
		identity: toSigningIdentity(made, openEngine("auto").engine),
	});
	console.log(JSON.stringify({ ...counts, violations: violations.length }, null, "\t"));
	for (const violation of violations.slice(0, 50)) console.error(violation);
	process.exitCode = violations.length > 0 ? 1 : 0;
} finally {
	if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
}
