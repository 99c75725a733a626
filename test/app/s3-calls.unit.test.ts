/** The driver when S3 does not answer as it should, and documents that wait for it meanwhile. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { explainStartupError } from "../../src/app/explain-startup-error";
import { openArchive } from "../../src/archive";
import type { S3Limits } from "../../src/archive/object-store/s3/calls";
import { cacheAnswer, openS3Archive } from "../../src/archive/object-store/s3/s3-archive";
import { findClosedPort, type RawServer, rawAnswer, startRawServer } from "../authority/client/support/raw-server";
import { hasS3Programs, type S3Server, sharedS3Server } from "../support/s3-server";
import { buildInvoice, createTenant, openServiceIn, postInvoice, untilDecided } from "../support/service";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy";
import { until } from "../support/until";

const TIMEOUT_MS = 120_000;
const BUCKET = "faults";
const keep = { retainUntil: new Date("2036-11-20T14:20:00.902Z") };
/** Where no answer comes there is nothing to wait for; where one comes, it may come late. */
const QUICK = { attemptsMax: 2, connectTimeoutMs: 200, answerTimeoutMs: 200, callTimeoutMs: 1_000 };
const PATIENT = { attemptsMax: 2 };

const fault = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`;
const ANSWERS = {
	"500": () => rawAnswer(500, fault("InternalError")),
	"503": () => rawAnswer(503, fault("SlowDown")),
	"502 of a gateway, in HTML": () => rawAnswer(502, "<html>Bad gateway</html>"),
	"403": () => rawAnswer(403, fault("InvalidAccessKeyId")),
	"half an answer": () => rawAnswer(200, "<ListVersionsResult>").slice(0, -5),
	"no answer at all": () => "",
} as const;

const before = { ...process.env };
const credentials = { AWS_ACCESS_KEY_ID: "AK", AWS_SECRET_ACCESS_KEY: "secret" };
const hasServer = hasS3Programs();
let server: S3Server;
async function prepare(): Promise<S3Server["credentials"]> {
	server = await sharedS3Server();
	await server.makeBucket(BUCKET, { hasLock: true });
	return server.credentials;
}
beforeAll(async () => {
	Object.assign(process.env, hasServer ? await prepare() : credentials);
}, TIMEOUT_MS);
afterAll(() => {
	for (const name of Object.keys(credentials)) {
		if (before[name] === undefined) delete process.env[name];
		else process.env[name] = before[name];
	}
});

const startFaulty = (answer: () => string): Promise<RawServer> =>
	startRawServer((socket) => {
		// Without a word the connection stays open: a server that hangs.
		if (answer() !== "") socket.end(answer());
	});

describe("an archive that does not answer at start", () => {
	const open = (endpoint: string, said: unknown[], limits: Partial<S3Limits> = PATIENT) =>
		openS3Archive(
			{ bucket: BUCKET, prefix: "", endpoint },
			{ limits, log: { warn: (...it: unknown[]) => said.push(it) } },
		);

	test.each(["500", "503", "502 of a gateway, in HTML", "no answer at all"] as const)(
		"is opened, and not written to before it has answered: %s",
		async (name) => {
			const faulty = await startFaulty(ANSWERS[name]);
			const said: unknown[] = [];
			const archive = await open(faulty.url, said, name === "no answer at all" ? QUICK : PATIENT);
			expect(said).toHaveLength(1);
			await expect(archive.putOnce("t/2026/1.zip", Buffer.from("x"), keep)).rejects.toThrow("S3 has not done");
			expect(await archive.isWritable()).toBe(false);
			expect(await archive.verify("t/2026/1.zip", "00", { versionId: "1" })).toBe("unreadable");
			await expect(Array.fromAsync(archive.list(""))).rejects.toThrow("S3 has not done ListObjectVersions");
			expect(faulty.received.filter((request) => request.startsWith("PUT "))).toEqual([]);
			faulty.close();
		},
		TIMEOUT_MS,
	);

	test(
		"is opened even without a listener; unknown credentials are refused",
		async () => {
			const said: unknown[] = [];
			const archive = await open(`http://127.0.0.1:${await findClosedPort()}`, said);
			await expect(archive.putOnce("t/2026/1.zip", Buffer.from("x"), keep)).rejects.toThrow("no answer");
			expect(said).toHaveLength(1);
			const faulty = await startFaulty(ANSWERS["403"]);
			await expect(open(faulty.url, said)).rejects.toThrow("InvalidAccessKeyId (403); check the credentials");
			faulty.close();
		},
		TIMEOUT_MS,
	);

	test("that hangs does not delay the start by the time-out of a call", async () => {
		const faulty = await startFaulty(ANSWERS["no answer at all"]);
		const said: unknown[] = [];
		await open(faulty.url, said, { openTimeoutMs: 50 });
		expect(said).toHaveLength(1);
		faulty.close();
	});

	test.each([
		["403", "InvalidAccessKeyId"],
		["301", "PermanentRedirect"],
	])("that hangs and then refuses (%s) is logged again, and nothing is written to it", async (status, code) => {
		const asked: Socket[] = [];
		const faulty = await startRawServer((socket) => void asked.push(socket));
		const refuse = (socket: Socket) => socket.end(rawAnswer(Number(status), fault(code)));
		const said: [{ readonly err: Error }, string][] = [];
		const archive = await open(faulty.url, said, { openTimeoutMs: 50 });
		expect(said).toHaveLength(1);
		await until(() => asked.length === 2);
		asked.splice(0).forEach(refuse);
		await until(() => said.length === 2);
		expect(said[1]?.[1]).toBe("the archive's bucket is unsafe; nothing can be archived");
		expect(said[1]?.[0]?.err.message).toContain(code);
		// The late refusal stands: the bucket is checked again before any write.
		const put = archive.putOnce("t/2026/1.zip", Buffer.from("x"), keep).catch((error: unknown) => error);
		await until(() => asked.length === 2);
		asked.splice(0).forEach(refuse);
		expect(await put).toBeInstanceOf(Error);
		expect(faulty.received.filter((request) => request.startsWith("PUT "))).toEqual([]);
		faulty.close();
	});

	test("that redirects permanently is refused: the region or address is wrong", async () => {
		const faulty = await startFaulty(() => rawAnswer(301, fault("PermanentRedirect")));
		const refused = await open(faulty.url, []).catch(explainStartupError);
		// The operator reads this sentence alone.
		expect(refused).toStartWith(`the archive cannot be kept in the bucket ${BUCKET}: S3 answered Get`);
		expect(refused).toEndWith("with PermanentRedirect (301); check the credentials, their region and what they may do");
		faulty.close();
	});

	test(
		"is refused with a message if no region or no credentials are set",
		async () => {
			const script = `
				import { openArchive } from "${import.meta.dir}/../../src/archive";
				for (const address of ["s3://bucket/prefix", "s3://bucket/prefix?endpoint=http%3A%2F%2F127.0.0.1%3A1"])
					await openArchive(address).catch((error) => console.log(error.message));`;
			const env = { PATH: process.env.PATH, HOME: "/nonexistent", AWS_EC2_METADATA_DISABLED: "true" };
			const child = Bun.spawn([process.execPath, "-e", script], { env, stdout: "pipe", stderr: "inherit" });
			expect(await new Response(child.stdout).text()).toBe(
				"the archive cannot be kept in the bucket bucket: no region is known; set AWS_REGION\n" +
					"the archive cannot be kept in the bucket bucket: no credentials were found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY\n",
			);
		},
		TIMEOUT_MS,
	);
});

