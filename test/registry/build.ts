/** Builds what the registry's tests need: source files, zips, an open registry on a database, and requests to it. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zipSync } from "fflate";
import { findKeyLineage } from "../../src/identity/auth";
import { connect, type Sql } from "../../src/platform/database";
import { type Call, OperationTable, type Principal } from "../../src/platform/operation";
import { createEnvelope } from "../../src/platform/secrets";
import { createLog } from "../../src/platform/telemetry";
import { systemClock } from "../../src/platform/values";
import {
	openRegistry,
	openRegistryKeys,
	type Registry,
	type RegistryDeps,
	type RegistryEntry,
} from "../../src/registry";
import { entryAt } from "../../src/registry/index/entries";
import type { SnapshotFacts } from "../../src/registry/index/format";
import { openSnapshot, type Snapshot } from "../../src/registry/index/open";
import { verifySnapshot } from "../../src/registry/index/verify";
import { buildSnapshot } from "../../src/registry/ingest/build/build";
import { createColumnCollector, type EntryColumns } from "../../src/registry/ingest/build/columns";
import { createNames, type Names } from "../../src/registry/ingest/build/names";
import { parseSource } from "../../src/registry/ingest/source/parse";
import { unzipText } from "../../src/registry/ingest/source/unzip";
import { atEnd } from "../support/at-end";

export const SAMPLE = join(import.meta.dir, "../../data/registry/sample.zip");
export const PEPPER = new Uint8Array(32).fill(7);
export const silentLog = createLog("silent", "test");

/** An entry with defaults for all members that a test does not set. */
export function entry(members: Partial<RegistryEntry> = {}): RegistryEntry {
	return {
		rnc: "990000001",
		name: "COMERCIAL EJEMPLO SRL",
		trade_name: "EJEMPLO",
		economic_activity: "VENTA AL POR MENOR",
		status: "ACTIVO",
		payment_regime: "NORMAL",
		...members,
	};
}

/** `count` entries that differ in number and name. */
export function entries(count: number, from = 1): RegistryEntry[] {
	return Array.from({ length: count }, (_, i) =>
		entry({ rnc: String(990_000_000 + from + i), name: `COMERCIAL NUMERO ${from + i} SRL` }),
	);
}

/** The line of an entry in the text format, without its end. */
export function toLine(e: RegistryEntry): string {
	const activity = e.economic_activity;
	return [e.rnc, e.name, e.trade_name, activity, " ", " ", " ", " ", "03/02/2014", e.status, e.payment_regime].join(
		"|",
	);
}

export function toText(list: readonly RegistryEntry[]): Uint8Array {
	return Buffer.from(list.map((e) => `${toLine(e)}\r\n`).join(""), "latin1");
}

export function toZip(text: Uint8Array, name = "TMP/RNC.TXT"): Uint8Array {
	return zipSync({ [name]: text }, { level: 6 });
}

export const FACTS: SnapshotFacts = {
	runId: "0192ef00-0000-7000-8000-000000000001",
	source: "/test.zip",
	sourceEtag: null,
	sourceSha256: "0".repeat(64),
	suppressed: 0,
	clearedOf: "",
};

export function columnsOf(list: readonly RegistryEntry[]): readonly [EntryColumns, Names] {
	const names = createNames();
	const readCell = (source: Uint8Array, from: number, to: number) => Buffer.from(source.subarray(from, to)).toString();
	const collector = createColumnCollector(readCell, names.take);
	for (const one of list) collector.takeEntry(one, 0);
	return [collector.finish().columns, names];
}

/** A snapshot of these entries: built, verified and mapped; its file is already removed. */
export function snapshotOf(list: readonly RegistryEntry[]): Snapshot {
	return snapshotOfColumns(...columnsOf(list));
}

export function snapshotOfColumns(columns: EntryColumns, names: Names): Snapshot {
	return inFolder((folder) => {
		const path = join(folder, "test.snapshot");
		buildSnapshot(path, columns, names, FACTS);
		const snapshot = openSnapshot(path);
		verifySnapshot(snapshot);
		return snapshot;
	});
}

export function entriesOf(snapshot: Snapshot): RegistryEntry[] {
	return Array.from({ length: snapshot.entryCount }, (_, row) => entryAt(snapshot, row));
}

