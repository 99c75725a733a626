/** A view over plain entries, searched by scanning all of them: the oracle for the registry's indexes. */
import { type Call, type Operation, OperationTable, type Plan } from "../../src/platform/operation";
import { Problem } from "../../src/platform/problem";
import type { RegistryEntry } from "../../src/registry";
import { toSearchItem } from "../../src/registry/entry";
import type { SearchHits, SearchQuery } from "../../src/registry/index/search";
import { type RegistryView, toPageHits } from "../../src/registry/runs/current";
import type { RunRow } from "../../src/registry/runs/store";
import { canonicalWords } from "../../src/registry/words";
import { searchPlainly } from "../support/search-plainly";

const RUN: RunRow = {
	runId: "0192ef00-0000-7000-8000-000000000001",
	attemptedAt: new Date("2026-11-20T04:00:00.000Z"),
	result: "ok",
	reason: null,
	source: "test",
	sourceEtag: null,
	sourceSha256: null,
	recordCount: 0,
	added: null,
	changed: null,
	removed: null,
	refused: 0,
	suppressed: 0,
	...{ healed: 0, guessed: 0, columnsIgnored: [], fieldsKept: [], fieldsFromRun: null },
	durationMs: 1,
	finishedAt: new Date("2026-11-20T04:00:01.000Z"),
	confirmedAt: new Date("2026-11-20T04:00:01.000Z"),
};

export function runRow(members: Partial<RunRow> = {}): RunRow {
	return { ...RUN, ...members };
}

export function viewOf(
	entries: readonly RegistryEntry[],
	run: RunRow = RUN,
	isErased: (digits: string) => boolean = () => false,
): RegistryView {
	const byNumber = new Map(entries.map((entry) => [entry.rnc, entry]));
	return {
		run,
		dataId: run.runId,
		lookup: ({ digits }) => byNumber.get(digits),
		search: (query) => searchAll(entries, query),
		searchItems: (query) => {
			const { entries: found, more } = searchAll(entries, query);
			return toPageHits(found.map(toSearchItem), more);
		},
		isErased,
		isWord: (word) => countWords(entries).has(word),
		words: () => countWords(entries),
		countErased: (word) => countWords(entries.filter(({ rnc }) => isErased(rnc))).get(word) ?? 0,
	};
}

function searchAll(entries: readonly RegistryEntry[], query: SearchQuery): SearchHits {
	const hits = searchPlainly(entries, query);
	return { entries: hits.slice(0, query.limit), more: hits.length > query.limit };
}

function countWords(entries: readonly RegistryEntry[]): Map<string, number> {
	const rows = new Map<string, number>();
	for (const entry of entries) {
		for (const field of ["name", "trade_name", "economic_activity"] as const) {
			const { words, extras } = canonicalWords(entry[field]);
			const held = field === "economic_activity" ? words : [...words, ...extras];
			for (const word of new Set(held)) rows.set(word, (rows.get(word) ?? 0) + 1);
		}
	}
	return rows;
}

/** Sends a request with a key of the plan, as after the guard. */
export async function ask(
	operations: readonly Operation[],
	method: string,
	path: string,
	options: {
		readonly plan?: Plan;
		readonly body?: unknown;
		readonly raw?: string;
		/** The media type of `raw`. */
		readonly type?: string;
		readonly owner?: string;
		/** The bearer's company. */
		readonly company?: string;
		readonly address?: string;
		readonly signal?: AbortSignal;
	} = {},
): Promise<Response> {
	const url = new URL(path, "http://localhost");
	const match = new OperationTable(operations).find(method, url.pathname);
	if (match.found !== "operation") throw new Error(`no operation for ${method} ${path}`);
	const body = options.raw ?? (options.body === undefined ? null : JSON.stringify(options.body));
	const headers: Record<string, string> = body === null ? {} : { "content-type": options.type ?? "application/json" };
	const call: Call = {
		request: new Request(url.href, { method, headers, body, ...(options.signal ? { signal: options.signal } : {}) }),
		url,
		requestId: "0192f170-0000-7000-8000-000000000000",
		remoteAddress: options.address ?? "127.0.0.1",
		params: match.params,
		principal: {
			environment: "sandbox",
			plan: options.plan ?? "unlimited",
			ownerId: options.owner ?? null,
			...(options.company === undefined ? {} : { tenantId: options.company }),
			keyId: "0192f170-0000-7000-8000-000000000001",
			scopes: new Set(["registry:read"]),
		},
		operation: match.operation,
	};
	return match.operation.handle(call);
}

export async function problemOf(answer: Promise<Response>): Promise<Problem> {
	const problem = await answer.then(
		() => undefined,
		(error: unknown) => error,
	);
	if (!(problem instanceof Problem)) throw new Error(`expected a Problem, got ${problem}`);
	return problem;
}
