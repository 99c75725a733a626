/** Notes as in c2sp.org/signed-note, compared with its example and with another implementation of Ed25519, and changed notes. */
import { expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import {
	NoteError,
	openNote,
	readVerifierKey,
	signNote,
	toVerifierKey,
} from "../../../src/archive/checkpoints/signed-note";
import { findJudge } from "../../support/judges";

const openssl = findJudge("openssl");

function makeKey(name: string) {
	const { publicKey, privateKey } = generateKeyPairSync("ed25519");
	return {
		name,
		publicKey: new Uint8Array(publicKey.export({ format: "der", type: "spki" }).subarray(-32)),
		privateKey,
	};
}

const key = makeKey("sello/archive/sandbox/00ff/1");
const TEXT = "sello/archive/sandbox/00ff\n3\nroot\n";

test("the verifier key and a note of Go's sumdb open", () => {
	// Source: go.dev/x/mod/sumdb/note, the package's own example.
	const peter = readVerifierKey("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW");
	const note =
		"If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n" +
		"— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
	expect(openNote(note, [peter]).key.name).toBe("PeterNeumann");
	expect(toVerifierKey(peter)).toBe("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW");
});

test("a note opens with its key only and returns its text", () => {
	const note = signNote(TEXT, key);
	expect(openNote(note, [makeKey("another"), key])).toMatchObject({ text: TEXT, key: { name: key.name } });
	expect(() => openNote(note, [makeKey(key.name)])).toThrow(NoteError);
	expect(() => openNote(note, [])).toThrow(NoteError);
	expect(signNote(TEXT, key)).toBe(note);
	expect(readVerifierKey(toVerifierKey(key))).toEqual({ name: key.name, publicKey: key.publicKey });
});

test("an unknown signature changes nothing, a false one of the key refuses the note", () => {
	const note = signNote(TEXT, key);
	const [, line] = signNote(TEXT, makeKey("witness")).split("\n\n");
	expect(openNote(`${note}${line}`, [key]).key).toBe(key);
	const [, false_] = signNote(`${TEXT}x\n`, key).split("\n\n");
	expect(() => openNote(`${note}${false_}`, [key])).toThrow(NoteError);
});

test("a note with a changed, removed or added character does not open", () => {
	const note = signNote(TEXT, key);
	fc.assert(
		fc.property(fc.nat(note.length - 1), fc.constantFrom("change", "drop", "add"), (at, kind) => {
			const char = note[at] === "A" ? "B" : "A";
			const spoilt = note.slice(0, at) + (kind === "drop" ? "" : char) + note.slice(kind === "add" ? at : at + 1);
			// The last character of base64 has spare bits: another spelling of the same bytes is the same signature.
			const isSame = Buffer.from(lastWord(spoilt), "base64").equals(Buffer.from(lastWord(note), "base64"));
			if (isSame && head(spoilt) === head(note)) return;
			expect(() => openNote(spoilt, [key])).toThrow(NoteError);
		}),
		{ numRuns: 500 },
	);
});

const lastWord = (note: string) => note.trimEnd().split(" ").at(-1) ?? "";
const head = (note: string) => note.slice(0, note.lastIndexOf(" "));

test.skipIf(!openssl)("OpenSSL, which shares nothing with the signer's road, verifies the signature", async () => {
	const folder = mkdtempSync(join(tmpdir(), "sello-note-"));
	try {
		const note = signNote(TEXT, key);
		const path = (name: string) => join(folder, name);
		const spki = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), key.publicKey]);
		writeFileSync(path("key.der"), spki);
		writeFileSync(path("text"), TEXT);
		writeFileSync(path("signature"), Buffer.from(lastWord(note), "base64").subarray(4));
		const judge = () =>
			openssl?.(
				"pkeyutl",
				"-verify",
				"-pubin",
				"-keyform",
				"DER",
				"-inkey",
				path("key.der"),
				"-rawin",
				"-in",
				path("text"),
				"-sigfile",
				path("signature"),
			);
		expect((await judge())?.exitCode).toBe(0);
		writeFileSync(path("text"), TEXT.replace("3", "4"));
		expect((await judge())?.exitCode).not.toBe(0);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});
