/** The files for download: their list and each file. */

import { type Static, Type } from "@sinclair/typebox";
import { DOWNLOAD_LEVELS, PLAN_LIMITS } from "../../identity/rate-limits";
import type { Sql } from "../../platform/database";
import {
	answerStoredFile,
	type Call,
	headerParameter,
	json,
	NEEDS_KEY,
	type Operation,
	PRIVATE_NO_CACHE,
	PRIVATE_NO_STORE,
} from "../../platform/operation";
import { Problem } from "../../platform/problem";
import type { Clock } from "../../platform/values";
import type { RegistryKeys } from "../attestation";
import { DOWNLOAD_KINDS, type DownloadFile, type Downloads, findGrant, type OpenSet } from "../downloads";
import { Timestamp } from "../entry";
import { withoutCachingProblems } from "./answers";

type DownloadRoutesDeps = {
	readonly sql: Sql;
	readonly downloads: Downloads;
	readonly clock: Clock;
	readonly keys: Pick<RegistryKeys, "sign">;
	/** Issuer of the manifests. */
	readonly baseUrl: string;
};

const PATH = "/v1/authority/registry/downloads";
const MANIFEST_TYP = "registry-downloads+jwt";
const FILE_NAME = "^[a-z0-9][a-z0-9.-]{0,119}$";

const DownloadItem = Type.Object({
	name: Type.String({ description: "Name in the address of the file." }),
	kind: Type.Union(
		DOWNLOAD_KINDS.map((kind) => Type.Literal(kind)),
		{
			description:
				"`taxpayers`: all entries, as CSV and as Parquet. `delta`: what a run changed, and what changed in the last 7 and 31 days. `numbers`: the exact set of numbers with their status, for tills. `numbers-delta`: what differs there between an earlier run and this one.",
		},
	),
	bytes: Type.Integer({ description: "Size." }),
	sha256: Type.String({ description: "SHA-256 of the file, in hex." }),
	from_run_id: Type.Optional(Type.String({ description: "The run that a delta starts at." })),
	from_at: Type.Optional(
		Timestamp("When that run was taken into use. A delta also fits copies of the runs that followed it."),
	),
	to_run_id: Type.Optional(Type.String({ description: "The run that a delta leads to." })),
	persons: Type.Boolean({ description: "Whether the file has 11-digit numbers, which belong to natural persons." }),
});

const RegistryDownloads = Type.Object(
	{
		run_id: Type.Union([Type.String(), Type.Null()], {
			description: "The run that the files have. Null if your plan has no files.",
		}),
		valid_until: Type.Union([Timestamp("Until then the files may be used as current."), Type.Null()], {
			description: "Until then the files may be used as current.",
		}),
		files: Type.Array(DownloadItem, { description: "The files that your plan and your grant include." }),
		count: Type.Integer({ description: "Files in this answer." }),
		manifest: Type.Union([Type.String(), Type.Null()], {
			description:
				"`run_id`, `valid_until` and `files` of this answer as a compact JWS (EdDSA, `typ` `registry-downloads+jwt`). Its key is in `/.well-known/registry-keys.json`. Null without files.",
		}),
	},
	{ $id: "RegistryDownloads" },
);
type RegistryDownloads = Static<typeof RegistryDownloads>;

export function downloadOperations(deps: DownloadRoutesDeps): Operation[] {
	return [listDownloads(deps), getDownload(deps)];
}

function listDownloads(deps: DownloadRoutesDeps): Operation {
	return {
		id: "listRegistryDownloads",
		sdk: "registry.listDownloads",
		method: "GET",
		path: PATH,
		tag: "Registry",
		summary: "List the files for download",
		description:
			"Lists the registry's files for download, with sizes and digests. Your plan decides which kinds you see. Files ending in `-companies` have no 11-digit numbers, which belong to natural persons. Files with those need a grant of the operator. An erased entry is in no file. Names of deltas change with each run, so read the list first. The signed `manifest` proves sizes and digests of files that you keep or pass on. The first request after a run may take some seconds.",
		credentials: NEEDS_KEY,
		scope: "registry:read",
		answers: {
			200: {
				description: "The files; none if your plan has no downloads.",
				schema: RegistryDownloads,
				example: EXAMPLE,
				headers: { "Cache-Control": "`private, no-store`" },
			},
		},
		problems: ["registry-unavailable"],
		handle: withoutCachingProblems(async (call) => {
			const sets = await openSets(deps, call);
			const files = sets.flatMap((set) =>
				set.files.filter(({ kind }) => isInPlan(call, kind)).map((file) => toItem(set, file)),
			);
			const [set] = sets;
			const listed = { run_id: set?.runId ?? null, valid_until: set?.validUntil ?? null, files };
			const manifest = files.length > 0 ? await signManifest(deps, listed) : null;
			const body: RegistryDownloads = { ...listed, count: files.length, manifest };
			return json(200, body, PRIVATE_NO_STORE);
		}),
	};
}

