/** What the operator says about the archive, as one address. Reading the configuration loads nothing else of this folder. */
import type { Environment } from "../platform/values";
import { type ArchiveAddress, readAddress, writeAddress } from "./object-store/archive";

type Variables = Readonly<Record<string, string | undefined>>;

/** Reads the archive's variables; every fault goes to `tell`. Answers the address that `openArchive` takes. */
export function readArchive(
	env: Variables,
	environment: Environment,
	otherwise: string,
	tell: (fault: string) => void,
): string {
	const text = (name: string) => env[name] || undefined;
	const endpoint = readEndpoint(text("ARCHIVE_S3_ENDPOINT"), tell);
	const isImmutable = readSwitch(text("ARCHIVE_IMMUTABLE"), tell);
	const given = text("ARCHIVE_URL") ?? otherwise;
	let address: ArchiveAddress;
	try {
		address = readAddress(given);
	} catch (error) {
		tell(`ARCHIVE_URL: ${error instanceof Error ? error.message : String(error)}`);
		return given;
	}
	if (address.kind === "files") {
		if (endpoint !== undefined) tell("ARCHIVE_S3_ENDPOINT goes with an ARCHIVE_URL of s3://…, which is not set");
		// Gap: files are made immutable where documents are worth it; whoever tries the service out can remove its folder.
		const isKept = isImmutable ?? (environment === "production" || environment === "staging");
		return isKept ? writeAddress({ ...address, isImmutable: true }) : given;
	}
	if (environment === "public-sandbox") {
		tell(
			"ARCHIVE_URL must be files in the public sandbox: its documents are deleted after a day, which Object Lock refuses",
		);
	}
	if (isImmutable !== undefined) tell("ARCHIVE_IMMUTABLE goes with files; in S3 it is Object Lock that keeps objects");
	if ((text("AWS_ACCESS_KEY_ID") === undefined) !== (text("AWS_SECRET_ACCESS_KEY") === undefined)) {
		tell("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY go together, and one of them is not set");
	}
	return endpoint === undefined ? given : writeAddress({ ...address, endpoint });
}

function readEndpoint(value: string | undefined, tell: (fault: string) => void): string | undefined {
	if (value === undefined) return undefined;
	const url = URL.canParse(value) ? new URL(value) : undefined;
	if (url && /^https?:$/.test(url.protocol) && url.username === "" && url.search === "")
		return value.replace(/\/+$/, "");
	// The value may hold a password, so it is not repeated.
	tell("expected ARCHIVE_S3_ENDPOINT to be a URL with http: or https: and no credentials");
	return undefined;
}

function readSwitch(value: string | undefined, tell: (fault: string) => void): boolean | undefined {
	if (value === undefined || value === "on" || value === "off") return value === undefined ? undefined : value === "on";
	tell(`expected ARCHIVE_IMMUTABLE to be on or off, got ${JSON.stringify(value)}`);
	return undefined;
}
