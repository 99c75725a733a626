/** The driver against a real S3 server with Object Lock. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
	DeleteObjectCommand,
	GetObjectRetentionCommand,
	ListObjectVersionsCommand,
	PutObjectCommand,
} from "@aws-sdk/client-s3";
import { listS3Attempts } from "../../../../scripts/scenarios/archive/s3-attempts";
import {
	type Archive,
	ArchiveConflictError,
	createArchiveEraser,
	ObjectMissingError,
	openArchive,
} from "../../../../src/archive";
import { openS3Archive } from "../../../../src/archive/object-store/s3/s3-archive";
import { hasS3Programs, type S3Server, sharedS3Server } from "../../../support/s3-server";
import { startTcpProxy } from "../../../support/tcp-proxy";

const TIMEOUT_MS = 120_000;
const BUCKET = "driver";
const before = { ...process.env };

const hasServer = hasS3Programs();
let server: S3Server;
let opened: Archive;
async function prepare(): Promise<void> {
	server = await sharedS3Server();
	Object.assign(process.env, server.credentials);
	for (const name of [BUCKET, "driver-attempts"]) await server.makeBucket(name, { hasLock: true });
	await server.makeBucket("driver-plain", { hasLock: false });
	opened = await openArchive(addressOf(server));
}
beforeAll(() => (hasServer ? prepare() : undefined), TIMEOUT_MS);
afterAll(() => {
	for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) {
		if (before[name] === undefined) delete process.env[name];
		else process.env[name] = before[name];
	}
});

const addressOf = ({ endpoint }: Pick<S3Server, "endpoint">, bucket = BUCKET) =>
	`s3://${bucket}/sello/archive?endpoint=${encodeURIComponent(endpoint)}`;
const placeOf = ({ endpoint }: Pick<S3Server, "endpoint">) => ({ bucket: BUCKET, prefix: "sello/archive", endpoint });
const pathOf = (key: string) => `sello/archive/${key}`;
const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const bytes = Buffer.from("signed and sealed");
const sha256 = hash(bytes);
const keep = { retainUntil: new Date("2036-11-20T14:20:00.902Z") };

let count = 0;
const newKey = () => `t/2026/${count++}.zip`;

/** A test that needs the server, and is skipped where there is none. */
function onServer(name: string, body: (archive: Archive, server: S3Server) => Promise<void>): void {
	test.skipIf(!hasServer)(name, () => body(opened, server), TIMEOUT_MS);
}

async function listVersions({ client }: S3Server, key: string): Promise<(string | undefined)[]> {
	const { Versions = [] } = await client.send(new ListObjectVersionsCommand({ Bucket: BUCKET, Prefix: pathOf(key) }));
	return Versions.map(({ VersionId }) => VersionId);
}

async function readRetention({ client }: S3Server, key: string, versionId: string | undefined, bucket = BUCKET) {
	const { Retention } = await client.send(
		new GetObjectRetentionCommand({ Bucket: bucket, Key: pathOf(key), VersionId: versionId }),
	);
	return Retention;
}

