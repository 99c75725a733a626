import { afterAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { fetchSource } from "../../../../src/registry/ingest/source/fetch-source";
import { temporaryFolder } from "../../build";

const folder = temporaryFolder();
const bytes = Buffer.from("what the authority publishes");
const sha256 = createHash("sha256").update(bytes).digest("hex");
const signal = new AbortController().signal;

let copies = 0;

/** Fetches to a new file and returns its content too. */
async function fetchTo(source: string, options: { knownEtag: string | null; signal: AbortSignal }) {
	const path = `${folder.path}/copy-${copies++}`;
	const fetched = await fetchSource(source, { ...options, path });
	if (fetched !== "unmodified") return { ...fetched, content: readFileSync(path) };
	expect(existsSync(path)).toBe(false);
	return fetched;
}

const server = Bun.serve({
	port: 0,
	routes: {
		"/file": (request) =>
			request.headers.get("if-none-match") === '"v1"'
				? new Response(null, { status: 304 })
				: new Response(bytes, { headers: { etag: '"v1"' } }),
		"/moved": () => Response.redirect("/file"),
		"/loop": () => Response.redirect("/loop"),
		"/away": () => Response.redirect("http://192.0.2.1/file"),
		"/missing": () => new Response("no", { status: 404 }),
		"/always-304": () => new Response(null, { status: 304 }),
	},
});
const at = (path: string) => new URL(path, server.url).href;

afterAll(async () => {
	folder.remove();
	await server.stop(true);
});

test("a path is copied with its SHA-256 and no ETag", async () => {
	const path = folder.write("source.txt", bytes);
	expect(await fetchTo(path, { knownEtag: null, signal })).toEqual({
		content: bytes,
		bytes: bytes.length,
		sha256,
		etag: null,
	});
});

test("a failed write of the copy is reported as such, not as the source's fault", async () => {
	const source = folder.write("whole.txt", bytes);
	const path = join(folder.path, "no-such-folder", "copy");
	for (const from of [source, at("/file")]) {
		const failure = fetchSource(from, { knownEtag: null, signal, path });
		const message = expect.stringContaining(`the source's copy ${path} cannot be written: ENOENT`);
		await expect(failure).rejects.toMatchObject({ result: "failed", message });
	}
});

test("a missing path fails with its name and the cause", async () => {
	const path = join(folder.path, "missing");
	const failure = fetchTo(path, { knownEtag: null, signal });
	const message = `the source file ${path} cannot be read: there is no such file`;
	await expect(failure).rejects.toMatchObject({ result: "failed", message });
});

describe("an address", () => {
	test("is downloaded with its ETag, and not again while that is known", async () => {
		expect(await fetchTo(at("/file"), { knownEtag: null, signal })).toEqual({
			content: bytes,
			bytes: bytes.length,
			sha256,
			etag: '"v1"',
		});
		expect(await fetchTo(at("/file"), { knownEtag: '"v1"', signal })).toBe("unmodified");
		expect(await fetchTo(at("/file"), { knownEtag: '"v0"', signal })).toMatchObject({ sha256 });
	});

	test("may redirect, but not endlessly and not to a forbidden address", async () => {
		expect(await fetchTo(at("/moved"), { knownEtag: null, signal })).toMatchObject({ sha256 });
		await expect(fetchTo(at("/loop"), { knownEtag: null, signal })).rejects.toThrow("redirects more than 3 times");
		await expect(fetchTo(at("/away"), { knownEtag: null, signal })).rejects.toMatchObject({ result: "failed" });
	});

	test("that answers with another status fails", async () => {
		await expect(fetchTo(at("/missing"), { knownEtag: null, signal })).rejects.toThrow("status 404");
	});

	test("that answers 304 to an unconditional request fails", async () => {
		await expect(fetchTo(at("/always-304"), { knownEtag: null, signal })).rejects.toThrow("status 304");
	});

	test("that closes early fails", async () => {
		const { url, close } = await serveRaw((socket) => {
			socket.end("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this");
		});
		await expect(fetchTo(url, { knownEtag: null, signal })).rejects.toMatchObject({ result: "failed" });
		close();
	});

	test("that never ends is aborted when the registry is closed", async () => {
		const closing = new AbortController();
		const { url, close } = await serveRaw((socket) => {
			socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\na drop");
			closing.abort();
		});
		await expect(fetchTo(url, { knownEtag: null, signal: closing.signal })).rejects.toMatchObject({
			result: "failed",
		});
		close();
	});
});

/** A raw server, because a real one would be too well-behaved. */
async function serveRaw(answer: (socket: Socket) => void): Promise<{ url: string; close: () => void }> {
	const raw: Server = createServer((socket) => {
		socket.on("error", () => socket.destroy());
		socket.once("data", () => answer(socket));
	});
	await new Promise<void>((done) => raw.listen(0, "127.0.0.1", done));
	const address = raw.address();
	if (address === null || typeof address === "string") throw new Error("the server has no port");
	return { url: `http://127.0.0.1:${address.port}/`, close: () => raw.close() };
}
