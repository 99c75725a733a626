import { describe, expect, test } from "bun:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { readBytes, readJson } from "../../../src/platform/operation";
import { makeCall, makeOperation, problemFrom } from "./support/call";

const JSON_TYPE = { "content-type": "application/json" };
const body = '{"name":"Añejo"}';
const LIMIT = 1_024;

async function refusal(init: RequestInit, rule?: Parameters<typeof makeCall>[1]) {
	const { slug, extensions } = await problemFrom(() => readJson(makeCall(init, rule)));
	return { slug, extensions };
}

/** A body that comes in chunks for as long as anybody takes them. */
function endless(chunk: Uint8Array) {
	const seen = { chunks: 0, isCancelled: false };
	const stream = new ReadableStream<Uint8Array>(
		{
			pull(controller) {
				seen.chunks++;
				controller.enqueue(chunk);
			},
			cancel() {
				seen.isCancelled = true;
			},
		},
		{ highWaterMark: 0 },
	);
	return { stream, seen };
}

function inChunks(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
	let at = 0;
	return new ReadableStream({
		pull(controller) {
			if (at >= bytes.length) return controller.close();
			controller.enqueue(bytes.slice(at, at + size));
			at += size;
		},
	});
}

describe("a body", () => {
	test("is read whole, in one piece or byte by byte", async () => {
		expect(await readJson<unknown>(makeCall({ headers: JSON_TYPE, body }))).toEqual({ name: "Añejo" });
		const stream = inChunks(Buffer.from(body), 1);
		expect(await readJson<unknown>(makeCall({ headers: JSON_TYPE, body: stream }))).toEqual({ name: "Añejo" });
		expect(Buffer.from(await readBytes(makeCall({ headers: JSON_TYPE, body }))).toString()).toBe(body);
	});

	test("that is absent is empty: malformed where required, {} elsewhere", async () => {
		expect((await refusal({ headers: JSON_TYPE })).slug).toBe("malformed-json");
		expect((await refusal({ headers: JSON_TYPE, body: "" })).slug).toBe("malformed-json");
		expect(await readJson<unknown>(makeCall({}, { required: false }))).toEqual({});
	});

	test("reports the violations of its texts and of its form", async () => {
		const problem = await problemFrom(() =>
			readJson(makeCall({ headers: JSON_TYPE, body: '{"name":"\\u0000","other":1}' })),
		);
		expect(problem.slug).toBe("validation-error");
		expect(problem.faults.map(({ pointer, code }) => [pointer, code])).toEqual([
			["/name", "illegal-character"],
			["/other", "unknown-field"],
		]);
	});

	test("of an operation that declares none is a defect of ours, not of the caller", async () => {
		const call = {
			...makeCall({ headers: JSON_TYPE, body }),
			operation: makeOperation({ method: "POST", path: "/x" }),
		};
		expect(readBytes(call)).rejects.toThrow("declares no body");
	});
});

describe("the limit", () => {
	const exactly = `{"name":"${"x".repeat(LIMIT - 11)}"}`;

	test("is inclusive", async () => {
		expect(exactly.length).toBe(LIMIT);
		expect((await readBytes(makeCall({ headers: JSON_TYPE, body: exactly }))).length).toBe(LIMIT);
		expect(await refusal({ headers: JSON_TYPE, body: `${exactly} ` })).toEqual({
			slug: "payload-too-large",
			extensions: { limitBytes: LIMIT },
		});
	});

	test("is met by a Content-Length that says too much before anything is read", async () => {
		const { stream, seen } = endless(new Uint8Array(16));
		const headers = { ...JSON_TYPE, "content-length": String(LIMIT + 1) };
		expect((await refusal({ headers, body: stream })).slug).toBe("payload-too-large");
		expect(seen.chunks).toBe(0);
	});

	test("holds when Content-Length says too little or nonsense", async () => {
		for (const length of ["0", "2", "-1", "abc", "1e1", ""]) {
			const { stream, seen } = endless(new Uint8Array(400));
			const headers = { ...JSON_TYPE, "content-length": length };
			expect((await refusal({ headers, body: stream })).slug).toBe("payload-too-large");
			expect(seen.chunks).toBe(3);
		}
	});

	test("is abandoned when the caller has left, without a failure", async () => {
		const stream = new ReadableStream({ pull: (c) => c.error(new Error("The connection was closed.")) });
		const cut = { method: "POST", headers: JSON_TYPE, body: stream } as const;
		expect(await refusal(cut)).toEqual({ slug: "malformed-json", extensions: {} });
		const broken = new ReadableStream({ pull: (c) => c.error(new Error("something else")) });
		await expect(readBytes(makeCall({ ...cut, body: broken }))).rejects.toThrow("something else");
	});

	test("cuts a stream that never ends, and lets its sender know", async () => {
		const { stream, seen } = endless(new Uint8Array(100));
		expect((await refusal({ headers: JSON_TYPE, body: stream })).slug).toBe("payload-too-large");
		expect(seen).toEqual({ chunks: 11, isCancelled: true });
	});
});