test.skipIf(!hasServer)(
	"a request to S3 is signed with the bytes' digest and the retention date",
	async () => {
		let sent = "";
		const proxy = await startTcpProxy({
			port: Number(new URL(server.endpoint).port),
			onChunk: (_, direction, chunk) => {
				if (direction === "upstream") sent += chunk.toString("latin1");
			},
		});
		const archive = await openArchive(addressOf(proxy));
		const { sha256 } = await archive.putOnce("signed/1.zip", Buffer.from("signed and sealed"), keep);
		const head = (/PUT [\s\S]*?\r\n\r\n/.exec(sent)?.[0] ?? "").toLowerCase();
		expect(head).toContain(`x-amz-content-sha256: ${sha256}`);
		expect(head).toContain(`x-amz-checksum-sha256: ${Buffer.from(sha256, "hex").toString("base64")}`.toLowerCase());
		expect(head).toContain("x-amz-object-lock-mode: compliance");
		expect(head).toContain("x-amz-object-lock-retain-until-date: 2036-11-20t14:20:01");
		expect(head).toContain("if-none-match: *");
		await proxy.stop();
	},
	TIMEOUT_MS,
);

const addressOf = ({ port }: Pick<TcpProxy, "port">) =>
	`s3://${BUCKET}/documents?endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}`;