describe("an object", () => {
	onServer("is written once, locked until its date, and read by its version", async (archive, server) => {
		const key = newKey();
		const put = await archive.putOnce(key, bytes, keep);
		expect(put).toMatchObject({ sha256, bytes: bytes.length, created: true });
		expect(put.versionId).toBeString();
		expect(Buffer.from(await archive.get(key, put.versionId ?? null))).toEqual(bytes);
		expect(Buffer.from(await archive.get(key))).toEqual(bytes);
		const retention = await readRetention(server, key, put.versionId);
		expect(retention?.Mode).toBe("COMPLIANCE");
		expect(retention?.RetainUntilDate?.getTime()).toBeGreaterThanOrEqual(keep.retainUntil.getTime());
		expect(await archive.verify(key, sha256, { versionId: put.versionId ?? null, ...keep })).toBeUndefined();
		await expect(archive.get("t/2026/none.zip")).rejects.toBeInstanceOf(ObjectMissingError);
		await expect(archive.get(key, "no-such-version")).rejects.toThrow();
		expect(await archive.verify("t/2026/none.zip", sha256)).toBe("missing");
	});

	onServer("put again is the same version; other bytes are a conflict without a version", async (archive, server) => {
		const key = newKey();
		const { versionId } = await archive.putOnce(key, bytes, keep);
		expect(await archive.putOnce(key, bytes, keep)).toMatchObject({ created: false, versionId, sha256 });
		await expect(archive.putOnce(key, Buffer.from("another"), keep)).rejects.toBeInstanceOf(ArchiveConflictError);
		expect(await listVersions(server, key)).toEqual([versionId]);
	});

	onServer("of many writers is created by one, and all agree on it", async (archive) => {
		const same = newKey();
		const puts = await Promise.all(Array.from({ length: 8 }, () => archive.putOnce(same, bytes, keep)));
		expect(puts.filter(({ created }) => created)).toHaveLength(1);
		expect(new Set(puts.map(({ versionId }) => versionId)).size).toBe(1);
		// Of equal bytes one version more hides nothing.
		expect(await archive.verify(same, sha256, { versionId: puts[0]?.versionId ?? null })).toBeUndefined();
		const raced = newKey();
		const outcomes = await Promise.allSettled(
			Array.from({ length: 8 }, (_, i) => archive.putOnce(raced, Buffer.from(`${i}`), keep)),
		);
		const written = outcomes.flatMap((one, i) => (one.status === "fulfilled" ? [`${i}`] : []));
		expect(written).toHaveLength(1);
		expect(Buffer.from(await archive.get(raced)).toString()).toBe(written[0] ?? "");
	});

	onServer("without a lock is locked when the same bytes are put", async (archive, server) => {
		const key = newKey();
		await server.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: pathOf(key), Body: bytes }));
		expect(await archive.verify(key, sha256)).toBe("unlocked");
		const { created, versionId } = await archive.putOnce(key, bytes, keep);
		expect(created).toBe(false);
		expect((await readRetention(server, key, versionId))?.Mode).toBe("COMPLIANCE");
		expect(await archive.verify(key, sha256, { versionId: versionId ?? null, ...keep })).toBeUndefined();
	});

	onServer("can be kept longer, never shorter", async (archive, server) => {
		const key = newKey();
		const { versionId = null } = await archive.putOnce(key, bytes, keep);
		const later = new Date("2040-01-01T00:00:00.000Z");
		await archive.extendRetention(key, versionId, later);
		await archive.extendRetention(key, versionId, keep.retainUntil);
		await archive.putOnce(key, bytes, keep);
		const retention = await readRetention(server, key, versionId ?? undefined);
		expect(retention).toEqual({ Mode: "COMPLIANCE", RetainUntilDate: later });
		const needed = { versionId, retainUntil: new Date("2041-01-01T00:00:00.000Z") };
		expect(await archive.verify(key, sha256, needed)).toBe("unlocked");
	});
});

onServer("the service's own credentials cannot change or shorten a lock", async (_, server) => {
	// A bucket of its own: some attempts change what the bucket does with later objects.
	const bucket = "driver-attempts";
	const archive = await openArchive(addressOf(server, bucket));
	const key = newKey();
	const { versionId = "" } = await archive.putOnce(key, bytes, keep);
	const version = { bucket, path: pathOf(key), versionId, retainUntil: keep.retainUntil };
	const refused: string[] = [];
	for (const { name, carryOut } of listS3Attempts(server.client, version)) {
		await carryOut().catch(() => refused.push(name));
		const { Mode, RetainUntilDate } = (await readRetention(server, key, versionId, bucket)) ?? {};
		expect([name, Mode, (RetainUntilDate ?? new Date(0)) >= keep.retainUntil]).toEqual([name, "COMPLIANCE", true]);
		expect([name, hash(await archive.get(key, versionId))]).toEqual([name, sha256]);
		expect([name, hash(await archive.get(key))]).toEqual([name, sha256]);
		expect([name, await archive.putOnce(key, bytes, keep)]).toMatchObject([name, { created: false, versionId }]);
	}
	expect(refused).toContain("the version deleted past governance");
	expect(refused).toContain("the date brought forward past governance");
	expect(refused).toContain("versioning suspended");
	await expect(createArchiveEraser(addressOf(server, bucket)).erase(key)).rejects.toThrow("AccessDenied (403)");
	expect(hash(await archive.get(key, versionId))).toBe(sha256);
});

onServer("a version above an object is reported; the object stays readable and listed", async (archive, server) => {
	const [marked, covered] = [newKey(), newKey()];
	const versions = new Map<string, string>();
	for (const key of [marked, covered]) versions.set(key, (await archive.putOnce(key, bytes, keep)).versionId ?? "");
	await server.client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key: pathOf(marked) }));
	await server.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: pathOf(covered), Body: "forged" }));
	for (const [key, versionId] of versions) {
		expect([key, await archive.verify(key, sha256, { versionId })]).toEqual([key, "hidden"]);
		expect(hash(await archive.get(key))).toBe(sha256);
		expect(await Array.fromAsync(archive.list(key))).toEqual([{ key, bytes: bytes.length, versionId }]);
		expect(await archive.putOnce(key, bytes, keep)).toMatchObject({ created: false, versionId });
	}
	expect(await archive.verify(covered, hash(Buffer.from("forged")))).toBe("changed");
});

