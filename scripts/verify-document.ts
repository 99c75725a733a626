/**
 * Verifies signed documents and prints one JSON document for each file.
 *
 *   bun scripts/verify-document.ts FILE…
 *
 * Trust is checked against the bundle in TRUSTED_CA_FILE; without it, only integrity is checked. Exits with 0 if every document is sound, 1
 * if
 * one has a fault, and 2 without any result if a file or the bundle cannot be read.
 */
import { readFileSync } from "node:fs";
import { readTrustedAuthorities, verifyDocument } from "../src/ecf/verification";

const USAGE = "usage: bun scripts/verify-document.ts FILE…";

process.exitCode = main(process.argv.slice(2));

function main(files: readonly string[]): number {
	const order = readOrder(files);
	if (typeof order === "string") {
		console.error(order);
		return 2;
	}
	const { documents, authorities } = order;
	let isSound = true;
	for (const { file, bytes } of documents) {
		const { content, ...verification } = verifyDocument(bytes, { now: new Date(), authorities });
		console.log(JSON.stringify({ file, root: content?.name, ...verification }, null, 2));
		isSound &&= verification.faults.length === 0;
	}
	return isSound ? 0 : 1;
}

/** Reads files and bundle; returns a message if one cannot be read. */
function readOrder(files: readonly string[]) {
	if (files.length === 0) return USAGE;
	const bundle = process.env.TRUSTED_CA_FILE;
	try {
		const authorities = bundle ? readTrustedAuthorities(bundle) : undefined;
		return { authorities, documents: files.map((file) => ({ file, bytes: readFileSync(file) })) };
	} catch (error) {
		return `${error instanceof Error ? error.message : error}\n${USAGE}`;
	}
}