test.skipIf(!hasServer)(
	"a document waits in the outbox while S3 fails and is archived once afterwards",
	async () => {
		const s3Port = Number(new URL(server.endpoint).port);
		const proxy = await startTcpProxy({ port: s3Port });
		const service = await openServiceIn("sandbox", {
			ARCHIVE_URL: `s3://${BUCKET}/documents`,
			ARCHIVE_S3_ENDPOINT: `http://127.0.0.1:${proxy.port}`,
		});
		const { sql } = service;
		const tenant = await createTenant(service);
		const countFailures = async (docId: string) => {
			const [row] = await sql<{ failures: number }[]>`
			select failures from outbox where kind = 'invoice.archive' and subject = ${docId}`;
			return row?.failures ?? 0;
		};
		proxy.setEnabled(false);
		const answer = await postInvoice(service, tenant, buildInvoice(tenant));
		const { docId } = (await answer.json()) as { docId: string };
		expect(await untilDecided(service, tenant, docId, TIMEOUT_MS)).toMatchObject({ status: "accepted" });
		const strange = await startFaulty(ANSWERS["403"]);
		for (const [i, port] of [strange.port, s3Port].entries()) {
			await until(async () => (await countFailures(docId)) > i, TIMEOUT_MS);
			expect(await sql`select 1 from seals where doc_id = ${docId}`).toHaveLength(0);
			proxy.setTarget(port);
			// Connections that are kept go on to where they went.
			for (const link of proxy.links()) link.reset();
			proxy.setEnabled(true);
		}
		await until(async () => (await sql`select 1 from seals where doc_id = ${docId}`).length === 1, TIMEOUT_MS);
		const [object] = await sql<{ objectKey: string; sha256: string; versionId: string; retainUntil: Date }[]>`
		select sealed_object_key(tenant_id, doc_id, decided_at, sha256) as "objectKey", encode(sha256, 'hex') as sha256, version_id as "versionId", retain_until as "retainUntil"
		from seals where doc_id = ${docId}`;
		const archive = await openArchive(addressOf(proxy));
		if (!object) throw new Error("expected a row");
		const { objectKey, sha256, ...written } = object;
		expect(await archive.verify(objectKey, sha256, written)).toBeUndefined();
		expect(await Array.fromAsync(archive.list(`${tenant.tenantId}/`))).toMatchObject([
			{ key: objectKey, versionId: written.versionId },
		]);
		await service.stop();
		await proxy.stop();
		strange.close();
	},
	TIMEOUT_MS,
);

/** A question whose answers come when the test says so. */
function open(soonMs = 1) {
	const clock = { nowMs: 0 };
	const asked: PromiseWithResolvers<string>[] = [];
	const ask = () => {
		const one = Promise.withResolvers<string>();
		asked.push(one);
		return one.promise;
	};
	return { clock, asked, read: cacheAnswer(ask, { soonMs, now: () => clock.nowMs }) };
}

async function openWell(soonMs?: number) {
	const opened = open(soonMs);
	const first = opened.read();
	opened.asked[0]?.resolve("well");
	await first;
	return opened;
}

const PENDING = Symbol();
const isPending = async (answer: Promise<unknown>) =>
	(await Promise.race([answer, Bun.sleep(20).then(() => PENDING)])) === PENDING;

test("the first answer is awaited by all callers and cached for fifteen seconds", async () => {
	const { clock, asked, read } = open();
	const waiting = [read(), read()];
	asked[0]?.resolve("well");
	expect(await Promise.all(waiting)).toEqual(["well", "well"]);
	clock.nowMs = 14_999;
	expect(await read()).toBe("well");
	expect(asked).toHaveLength(1);
});

test.each([15_000, 30_000, 3_600_000])("after %d ms a slow new answer is replaced by the last one", async (afterMs) => {
	const { clock, asked, read } = await openWell();
	clock.nowMs = afterMs;
	expect(await read()).toBe("well");
	clock.nowMs = afterMs + 4_999;
	expect(await read()).toBe("well");
	asked[1]?.resolve("away");
	await asked[1]?.promise;
	expect(await read()).toBe("away");
	expect(asked).toHaveLength(2);
});

test("a quick new answer is returned at once", async () => {
	const { clock, asked, read } = await openWell(60_000);
	clock.nowMs = 15_000;
	const again = read();
	asked[1]?.resolve("away");
	expect(await again).toBe("away");
});

test("a question that hangs for five seconds is awaited", async () => {
	const { clock, asked, read } = await openWell();
	clock.nowMs = 15_000;
	expect(await read()).toBe("well");
	clock.nowMs = 20_000;
	const late = read();
	expect(await isPending(late)).toBe(true);
	asked[1]?.resolve("away");
	expect(await late).toBe("away");
});