/** A copy of a file may lie on disks and in caches for long, so the list is signed rather than the answer. */
function signManifest({ keys, clock, baseUrl }: DownloadRoutesDeps, listed: object): Promise<string> {
	return keys.sign(MANIFEST_TYP, { iss: baseUrl, iat: Math.floor(clock.now().getTime() / 1_000), ...listed });
}

function getDownload(deps: DownloadRoutesDeps): Operation {
	const binary = Type.String({ format: "binary" });
	const headers = {
		"Accept-Ranges": "`bytes`",
		"Cache-Control": "`private, no-cache`: revalidate with the ETag.",
		ETag: "The file's SHA-256; strong.",
		"Repr-Digest": "The whole file's SHA-256 as in RFC 9530.",
	};
	const forms = { schema: binary, mediaType: "application/zstd", alsoMediaTypes: ["application/octet-stream"] };
	return {
		id: "getRegistryDownload",
		sdk: "registry.download",
		method: "GET",
		path: `${PATH}/{name}`,
		tag: "Registry",
		summary: "Download a file of the registry",
		description:
			"Answers with a file of the list. `Range` (one part) with `If-Range` continues an interrupted download. A name that the list does not have for you is not found: files of earlier runs are removed, and so are those that held an erased entry.",
		credentials: NEEDS_KEY,
		scope: "registry:read",
		parameters: [
			{
				...{ name: "name", in: "path", required: true, description: "`name` of the list." },
				...{ schema: Type.String({ pattern: FILE_NAME }), example: "numbers-companies" },
			},
			headerParameter("Range", "One part of the file, such as `bytes=1000-`."),
			headerParameter(
				"If-Range",
				"ETag of the file that `Range` continues. If it has changed, the answer is the whole file.",
			),
			headerParameter("If-None-Match", "ETags of your copies. If one is current, the answer is 304."),
		],
		answers: {
			200: { description: "The file.", ...forms, headers },
			206: {
				description: "The requested part.",
				...forms,
				headers: { ...headers, "Content-Range": "The part's position." },
			},
			304: { description: "Your copy is this file; no body." },
		},
		problems: ["not-found", "range-not-satisfiable", "registry-unavailable"],
		handle: withoutCachingProblems(async (call) => {
			const name = call.params.name ?? "";
			// Making the files takes seconds: not for a name that none can have.
			if (!downloadName.test(name)) throw new Problem("not-found");
			for (const set of await openSets(deps, call)) {
				const file = set.files.find((one) => one.name === name && isInPlan(call, one.kind));
				if (!file) continue;
				return answerStoredFile(call, {
					path: `${set.folder}/${file.name}`,
					bytes: file.bytes,
					sha256: file.sha256,
					headers: {
						...PRIVATE_NO_CACHE,
						"content-type": name.endsWith(".zst") ? "application/zstd" : "application/octet-stream",
						"content-disposition": `attachment; filename="${name}"`,
						"x-registry-run-id": set.runId,
					},
				});
			}
			throw new Problem("not-found");
		}),
	};
}

const downloadName = /^(taxpayers|numbers|delta)[-.\w]*$/;

/** The sets whose files the caller may see; none if its plan has no downloads. Throws: registry-unavailable. */
async function openSets({ sql, downloads }: DownloadRoutesDeps, { principal }: Call): Promise<OpenSet[]> {
	if (!principal || PLAN_LIMITS[principal.plan].registry.downloads === "none") return [];
	const sets = [await downloads.open(false)];
	const hasGrant = principal.ownerId !== null && (await findGrant(sql, principal.ownerId)) !== undefined;
	if (hasGrant) sets.push(await downloads.open(true));
	return sets;
}

const NEEDED_LEVEL = { numbers: "numbers", "numbers-delta": "numbers", delta: "deltas", taxpayers: "all" } as const;

function isInPlan({ principal }: Call, kind: DownloadFile["kind"]): boolean {
	const level = principal ? PLAN_LIMITS[principal.plan].registry.downloads : "none";
	return DOWNLOAD_LEVELS.indexOf(level) >= DOWNLOAD_LEVELS.indexOf(NEEDED_LEVEL[kind]);
}

function toItem({ persons }: Pick<OpenSet, "persons">, { name, kind, bytes, sha256, between }: DownloadFile) {
	const runs = between && { from_run_id: between.fromRunId, from_at: between.fromAt, to_run_id: between.toRunId };
	return { name, kind, bytes, sha256, ...runs, persons };
}

const EXAMPLE: RegistryDownloads = {
	run_id: "0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f",
	valid_until: "2026-11-28T00:00:00.000Z",
	files: [
		{
			...{ name: "numbers-companies", kind: "numbers", bytes: 541_210, persons: false },
			sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		},
	],
	count: 1,
	manifest:
		"eyJhbGciOiJFZERTQSIsImtpZCI6InJlZ2lzdHJ5LTIwMjYtMTEtNWIxZjBjOWQiLCJ0eXAiOiJyZWdpc3RyeS1kb3dubG9hZHMrand0In0.eyJpc3Mi….Q3x…",
};
