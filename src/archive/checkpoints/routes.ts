/**
 * The public operations on checkpoints. A checkpoint shows how many documents there are and the root of their digests, not whose they are.
 */

import { type Static, Type } from "@sinclair/typebox";
import { retryOnFailure, type Sql } from "../../platform/database";
import {
	type Call,
	cutPage,
	headerParameter,
	json,
	limitParameter,
	matchesEtag,
	NO_SNIFFING,
	type Operation,
	type Parameter,
	PUBLIC,
	queryParameter,
	readPageQuery,
	readQuery,
} from "../../platform/operation";
import { type Fault, msg, Problem } from "../../platform/problem";
import { toHex } from "../../platform/values";
import { hashNothing, LOG_COUNT, readConsistencyProof } from "../merkle";
import { rootOver, type SignedLog } from "./log-list";
import { hashNote } from "./make-checkpoint";
import { toVerifierKey } from "./signed-note";
import {
	type CheckpointRow,
	findCheckpointOf,
	findCheckpoints,
	findKeys,
	findNewestCheckpoint,
	type KeyRow,
} from "./store";

type Reading = { readonly sql: Sql };

const TAG = "Archive";
/** Lists may grow, so they are cached for a minute. Proofs never change. */
const FRESH = { "cache-control": "public, max-age=60" } as const;
const FOR_EVER = { "cache-control": "public, max-age=31536000, immutable" } as const;
const NOTE_TYPE = "text/plain";

const Checkpoint = Type.Object(
	{
		number: Type.Integer({ description: "From 1, without gaps." }),
		size: Type.Integer({ description: "Leaves of all logs: archived decisions." }),
		root: Type.String({ description: "Over the sizes and roots of the logs. Hex." }),
		previous: Type.String({ description: "SHA-256 of the previous note, hex. Zeros in the first." }),
		sha256: Type.String({ description: "SHA-256 of this note, hex: `previous` of the next one." }),
		madeAt: Type.String(),
		keyName: Type.String(),
		note: Type.String({ description: "The whole signed note. Source: c2sp.org/tlog-checkpoint." }),
	},
	{ $id: "ArchiveCheckpoint" },
);
type Checkpoint = Static<typeof Checkpoint>;

const Key = Type.Object(
	{
		name: Type.String(),
		key: Type.String({ description: "Verifier key. Source: c2sp.org/signed-note." }),
		since: Type.String(),
	},
	{ $id: "ArchiveKey" },
);

const ORIGIN = "sello/archive/sandbox/5f0c2b7d9e4a41c38b6d0f1e2a3b4c5d";
const EXAMPLE: Checkpoint = {
	number: 2,
	size: 48_212,
	root: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
	previous: "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9",
	sha256: "9c1e5f2a7b8d4c3e6f0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60",
	madeAt: "2026-11-21T00:10:00.000Z",
	keyName: `${ORIGIN}/9b1d2e3f`,
	note: `${ORIGIN}\n48212\nbjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=\nlogs 64\nprevious 0a1b…\nat 2026-11-21T00:10:00.000Z\n\n— ${ORIGIN}/9b1d2e3f m4pT…\n`,
};
const SAMPLE = EXAMPLE.sha256;
const EXAMPLE_KEY = {
	name: EXAMPLE.keyName,
	key: `${EXAMPLE.keyName}+1a2b3c4d+AeBs…`,
	since: "2026-11-20T14:20:00.000Z",
};

const sizeParameter = (name: "from" | "to", description: string): Parameter => ({
	...{ name, in: "query", required: true, description, example: name === "from" ? "48000" : "48212" },
	schema: Type.String({ pattern: "^(0|[1-9]\\d{0,14})$", faultDetail: msg`Send a whole number.` }),
});

