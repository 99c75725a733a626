/** Copies the registry's source, a path or an https address, into a file of our own and computes its SHA-256. */

import { createHash } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { checkAddress, isAddress } from "../../settings";
import { SourceError } from "./source-error";
import { UNPACKED_BYTES_MAX } from "./unzip";

export type FetchedSource = {
	/** Of the file as received, compressed or not. */
	readonly sha256: string;
	readonly bytes: number;
	/** The server's ETag, if it sends one. */
	readonly etag: string | null;
};

type FetchOptions = {
	/** The ETag of the data in use, if that came from the same source. */
	readonly knownEtag: string | null;
	/** Where the copy goes; the file must not exist. A copy is needed because the original may change during reading. */
	readonly path: string;
	readonly signal: AbortSignal;
	/** Called with the bytes received and, if known, the total. */
	readonly onProgress?: (done: number, total: number | undefined) => void;
};

/** Maximum size as received; the unpacked size has the same limit. */
const BYTES_MAX = UNPACKED_BYTES_MAX;
const DOWNLOAD_TIMEOUT_MS = 600_000;
const REDIRECTS_MAX = 3;

/** Fetches the source; "unmodified" if the server says so. Throws: SourceError. */
export async function fetchSource(sourceName: string, options: FetchOptions): Promise<FetchedSource | "unmodified"> {
	return isAddress(sourceName) ? download(sourceName, options) : copyFile(sourceName, options);
}

async function copyFile(path: string, options: FetchOptions): Promise<FetchedSource> {
	try {
		const file = Bun.file(path);
		if (!(await file.exists())) throw new Error("there is no such file");
		const total = file.size;
		if (total > BYTES_MAX) throw tooLarge();
		return { ...(await store(file.stream(), total, options)), etag: null };
	} catch (cause) {
		if (cause instanceof SourceError) throw cause;
		throw new SourceError("failed", `the source file ${path} cannot be read: ${describeCause(cause)}`, cause);
	}
}

async function download(address: string, options: FetchOptions): Promise<FetchedSource | "unmodified"> {
	const signal = AbortSignal.any([options.signal, AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS)]);
	try {
		const response = await request(address, options.knownEtag, signal);
		if (response.status === 304 && options.knownEtag !== null) return "unmodified";
		if (response.status !== 200 || !response.body) {
			throw new SourceError("failed", `the source answered with status ${response.status}`);
		}
		const { headers } = response;
		const length = headers.get("content-encoding") === null ? headers.get("content-length") : null;
		const declared = length === null ? undefined : Number(length);
		const stored = await store(response.body, declared, options);
		if (declared !== undefined && declared !== stored.bytes) {
			throw new SourceError("failed", `the download ended after ${stored.bytes} of ${declared} bytes`);
		}
		return { ...stored, etag: headers.get("etag") };
	} catch (cause) {
		if (cause instanceof SourceError) throw cause;
		throw new SourceError("failed", `the source cannot be downloaded: ${describeCause(cause)}`, cause);
	}
}

async function store(stream: ReadableStream<Uint8Array>, total: number | undefined, options: FetchOptions) {
	const { path, onProgress } = options;
	const hash = createHash("sha256");
	const file = keeping(path, () => openSync(path, "wx", 0o600));
	let bytes = 0;
	try {
		for await (const chunk of stream) {
			bytes += chunk.length;
			if (bytes > BYTES_MAX) throw tooLarge();
			hash.update(chunk);
			keeping(path, () => writeWhole(file, chunk));
			onProgress?.(bytes, total);
		}
	} finally {
		closeSync(file);
	}
	return { sha256: hash.digest("hex"), bytes };
}

function writeWhole(file: number, chunk: Uint8Array): void {
	for (let done = 0; done < chunk.length; ) done += writeSync(file, chunk, done);
}

/** Attributes write errors, such as a full disk, to the copy and not to the source. Throws: SourceError. */
function keeping<T>(path: string, work: () => T): T {
	try {
		return work();
	} catch (cause) {
		throw new SourceError("failed", `the source's copy ${path} cannot be written: ${describeCause(cause)}`, cause);
	}
}

/** The message is stored with the run for the operator; the error itself stays in its thread. */
function describeCause(cause: unknown): string {
	return cause instanceof Error ? cause.message : String(cause);
}

function tooLarge(): SourceError {
	return new SourceError("refused", "the source is larger than 2 GiB");
}

async function request(address: string, knownEtag: string | null, signal: AbortSignal): Promise<Response> {
	let url = checkAddress(address);
	for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
		const response = await fetch(url, {
			signal,
			redirect: "manual",
			headers: {
				// Lengths are compared, so the transfer must not be compressed.
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
