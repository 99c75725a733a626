/** Takes the registry's source, a path or an https address, into memory with its SHA-256. */
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { SourceError } from "./source-error";
import { UNPACKED_BYTES_MAX } from "./unzip";

export type SourceFile = {
	/** As it came: packed or not. */
	readonly bytes: Uint8Array;
	readonly sha256: string;
	/** The server's, when it gives one. */
	readonly etag: string | null;
};

export type ReadSourceOptions = {
	/** The ETag of what is loaded, when that came from the same source. */
	readonly knownEtag: string | null;
	readonly signal: AbortSignal;
};

/** Most bytes as they come; what they unpack to has the same limit. */
const BYTES_MAX = UNPACKED_BYTES_MAX;
const DOWNLOAD_TIMEOUT_MS = 600_000;
const REDIRECTS_MAX = 3;

/**
 * The form under which a source is kept: another process reads the same file by it. Throws a RangeError for an address that
 * is neither https nor, as a convenience for mirrors on the same machine, http on a loopback host.
 */
export function toSourceName(source: string): string {
	if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) return resolve(source);
	return checkAddress(source).href;
}

export function isAddress(sourceName: string): boolean {
	return sourceName.startsWith("http");
}

/** Reads the source; "unmodified" when the server says so. Throws: SourceError. */
export async function readSource(sourceName: string, options: ReadSourceOptions): Promise<SourceFile | "unmodified"> {
	const got = isAddress(sourceName) ? await download(sourceName, options) : await readPath(sourceName);
	if (got === "unmodified") return got;
	return { ...got, sha256: createHash("sha256").update(got.bytes).digest("hex") };
}

type Content = Pick<SourceFile, "bytes" | "etag">;

async function readPath(path: string): Promise<Content> {
	try {
		const file = Bun.file(path);
		if (file.size > BYTES_MAX) throw new SourceError("refused", "the source is larger than 2 GiB");
		return { bytes: await file.bytes(), etag: null };
	} catch (cause) {
		if (cause instanceof SourceError) throw cause;
		throw new SourceError("failed", "the source file cannot be read", cause);
	}
}

async function download(address: string, options: ReadSourceOptions): Promise<Content | "unmodified"> {
	const signal = AbortSignal.any([options.signal, AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS)]);
	try {
		const response = await request(address, options.knownEtag, signal);
		if (response.status === 304 && options.knownEtag !== null) return "unmodified";
		if (response.status !== 200 || !response.body) {
			throw new SourceError("failed", `the source answered with status ${response.status}`);
		}
		return { bytes: await collect(response.body, response.headers), etag: response.headers.get("etag") };
	} catch (cause) {
		if (cause instanceof SourceError) throw cause;
		throw new SourceError("failed", "the source cannot be downloaded", cause);
	}
}

async function request(address: string, knownEtag: string | null, signal: AbortSignal): Promise<Response> {
	let url = checkAddress(address);
	for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
		const response = await fetch(url, {
			signal,
			redirect: "manual",
			headers: {
				// Lengths are compared, so nothing may be packed on the way.
				"accept-encoding": "identity",
				...(knownEtag === null ? {} : { "if-none-match": knownEtag }),
			},
		});
		const location = response.headers.get("location");
		if (response.status < 300 || response.status > 399 || response.status === 304 || location === null) return response;
		await response.body?.cancel();
		url = checkAddress(new URL(location, url).href);
	}
	throw new SourceError("failed", `the source redirects more than ${REDIRECTS_MAX} times`);
}

async function collect(body: ReadableStream<Uint8Array>, headers: Headers): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	let total = 0;
	for await (const chunk of body) {
		total += chunk.length;
		if (total > BYTES_MAX) throw new SourceError("refused", "the source is larger than 2 GiB");
		chunks.push(chunk);
	}
	const declared = headers.get("content-length");
	if (declared !== null && headers.get("content-encoding") === null && Number(declared) !== total) {
		throw new SourceError("failed", `the download ended after ${total} of ${declared} bytes`);
	}
	return Buffer.concat(chunks, total);
}

function checkAddress(address: string): URL {
	const url = new URL(address);
	const isLoopback = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
	if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback)) {
		throw new RangeError("expected the registry's source to be a path or an https address");
	}
	if (url.username || url.password) throw new RangeError("expected the registry's source to hold no credentials");
	return url;
}