export function checkpointOperations(deps: Reading): Operation[] {
	return [
		{
			id: "listArchiveCheckpoints",
			sdk: "archive.listCheckpoints",
			method: "GET",
			path: "/v1/archive/checkpoints",
			tag: TAG,
			summary: "List the archive's signed checkpoints",
			description:
				"Every archived decision is a leaf of one of 64 Merkle trees, the archive's logs. A checkpoint is the signed number of all leaves and the root " +
				"over all logs; there is at least one a day. Keep one to check later that the archive has only grown since. Oldest first. Public.",
			credentials: PUBLIC,
			parameters: [
				queryParameter(
					"after",
					"`next` of the previous page, or a checkpoint's number.",
					Type.String({ pattern: "^(0|[1-9]\\d{0,14})$", faultDetail: msg`Send the \`next\` of a page, or a number.` }),
				),
				limitParameter,
			],
			answers: {
				200: {
					description: "A page of checkpoints, and the keys to verify them.",
					schema: Type.Object({
						items: Type.Array(Checkpoint),
						count: Type.Integer(),
						partial: Type.Boolean(),
						next: Type.Union([Type.String(), Type.Null()]),
						keys: Type.Array(Key, { description: "All keys that ever signed, newest first." }),
					}),
					example: { items: [EXAMPLE], count: 1, partial: false, next: null, keys: [EXAMPLE_KEY] },
				},
			},
			problems: ["validation-error"],
			handle: (call) => listCheckpoints(deps, call),
		},
		{
			id: "getLatestArchiveCheckpoint",
			sdk: "archive.getLatestCheckpoint",
			method: "GET",
			path: "/v1/archive/checkpoints/latest",
			tag: TAG,
			summary: "Read the newest checkpoint",
			description: "With `Accept: text/plain`, returns the signed note as it is. 404 before the first checkpoint.",
			credentials: PUBLIC,
			parameters: [
				headerParameter("If-None-Match", "ETag of your copy. 304 without a body if it is still the newest."),
			],
			answers: {
				200: {
					description: "The checkpoint.",
					schema: Type.Composite([Checkpoint, Type.Object({ key: Key })], { $id: "LatestArchiveCheckpoint" }),
					example: { ...EXAMPLE, key: EXAMPLE_KEY },
					alsoMediaTypes: [NOTE_TYPE],
					headers: { ETag: "Of the note in this form." },
				},
				304: { description: "Your copy is still the newest." },
			},
			problems: ["validation-error", "not-found"],
			handle: (call) => getLatest(deps, call),
		},
		{
			id: "getArchiveConsistencyProof",
			sdk: "archive.getConsistencyProof",
			method: "GET",
			path: "/v1/archive/proofs/consistency",
			tag: TAG,
			summary: "Get a proof that the archive has only grown",
			description:
				"Proves that every log of the archive at the checkpoint of `to` leaves begins with all leaves that it had at the checkpoint of `from`, " +
				"unchanged. The leaf of a log is its number, its size (8 bytes each, the largest first) and its root; the roots over these 64 leaves are " +
				"those of the checkpoints. Public.",
			credentials: PUBLIC,
			parameters: [
				sizeParameter("from", "Size of the older checkpoint, or 0."),
				sizeParameter("to", "Size of the newer checkpoint."),
			],
			answers: {
				200: {
					description: "The proof.",
					schema: Type.Object({
						from: Type.Integer(),
						to: Type.Integer(),
						fromRoot: Type.String({ description: "Hex." }),
						toRoot: Type.String({ description: "Hex." }),
						logs: Type.Array(
							Type.Object({
								log: Type.Integer({ description: "0 to 63." }),
								from: Type.Integer(),
								to: Type.Integer(),
								fromRoot: Type.String({ description: "Hex." }),
								toRoot: Type.String({ description: "Hex." }),
								hashes: Type.Array(Type.String(), { description: "Hex. Source: RFC 6962, 2.1.2." }),
							}),
							{ description: "All logs, in order." },
						),
					}),
					example: {
						from: 48_000,
						to: 48_212,
						fromRoot: EXAMPLE.previous,
						toRoot: EXAMPLE.root,
						logs: [{ log: 0, from: 752, to: 764, fromRoot: SAMPLE, toRoot: SAMPLE, hashes: [SAMPLE] }],
					},
				},
			},
			problems: ["validation-error"],
			handle: (call) => getConsistencyProof(deps, call),
		},
	];
}

