import { expect, test } from "bun:test";
import { crc32, inflateRawSync } from "node:zlib";
import { strToU8, unzipSync, zipSync } from "fflate";
import { openSealed, SealedObjectError, type SealParts, sealDocument } from "../../../src/archive";

const parts: SealParts = {
	docId: "0192f110-0000-7000-8000-000000000001",
	tenantId: "0192f0a1-b2c3-7d4e-8f00-112233445566",
	environment: "sandbox",
	encf: "E310000000001",
	type: "31",
	status: "accepted",
	decidedAt: new Date("2026-11-20T14:20:00.902Z"),
	retainUntil: new Date("2036-11-20T14:20:00.902Z"),
	ecf: Buffer.from('<?xml version="1.0" encoding="utf-8"?><ECF>ñ</ECF>'),
	request: '{ "type":"31",  "encf": "E310000000001" }',
	answers: [
		{
			at: new Date("2026-11-20T14:19:00Z"),
			operation: "submit",
			httpStatus: 200,
			mediaType: "text/plain",
			body: '{"trackId":"d2b6"}',
		},
		{
			at: new Date("2026-11-20T14:19:30Z"),
			operation: "query Result",
			httpStatus: 200,
			mediaType: null,
			body: "<respuesta>1</respuesta>",
		},
		{
			at: new Date("2026-11-20T14:19:40Z"),
			operation: "submit",
			httpStatus: 502,
			mediaType: "text/html",
			body: "<html>Bad gateway</html>",
		},
		{ at: new Date("2026-11-20T14:19:50Z"), operation: "submit", httpStatus: null, mediaType: null, body: "" },
	],
	events: [{ version: 1, at: new Date("2026-11-20T14:18:00Z"), status: "pending", detail: null }],
};

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

test("a sealed document returns every part byte for byte", () => {
	const [acknowledgement, facts] = ['{"docId":"0192f110"}', { subtotal: 10_000 }];
	const entries = openSealed(sealDocument({ ...parts, summary: Buffer.from("<RFCE/>"), acknowledgement, facts }));
	expect(Object.keys(entries)).toEqual([
		"manifest.json",
		"ecf.xml",
		"summary.xml",
		"request.json",
		"acknowledgement.json",
		"facts.json",
		"answers/001-submit.json",
		"answers/002-query-result.xml",
		"answers/003-submit.txt",
		"answers/004-submit.txt",
		"events.json",
	]);
	expect(Buffer.from(entries["ecf.xml"] ?? [])).toEqual(Buffer.from(parts.ecf));
	expect(text(entries["request.json"])).toBe(parts.request);
	expect(text(entries["acknowledgement.json"])).toBe(acknowledgement);
	expect(JSON.parse(text(entries["facts.json"]))).toEqual(facts);
	expect(text(entries["answers/003-submit.txt"])).toBe("<html>Bad gateway</html>");
	expect(JSON.parse(text(entries["events.json"]))).toEqual(JSON.parse(JSON.stringify(parts.events)));
	const manifest = JSON.parse(text(entries["manifest.json"]));
	expect(manifest).toMatchObject({
		format: "sello-sealed-document/2",
		docId: parts.docId,
		tenantId: parts.tenantId,
		encf: parts.encf,
		status: "accepted",
		decidedAt: "2026-11-20T14:20:00.902Z",
		retainUntil: "2036-11-20T14:20:00.902Z",
	});
	expect(manifest.answers[1]).toEqual({
		entry: "answers/002-query-result.xml",
		at: "2026-11-20T14:19:30.000Z",
		operation: "query Result",
		httpStatus: 200,
		mediaType: null,
	});
	expect(Object.keys(manifest.sha256)).toHaveLength(10);
});

test("the same parts give the same bytes in every time zone", async () => {
	const here = Buffer.from(sealDocument(parts));
	expect(Buffer.from(sealDocument({ ...parts })).equals(here)).toBe(true);
	const script = `
		import { sealDocument } from "${import.meta.dir}/../../../src/archive";
		const parts = JSON.parse(process.argv[1], (k, v) => (["at", "decidedAt", "retainUntil"].includes(k) ? new Date(v) : v));
		process.stdout.write(sealDocument({ ...parts, ecf: Buffer.from(parts.ecf, "base64") }));`;
	const plain = JSON.stringify({ ...parts, ecf: Buffer.from(parts.ecf).toString("base64") });
	for (const TZ of ["Pacific/Kiritimati", "America/Santo_Domingo"]) {
		const child = Bun.spawn([process.execPath, "-e", script, plain], { env: { ...process.env, TZ }, stdout: "pipe" });
		expect(Buffer.from(await new Response(child.stdout).arrayBuffer()).equals(here)).toBe(true);
	}
});

/** Reads a ZIP by its published layout alone: PKWARE APPNOTE 4.3. */
function readZip(bytes: Buffer): Map<string, Buffer> {
	const end = bytes.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
	const files = new Map<string, Buffer>();
	let at = bytes.readUInt32LE(end + 16);
	for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
		const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
		const name = bytes.toString("utf8", at + 46, at + 46 + Number(nameBytes));
		const local = bytes.readUInt32LE(at + 42);
		const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
		const packed = bytes.subarray(start, start + bytes.readUInt32LE(at + 20));
		const plain = bytes.readUInt16LE(at + 10) === 8 ? inflateRawSync(packed) : packed;
		expect([name, crc32(plain), plain.length]).toEqual([
			name,
			bytes.readUInt32LE(at + 16),
			bytes.readUInt32LE(at + 24),
		]);
		files.set(name, plain);
		at += 46 + Number(nameBytes) + Number(extraBytes) + Number(commentBytes);
	}
	return files;
}

test("a reader of the published ZIP layout finds every entry", () => {
	const sealed = Buffer.from(sealDocument(parts));
	const files = readZip(sealed);
	expect([...files.keys()]).toEqual(Object.keys(openSealed(sealed)));
	expect(files.get("ecf.xml")).toEqual(Buffer.from(parts.ecf));
});

test("a changed, removed or added entry is detected", () => {
	const forge = (change: (files: Record<string, Uint8Array>) => void) => {
		const files = unzipSync(sealDocument(parts));
		change(files);
		return zipSync(files);
	};
	const changed = forge((files) => {
		files["ecf.xml"] = strToU8("<ECF>n</ECF>");
	});
	const removed = forge((files) => {
		delete files["events.json"];
	});
	const added = forge((files) => {
		files["note.txt"] = strToU8("hello");
	});
	const headless = forge((files) => {
		delete files["manifest.json"];
	});
	expect(() => openSealed(changed)).toThrow("ecf.xml was changed");
	expect(() => openSealed(removed)).toThrow("events.json is missing");
	expect(() => openSealed(added)).toThrow("note.txt is not in the manifest");
	expect(() => openSealed(headless)).toThrow("the manifest is missing");
	expect(() => openSealed(Buffer.from("not a zip"))).toThrow(SealedObjectError);
	expect(() => openSealed(sealDocument(parts).subarray(0, -30))).toThrow(SealedObjectError);
});
