/**
 * Makes what the service offers and does not hold as source: the archives of the client libraries, the files of the explorer, the console.
 *
 *   bun scripts/build-assets.ts             archives and console of the current sources, and Swagger UI, in data/built; nothing to do if
 *                                           they are there
 *   bun scripts/build-assets.ts --release   archives of the version in package.json, in data/sdk, to be committed
 *
 * In a checkout the service runs this at the first request for an archive. An image gets data/built from the checkout that it is made of.
 * A release is never changed, since lock files of others hold its digest.
 */
import { createHash } from "node:crypto";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import manifest from "../package.json";
import { ARCHIVE_FOLDERS, type Library, nameArchive, readArchiveName } from "../src/api/downloads";
import { EXPLORER_FILES, EXPLORER_FOLDER } from "../src/api/pages/docs";
import { SDK_BUILDERS, type SdkBuilder } from "./sdk";
import { packTarball, packZip } from "./sdk/pack";

/** How many archives of a library are kept, in either folder. */
const KEPT = 10;

const root = join(import.meta.dir, "..");
const { values } = parseArgs({ options: { release: { type: "boolean", default: false } } });
const folder = values.release ? ARCHIVE_FOLDERS.released : ARCHIVE_FOLDERS.built;
const version = values.release ? manifest.version : `${manifest.version}.h${hashSources().slice(0, 8)}`;
if (values.release && version.includes("-")) {
	console.error(`${version}, the version in package.json, is no release`);
	process.exit(2);
}
mkdirSync(folder, { recursive: true });
for (const [library, build] of Object.entries(SDK_BUILDERS) as [Library, SdkBuilder][]) {
	const path = join(folder, nameArchive({ library, version }));
	if (!existsSync(path)) write(path, await pack(library, build));
	else if (values.release) check(path, await pack(library, build));
	// The newest file is the current one.
	else utimesSync(path, new Date(), new Date());
	prune(library);
}

if (!values.release) {
	copyExplorer();
	const child = Bun.spawn([process.execPath, join(import.meta.dir, "build-console.ts")], { stdin: "ignore" });
	if ((await child.exited) !== 0) process.exitCode = 1;
}

/** With the licence, which has to go with the files. Left out where development packages are not installed. Source: Apache License 2.0, section 4. */
function copyExplorer(): void {
	mkdirSync(EXPLORER_FOLDER, { recursive: true });
	for (const name of [...EXPLORER_FILES, "LICENSE", "NOTICE"]) {
		const source = join(root, "node_modules/swagger-ui-dist", name);
		const path = join(EXPLORER_FOLDER, name);
		if (!existsSync(source)) continue;
		const bytes = readFileSync(source);
		if (!existsSync(path) || !readFileSync(path).equals(bytes)) write(path, bytes);
	}
}

/** Changes with everything that an archive is made of. */
function hashSources(): string {
	const hash = createHash("sha256").update(`${manifest.version} ${Bun.version}\n`);
	for (const pattern of ["src/sdk/**/*", "src/cli/**/*", "scripts/sdk/**/*", "data/examples/woocommerce/**/*"]) {
		const paths = [...new Bun.Glob(pattern).scanSync({ cwd: root })].filter((path) => !path.includes("__pycache__"));
		for (const path of paths.sort())
			hash
				.update(`${path}\0`)
				.update(readFileSync(join(root, path)))
				.update("\0");
	}
	return hash.digest("hex");
}

async function pack(library: Library, build: SdkBuilder): Promise<Uint8Array> {
	const contents = mkdtempSync(join(tmpdir(), "sello-sdk-"));
	try {
		await build(contents, version);
		return library === "typescript" ? await packTarball(contents) : packZip(contents);
	} finally {
		rmSync(contents, { recursive: true });
	}
}

/** Renamed into place, since several processes may build at once while one reads. */
function write(path: string, bytes: Uint8Array): void {
	const written = `${path}.${process.pid}`;
	writeFileSync(written, bytes);
	renameSync(written, path);
	console.log(`${path}: ${bytes.length} bytes`);
}

function check(path: string, bytes: Uint8Array): void {
	if (readFileSync(path).equals(bytes)) return;
	console.error(`${path} exists with other contents; raise the version in package.json`);
	process.exit(1);
}

function prune(library: Library): void {
	const kept = readdirSync(folder).flatMap((name) => {
		const id = readArchiveName(name);
		const path = join(folder, name);
		return id?.library === library ? [{ path, version: id.version, modifiedMs: statSync(path).mtimeMs }] : [];
	});
	kept.sort((a, b) => (values.release ? Bun.semver.order(b.version, a.version) : b.modifiedMs - a.modifiedMs));
	for (const { path } of kept.slice(KEPT)) rmSync(path);
}
