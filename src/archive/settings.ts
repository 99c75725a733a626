/** Reads the archive's settings into one address. Reading the configuration loads nothing else of the archive but this. */
import type { Environment } from "../platform/values";
import { type ArchiveAddress, readAddress, writeAddress } from "./object-store/archive";

export { readAddress, writeAddress };

type Variables = Readonly<Record<string, string | undefined>>;

/** Reads the archive's variables and reports every fault. Returns the address that `openArchive` takes. */
export function readArchive(
	env: Variables,
	environment: Environment,
	fallback: string,
	report: (fault: string) => void,
): string {
	const text = (name: string) => env[name] || undefined;
	const endpoint = readEndpoint(text("ARCHIVE_S3_ENDPOINT"), report);
	const isImmutable = readSwitch(text("ARCHIVE_IMMUTABLE"), report);
	const given = text("ARCHIVE_URL") ?? fallback;
	let address: ArchiveAddress;
	try {
		address = readAddress(given);
	} catch (error) {
		report(`ARCHIVE_URL: ${error instanceof Error ? error.message : String(error)}`);
		return given;
	}
	if (address.kind === "files") {
		if (endpoint !== undefined) report("ARCHIVE_S3_ENDPOINT needs an ARCHIVE_URL of s3://…, which is not set");
		// Gap: files are immutable by default only in production and staging, so that a trial's folder can be removed.
		const isKept = isImmutable ?? (environment === "production" || environment === "staging");
		return isKept ? writeAddress({ ...address, isImmutable: true }) : given;
	}
	if (environment === "public-sandbox") {
		report(
			"ARCHIVE_URL must be a folder in the public sandbox: its documents are deleted after a day, which Object Lock refuses",
		);
	}
	if (isImmutable !== undefined) report("ARCHIVE_IMMUTABLE applies to files; in S3, Object Lock protects the objects");
	if ((text("AWS_ACCESS_KEY_ID") === undefined) !== (text("AWS_SECRET_ACCESS_KEY") === undefined)) {
		report("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY belong together, and one of them is not set");
	}
	return endpoint === undefined ? given : writeAddress({ ...address, endpoint });
}

function readEndpoint(value: string | undefined, report: (fault: string) => void): string | undefined {
	if (value === undefined) return undefined;
	const url = URL.canParse(value) ? new URL(value) : undefined;
	if (url && /^https?:$/.test(url.protocol) && url.username === "" && url.search === "")
		return value.replace(/\/+$/, "");
	// The value may hold a password, so it is not repeated.
	report("expected ARCHIVE_S3_ENDPOINT to be a URL with http: or https: and no credentials");
	return undefined;
}

function readSwitch(value: string | undefined, report: (fault: string) => void): boolean | undefined {
	if (value === undefined || value === "on" || value === "off") return value === undefined ? undefined : value === "on";
	report(`expected ARCHIVE_IMMUTABLE to be on or off, got ${JSON.stringify(value)}`);
	return undefined;
}
