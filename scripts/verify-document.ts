/**
 * Verifies signed documents and says what was found, one JSON document for each file.
 *
 *   bun scripts/verify-document.ts FILE…
 *
 * Trust is judged with the bundle of TRUSTED_CA_FILE; without one integrity alone is. Exits with 1 when a document has a fault.
 */
import { readTrustedAuthorities, verifyDocument } from "../src/verification";

const files = process.argv.slice(2);
if (files.length === 0) {
	console.error("usage: bun scripts/verify-document.ts FILE…");
	process.exit(2);
}
const bundle = process.env.TRUSTED_CA_FILE;
const authorities = bundle ? readTrustedAuthorities(bundle) : undefined;
let isSound = true;
for (const file of files) {
	const { content, ...verification } = verifyDocument(await Bun.file(file).bytes(), { now: new Date(), authorities });
	console.log(JSON.stringify({ file, root: content?.name, ...verification }, null, 2));
	isSound &&= verification.faults.length === 0;
}
process.exit(isSound ? 0 : 1);