describe("compression", () => {
	const packers = { gzip: gzipSync, zstd: zstdCompressSync };

	for (const [encoding, pack] of Object.entries(packers)) {
		const headers = { ...JSON_TYPE, "content-encoding": encoding };

		test(`${encoding} is unpacked`, async () => {
			expect(await readJson<unknown>(makeCall({ headers, body: pack(body) }))).toEqual({ name: "Añejo" });
			const capitals = { ...headers, "content-encoding": ` ${encoding.toUpperCase()} ` };
			expect(await readJson<unknown>(makeCall({ headers: capitals, body: pack(body) }))).toEqual({ name: "Añejo" });
		});

		test(`${encoding}: the limit counts unpacked bytes and stops a bomb`, async () => {
			const bomb = pack(Buffer.alloc(64 * 1024 * 1024, 0x20));
			const limitBytes = 256 * 1024;
			expect(bomb.length).toBeLessThan(limitBytes);
			const before = process.memoryUsage().rss;
			expect(await refusal({ headers, body: bomb }, { limitBytes })).toEqual({
				slug: "payload-too-large",
				extensions: { limitBytes },
			});
			expect(process.memoryUsage().rss - before).toBeLessThan(48 * 1024 * 1024);
		});

		test(`${encoding}: the packed bytes have the limit too`, async () => {
			const { stream } = endless(new Uint8Array(500));
			expect((await refusal({ headers, body: stream })).slug).toBe("payload-too-large");
		});

		test(`${encoding} that is broken, cut or something else is malformed-json`, async () => {
			const packed = pack(body);
			const flipped = Buffer.from(packed);
			flipped.writeUInt8(flipped.readUInt8(packed.length - 6) ^ 0xff, packed.length - 6);
			for (const bytes of [packed.subarray(0, packed.length - 4), Buffer.from(body), Buffer.from([0]), flipped]) {
				expect((await refusal({ headers, body: bytes })).slug).toBe("malformed-json");
			}
		});
	}

	test("zstd that was cut between blocks, or has a tail, is refused", async () => {
		// Too much for one block, and nothing that packs.
		const bytes = crypto.getRandomValues(new Uint8Array(60_000));
		const packed = zstdCompressSync(Buffer.concat([bytes, bytes.toReversed(), bytes]));
		const headers = { ...JSON_TYPE, "content-encoding": "zstd" };
		for (const sent of [
			packed.subarray(0, packed.length - 1),
			packed.subarray(0, 8),
			Buffer.concat([packed, Buffer.from(body)]),
		]) {
			const call = makeCall({ headers, body: sent }, { limitBytes: 1024 * 1024 });
			await expect(readBytes(call)).rejects.toMatchObject({ slug: "malformed-json" });
		}
	});

	test("other encodings, and several, are not read", async () => {
		for (const encoding of [
			"br",
			"deflate",
			"compress",
			"gzip, gzip",
			"x-gzip",
			"constructor",
			"toString",
			"__proto__",
		]) {
			const headers = { ...JSON_TYPE, "content-encoding": encoding };
			expect([encoding, (await refusal({ headers, body })).slug]).toEqual([encoding, "unsupported-media-type"]);
		}
	});
});

describe("the media type", () => {
	test("is taken with capitals, spaces and a charset of UTF-8", async () => {
		for (const type of [
			"application/json",
			"Application/JSON",
			"application/json;charset=utf-8",
			"application/json; charset=UTF-8",
			'application/json; charset="utf-8"',
			"application/json; charset=utf8; q=1",
			" application/json ",
		]) {
			const call = makeCall({ headers: { "content-type": type }, body });
			expect([type, await readJson<unknown>(call)]).toEqual([type, { name: "Añejo" }]);
		}
	});

	test("must be one that the operation reads, in UTF-8", async () => {
		for (const type of [
			"text/plain",
			"text/json",
			"application/x-www-form-urlencoded",
			"multipart/form-data; boundary=x",
			"application/jsonp",
			"application/vnd.api+json",
			"application/json, text/plain",
			"application/json; charset=iso-8859-1",
			"application/json; charset=utf-16",
			'application/json; charset="latin1"',
			"json",
			"",
		]) {
			const problem = await refusal({ headers: { "content-type": type }, body });
			expect([type, problem.slug]).toEqual([type, "unsupported-media-type"]);
		}
	});

	test("may not be left out where there is a body", async () => {
		const bytes = Buffer.from(body);
		expect((await refusal({ body: bytes })).slug).toBe("unsupported-media-type");
		expect((await refusal({})).slug).toBe("unsupported-media-type");
		expect((await refusal({ body: bytes }, { required: false })).slug).toBe("unsupported-media-type");
	});

	test("is any of those that the operation names", async () => {
		const mediaTypes = ["application/json", "application/merge-patch+json"];
		const headers = { "content-type": "application/merge-patch+json" };
		expect(await readJson<unknown>(makeCall({ headers, body }, { mediaTypes }))).toEqual({ name: "Añejo" });
	});

	test("is judged after the size of what was sent, whatever it is", async () => {
		const { stream } = endless(new Uint8Array(1024));
		expect((await refusal({ headers: { "content-type": "text/plain" }, body: stream })).slug).toBe("payload-too-large");
		expect((await refusal({ headers: { "content-type": "text/plain" }, body: "{}" })).slug).toBe(
			"unsupported-media-type",
		);
	});
});
