/** Evidence of a document, judged by what anybody has: a ZIP reader, SHA-256, Ed25519, xmlsec1. */
import { expect, test } from "bun:test";
import { createHash, createPublicKey, verify, X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { flattenedVerify } from "jose";
import { hashLeaf, verifyInclusion } from "../../../src/archive";
import { findJudge } from "../../support/judges";
import { get, sharedService } from "../../support/service";
import { documentOf } from "../support/documents";
import { untilArchived } from "../support/evidence";
import { tenantA } from "../support/tenants";

const xmlsec = findJudge("xmlsec1");
const hex = (text: string) => Buffer.from(text, "hex");
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const textOf = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

async function evidenceOf(state: "accepted" | "rejected" | "failed", over = {}) {
	const { docId, request } = await documentOf(state, over);
	const answer = await untilArchived(`/v1/invoices/${docId}/evidence`);
	const entries = unzipSync(await answer.bytes());
	const proof = JSON.parse(textOf(entries["proof.json"]));
	const receipt = JSON.parse(textOf(entries["receipt.json"]));
	return { docId, request, answer, entries, proof, receipt };
}

function publicKeyOf(verifierKey: string) {
	const raw = Buffer.from(verifierKey.split("+").slice(2).join("+"), "base64").subarray(1);
	const spki = Buffer.concat([hex("302a300506032b6570032100"), raw]);
	return createPublicKey({ key: spki, format: "der", type: "spki" });
}

test("the ZIP holds the sealed object, its parts, and what proves them", async () => {
	const { answer, request, entries, proof, docId } = await evidenceOf("accepted");
	expect(answer.headers.get("content-type")).toBe("application/zip");
	expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="${request.encf}-evidence.zip"`);
	const sealed = entries["sealed.zip"] ?? new Uint8Array();
	expect(proof).toMatchObject({ format: "sello-proof/2", docId, sha256: sha256(sealed) });
	const parts = Object.entries(unzipSync(sealed));
	for (const [name, bytes] of parts)
		expect(sha256(entries[`document/${name}`] ?? new Uint8Array())).toBe(sha256(bytes));
	expect(Object.keys(entries).sort()).toEqual(
		[
			...["README.txt", "certificate.pem", "proof.json", "receipt.json", "sealed.zip"],
			...parts.map(([name]) => `document/${name}`),
		].sort(),
	);
	const registry = JSON.parse(textOf(entries["document/registry.json"]));
	expect(registry).toEqual({
		...{ run_id: expect.any(String), source_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
		issuer: expect.objectContaining({
			rnc: (request.company as { rnc: string }).rnc.replaceAll("-", ""),
			status: "ACTIVO",
		}),
		buyer: expect.anything(),
	});
	expect(JSON.parse(textOf(entries["document/manifest.json"])).sha256["registry.json"]).toMatch(/^[0-9a-f]{64}$/);
	expect(new X509Certificate(textOf(entries["certificate.pem"])).subject).toContain("CN=");
	for (const word of ["EVIDENCIA", "EVIDENCE"]) expect(textOf(entries["README.txt"])).toContain(word);
});

test("its leaf leads to the checkpoint's root, whose signature verifies", async () => {
	const { proof, docId } = await evidenceOf("accepted");
	const decidedAt = Buffer.alloc(8);
	decidedAt.writeBigInt64BE(BigInt(Date.parse(proof.decidedAt)));
	const id = hex(docId.replaceAll("-", ""));
	const leafHash = hashLeaf(Buffer.concat([id, hex(proof.sha256), decidedAt]));
	expect(Buffer.from(leafHash).toString("hex")).toBe(proof.leafHash);
	const { treeSize, root, hashes } = proof.inclusion;
	const claim = { leafHash, leafIndex: proof.leafIndex, treeSize, proof: hashes.map(hex), root: hex(root) };
	expect(verifyInclusion(claim)).toBe(true);
	expect(sha256(Buffer.concat([hex(proof.chain.previous), hex(proof.sha256), id, decidedAt]))).toBe(proof.chain.hash);

	const [text, signatureLine = ""] = (proof.checkpoint as string).split("\n\n");
	const numbers = Buffer.alloc(16);
	numbers.writeBigInt64BE(BigInt(proof.log));
	numbers.writeBigInt64BE(BigInt(treeSize), 8);
	const log = { leafHash: hashLeaf(Buffer.concat([numbers, hex(root)])), leafIndex: proof.log, treeSize: 64 };
	expect(verifyInclusion({ ...log, proof: proof.logs.hashes.map(hex), root: hex(proof.logs.root) })).toBe(true);
	expect(text?.split("\n").slice(2, 4)).toEqual([hex(proof.logs.root).toString("base64"), "logs 64"]);
	const signature = Buffer.from(signatureLine.trim().split(" ")[2] ?? "", "base64");
	expect(signature.subarray(0, 4).toString("hex")).toBe(proof.key.split("+")[1]);
	expect(verify(null, Buffer.from(`${text}\n`), publicKeyOf(proof.key), signature.subarray(4))).toBe(true);
});

test("the receipt says the same, signed with the same key", async () => {
	const { proof, receipt, docId, request, entries } = await evidenceOf("accepted");
	const { payload, protectedHeader } = await flattenedVerify(receipt, publicKeyOf(proof.key));
	expect(protectedHeader).toEqual({ alg: "EdDSA", kid: proof.key.split("+")[0], typ: "sello-receipt+jws" });
	expect(JSON.parse(textOf(payload))).toMatchObject({
		...{ format: "sello-receipt/2", docId, encf: request.encf, type: "31", status: "accepted" },
		...{ sha256: proof.sha256, bytes: entries["sealed.zip"]?.length, decidedAt: proof.decidedAt },
		...{ log: proof.log, leafIndex: proof.leafIndex, chainHash: proof.chain.hash },
		...{ treeSize: proof.inclusion.treeSize, root: proof.inclusion.root },
	});
});

test.each(["rejected", "failed"] as const)("a document that was %s has evidence too", async (state) => {
	const { proof, docId, receipt } = await evidenceOf(state);
	expect(proof.docId).toBe(docId);
	const { payload } = await flattenedVerify(receipt, publicKeyOf(proof.key));
	expect(JSON.parse(textOf(payload)).status).toBe(state);
});

test("a small consumer invoice has its summary in it", async () => {
	const { entries } = await evidenceOf("accepted", { type: "32" });
	expect(textOf(entries["document/summary.xml"])).toContain("<RFCE");
});

test("the same evidence each time, and 304 to who has it", async () => {
	const { answer, docId } = await evidenceOf("accepted");
	const etag = answer.headers.get("etag") ?? "";
	const [service, { headers }] = await Promise.all([sharedService(), tenantA()]);
	const path = `/v1/invoices/${docId}/evidence`;
	const again = await get(service, path, { ...headers });
	expect(again.headers.get("etag")).toBe(etag);
	expect(`"${sha256(await again.bytes())}"`).toBe(etag);
	const known = await get(service, path, { ...headers, "if-none-match": etag });
	expect([known.status, await known.text()]).toEqual([304, ""]);
});

test("the invoice's record says where it is", async () => {
	const { docId } = await evidenceOf("accepted");
	const [service, { headers }] = await Promise.all([sharedService(), tenantA()]);
	const record = (await (await get(service, `/v1/invoices/${docId}`, headers)).json()) as {
		_links: { evidence: string };
	};
	expect(record._links.evidence).toBe(`/v1/invoices/${docId}/evidence`);
});

test.skipIf(!xmlsec)("the command of the documentation verifies the signed document", async () => {
	const { entries } = await evidenceOf("accepted");
	const folder = mkdtempSync(join(tmpdir(), "sello-evidence-"));
	try {
		for (const name of ["certificate.pem", "document/ecf.xml"])
			writeFileSync(join(folder, name.replace("document/", "")), entries[name] ?? "");
		const command = /xmlsec1 (--verify .*)$/m.exec(textOf(entries["README.txt"]))?.[1] ?? "";
		const words = command
			.replace("document/", "")
			.split(" ")
			.map((word) => (/\.(pem|xml)$/.test(word) ? join(folder, word) : word));
		expect(await xmlsec?.(...words)).toMatchObject({ exitCode: 0 });
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});