async function listCheckpoints({ sql }: Reading, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const [rows, keys] = await retryOnFailure(() =>
		Promise.all([findCheckpoints(sql, Number(query.after ?? 0), limit + 1), findKeys(sql)]),
	);
	const { page, place } = cutPage(rows, limit, ({ number }) => String(number));
	return json(200, { items: page.map(toCheckpoint), ...place, keys: keys.map(toKey) }, FRESH);
}

async function getLatest({ sql }: Reading, call: Call): Promise<Response> {
	readQuery(call);
	const [newest, keys] = await retryOnFailure(() => Promise.all([findNewestCheckpoint(sql), findKeys(sql)]));
	const key = keys.find(({ name }) => name === newest?.keyName);
	if (!newest || !key) throw new Problem("not-found", { detail: msg`The archive has not signed a checkpoint yet.` });
	const isText = prefersText(call.request.headers.get("accept"));
	const etag = `"${hashNote(newest.note).slice(0, 32)}${isText ? "-note" : ""}"`;
	const headers = { ...FRESH, etag, vary: "accept" };
	if (matchesEtag(call.request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
	if (!isText) return json(200, { ...toCheckpoint(newest), key: toKey(key) }, headers);
	const type = { "content-type": `${NOTE_TYPE}; charset=utf-8`, ...NO_SNIFFING };
	return new Response(newest.note, { headers: { ...headers, ...type } });
}

async function getConsistencyProof({ sql }: Reading, call: Call): Promise<Response> {
	const { from: fromText, to: toText } = readQuery(call);
	const [from, to] = [Number(fromText), Number(toText)];
	const newest = await retryOnFailure(() => findNewestCheckpoint(sql));
	const faults: Fault[] = [];
	const sizeMax = newest?.size ?? 0;
	if (from > to)
		faults.push({ pointer: "#/query/from", code: "out-of-range", detail: msg`The value is larger than \`to\`.` });
	if (to > sizeMax)
		faults.push({
			pointer: "#/query/to",
			code: "out-of-range",
			detail: msg`The newest checkpoint has ${sizeMax} leaves.`,
		});
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	const [older, newer] = await retryOnFailure(() => Promise.all([findLogs(sql, from), findLogs(sql, to)]));
	for (const [name, logs] of [["from", older] as const, ["to", newer] as const])
		if (!logs)
			faults.push({ pointer: `#/query/${name}`, code: "out-of-range", detail: msg`No checkpoint has this size.` });
	if (!older || !newer) throw new Problem("validation-error", { faults });
	const logs = await retryOnFailure(() =>
		Promise.all(
			newer.map(async ({ size, root: toRoot }, log) => {
				const { size: before, root: fromRoot } = older[log] ?? NO_LEAVES;
				const hashes = before === size ? [] : await readConsistencyProof(sql, log, before, size);
				return { log, from: before, to: size, fromRoot, toRoot, hashes: hashes.map(toHex) };
			}),
		),
	);
	return json(200, { from, to, fromRoot: rootOver(older), toRoot: rootOver(newer), logs }, FOR_EVER);
}

const NO_LEAVES: SignedLog = { size: 0, root: toHex(hashNothing()) };

/** The logs when they had so many leaves; undefined if no checkpoint has as many. */
async function findLogs(sql: Sql, size: number): Promise<readonly SignedLog[] | undefined> {
	if (size === 0) return Array.from({ length: LOG_COUNT }, () => NO_LEAVES);
	return (await findCheckpointOf(sql, size))?.logs;
}

/** JSON unless the request accepts text and not JSON. */
function prefersText(accept: string | null): boolean {
	const ranges = accept ?? "";
	return ranges.includes(NOTE_TYPE) && !/application\/(\*|json)/.test(ranges);
}

function toCheckpoint({ number, size, root, previous, madeAt, keyName, note }: CheckpointRow): Checkpoint {
	return { number, size, root, previous, sha256: hashNote(note), madeAt: madeAt.toISOString(), keyName, note };
}

function toKey(row: KeyRow): Static<typeof Key> {
	return { name: row.name, key: toVerifierKey(row), since: row.madeAt.toISOString() };
}