/** The result of parsing a source, with its entries. */
export function parseEntries(bytes: Uint8Array) {
	const names = createNames();
	const parsed = parseSource(bytes, { takeNames: names.take });
	return { ...parsed, entries: entriesOf(snapshotOfColumns(parsed.columns, names)) };
}

/** The text in a zip. */
export async function unzip(bytes: Uint8Array): Promise<Uint8Array> {
	return Buffer.concat(await Array.fromAsync(unzipText(bytes).pieces, (piece) => Uint8Array.from(piece)));
}

function inFolder<T>(use: (folder: string) => T): T {
	const folder = mkdtempSync(join(tmpdir(), "sello-snapshot-"));
	try {
		return use(folder);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** A folder that is removed after the file's tests. */
export function temporaryFolder() {
	const path = mkdtempSync(join(tmpdir(), "sello-registry-"));
	return {
		write: (name: string, bytes: Uint8Array): string => {
			writeFileSync(join(path, name), bytes);
			return join(path, name);
		},
		path,
		remove: () => rmSync(path, { recursive: true, force: true }),
	};
}

export function settableClock(at = new Date("2026-11-20T04:00:00.000Z")) {
	return {
		now: () => at,
		set: (next: Date) => {
			at = next;
		},
		advanceSeconds: (seconds: number) => {
			at = new Date(at.getTime() + seconds * 1000);
		},
	};
}

/** One folder for each database, like one host. */
const directories = new Map<string, string>();

export function directoryOf(sql: Sql): string {
	const database = String(sql.options.database);
	const known = directories.get(database);
	if (known !== undefined) return known;
	const made = mkdtempSync(join(tmpdir(), "sello-registry-host-"));
	directories.set(database, made);
	atEnd(async () => rmSync(made, { recursive: true, force: true }));
	return made;
}

/** All current files in a folder and its subfolders. A file may disappear between being listed and being read. */
export function filesIn(directory: string): { readonly path: string; readonly bytes: Buffer }[] {
	const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
	return files.flatMap((one) => {
		const path = join(one.parentPath, one.name);
		try {
			return [{ path, bytes: readFileSync(path) }];
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
			throw error;
		}
	});
}

export const envelope = createEnvelope(Buffer.alloc(32, 7));
export const BASE_URL = "https://api.example";

export async function openOn(sql: Sql, source: string, deps: Partial<RegistryDeps> = {}): Promise<Registry> {
	const clock = deps.clock ?? systemClock;
	return openRegistry({
		directory: directoryOf(sql),
		sql,
		source,
		schedule: "0 4 * * *",
		pepper: PEPPER,
		clock,
		log: silentLog,
		keys: deps.keys ?? (await openRegistryKeys({ sql, envelope, clock, log: silentLog })),
		receiptKeys: () => [],
		ownsCompany: async (_, rnc) => rnc === "990000001",
		languageOf: async () => "es",
		baseUrl: BASE_URL,
		findKeyCaller: async () => undefined,
		findKeyLineage,
		...deps,
	});
}

/** A separate pool, like another process. */
export function connectAgain(url: string, name: string): Sql {
	return connect({ url, name, connectionsMax: 4 });
}

const tables = new WeakMap<Registry, OperationTable>();

/** Sends a request through the operation table, as the service does after the guard. */
export async function send(
	registry: Registry,
	method: string,
	path: string,
	options: { headers?: Record<string, string>; body?: unknown; principal?: Principal } = {},
): Promise<Response> {
	const url = new URL(path, "http://localhost");
	const table = tables.get(registry) ?? new OperationTable(registry.operations);
	tables.set(registry, table);
	const match = table.find(method, url.pathname);
	if (match.found !== "operation") throw new Error(`no operation for ${method} ${path}`);
	const body = options.body === undefined ? null : JSON.stringify(options.body);
	const headers = { ...(body === null ? {} : { "content-type": "application/json" }), ...options.headers };
	const call: Call = {
		request: new Request(url.href, { method, headers, body }),
		url,
		requestId: "0192f170-0000-7000-8000-000000000000",
		remoteAddress: "127.0.0.1",
		params: match.params,
		operation: match.operation,
		...(options.principal ? { principal: options.principal } : {}),
	};
	return match.operation.handle(call);
}

/** The JSON body of an answer, typed for the test. */
export async function bodyOf<T>(answer: Response | Promise<Response>): Promise<T> {
	return (await (await answer).json()) as T;
}