onServer("objects are listed in the order of their keys over many pages", async (archive, server) => {
	const keys = ["list-b/1.zip", "list/2026/1.zip", "list/2026/2.zip", "list/2027/1.zip"];
	for (const key of keys.toReversed()) await archive.putOnce(key, Buffer.from(key), keep);
	// More versions than a page has, and what is no object of the archive.
	const cover = { Bucket: BUCKET, Key: pathOf("list/2026/1.zip"), Body: "x" };
	for (let i = 0; i < 5; i++) await server.client.send(new PutObjectCommand(cover));
	await server.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: pathOf("list/.hidden"), Body: "x" }));
	const inPages = await openS3Archive(placeOf(server), { limits: { pageMax: 2 } });
	const list = async (prefix: string) => (await Array.fromAsync(inPages.list(prefix))).map(({ key }) => key);
	expect(await list("list")).toEqual(keys);
	expect(await list("list/")).toEqual(keys.slice(1));
	expect(await list("list/2026/1")).toEqual(["list/2026/1.zip"]);
	expect(Buffer.from(await inPages.get("list/2026/1.zip")).toString()).toBe("list/2026/1.zip");
	expect(() => archive.list("..")).toThrow("not an archive key");
});

onServer("the eraser removes unlocked objects with all their versions", async (archive, server) => {
	const key = "gone/2026/1.zip";
	for (const Body of ["one", "two"]) {
		await server.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: pathOf(key), Body }));
	}
	await server.client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key: pathOf(key) }));
	await server.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: pathOf("gone-not/1.zip"), Body: "stays" }));
	await createArchiveEraser(addressOf(server)).erase("gone");
	expect((await Array.fromAsync(archive.list("gone"))).map((one) => one.key)).toEqual(["gone-not/1.zip"]);
	expect(await listVersions(server, key)).toEqual([]);
});

describe("a bucket", () => {
	onServer("without Object Lock, a missing one, and unknown credentials are refused", async (_, server) => {
		await expect(openArchive(addressOf(server, "driver-plain"))).rejects.toThrow(
			"the archive cannot be kept in the bucket driver-plain: it has no Object Lock",
		);
		await expect(openArchive(addressOf(server, "no-such-bucket"))).rejects.toThrow("there is no such bucket");
		process.env.AWS_SECRET_ACCESS_KEY = "another";
		await expect(openArchive(addressOf(server))).rejects.toThrow("SignatureDoesNotMatch (403); check the credentials");
		Object.assign(process.env, server.credentials);
	});

	onServer("that answers is writable, and is asked rarely", async (_, server) => {
		const proxy = await startTcpProxy({ port: Number(new URL(server.endpoint).port) });
		const archive = await openArchive(addressOf({ endpoint: `http://127.0.0.1:${proxy.port}` }));
		expect(await archive.isWritable()).toBe(true);
		proxy.setEnabled(false);
		const asked = proxy.count();
		for (let i = 0; i < 100; i++) expect(await archive.isWritable()).toBe(true);
		expect(proxy.count()).toBe(asked);
		await proxy.stop();
	});
});

onServer("a version whose answer was lost is found by the next attempt and stays the only one", async (_, server) => {
	const key = newKey();
	let lost = 0;
	const proxy = await startTcpProxy({
		port: Number(new URL(server.endpoint).port),
		onChunk(link, direction, chunk) {
			// The request goes through, its answer does not.
			if (direction === "upstream" && chunk.toString("latin1").startsWith("PUT ") && lost++ === 0)
				link.add("downstream", { type: "limit_data", bytes: 0 });
		},
	});
	const throughProxy = placeOf({ endpoint: `http://127.0.0.1:${proxy.port}` });
	const archive = await openS3Archive(throughProxy, { limits: { attemptsMax: 1 } });
	await expect(archive.putOnce(key, bytes, keep)).rejects.toThrow(`S3 has not done PutObject of ${key}`);
	const [versionId] = await listVersions(server, key);
	expect(await archive.putOnce(key, bytes, keep)).toMatchObject({ created: false, versionId });
	expect(await listVersions(server, key)).toEqual([versionId]);
	await proxy.stop();
});
