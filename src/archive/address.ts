/**
 * Reads where an archive is. How it is reached stands in the address's query, so that one text is all that a thread or a command needs to know.
 *
 *   ./archive, file:///var/lib/archive?immutable=on
 *   s3://bucket/prefix?endpoint=https%3A%2F%2Fs3.example
 */
import { resolve } from "node:path";
import { isKey } from "./archive";

export type ArchiveAddress =
	| { readonly kind: "files"; readonly folder: string; readonly isImmutable: boolean }
	| { readonly kind: "s3"; readonly bucket: string; readonly prefix: string; readonly endpoint: string | undefined };

/** Throws an Error that tells what is expected. */
export function readAddress(text: string): ArchiveAddress {
	const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
	if (scheme === undefined && text !== "") return { kind: "files", folder: resolve(text), isImmutable: false };
	if (scheme === "file" && /^file:\/\/\/[^/]/i.test(text) && URL.canParse(text)) {
		const url = new URL(text);
		return { kind: "files", folder: Bun.fileURLToPath(url), isImmutable: url.searchParams.get("immutable") === "on" };
	}
	if (scheme === "s3") return readS3(text);
	throw new Error(`expected an archive at file:///…, a path or s3://bucket/prefix, got "${text}"`);
}

// Source: Amazon S3 User Guide, General purpose bucket naming rules.
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

function readS3(text: string): ArchiveAddress {
	const [, bucket = "", path = "", query = ""] = /^s3:\/\/([^/?]*)\/?([^?]*?)\/?(\?.*)?$/i.exec(text) ?? [];
	const endpoint = new URLSearchParams(query).get("endpoint") ?? undefined;
	if (!BUCKET.test(bucket) || (path !== "" && !isKey(path))) {
		throw new Error(`expected s3://bucket/prefix with a bucket's name and plain segments, got "${text}"`);
	}
	return { kind: "s3", bucket, prefix: path, endpoint };
}

/** The address that says what `readAddress` reads. */
export function writeAddress(address: ArchiveAddress): string {
	if (address.kind === "files") {
		const url = Bun.pathToFileURL(address.folder);
		if (address.isImmutable) url.searchParams.set("immutable", "on");
		return url.href;
	}
	const query = address.endpoint === undefined ? "" : `?${new URLSearchParams({ endpoint: address.endpoint })}`;
	return `s3://${address.bucket}${address.prefix === "" ? "" : `/${address.prefix}`}${query}`;
}
