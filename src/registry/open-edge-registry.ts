/** The registry of a node without a database ("edge"): it reads the store, answers from memory and refuses everything else. */
import { absentPart, type Operation, refuseWithoutDatabase } from "../platform/operation";
import { deriveKey, type Envelope } from "../platform/secrets";
import type { Log } from "../platform/telemetry";
import type { Clock } from "../platform/values";
import { type AnswersFromMemory, answerFromMemory } from "./answer-from-memory";
import { createAttestations } from "./attestation";
import { type EdgeFollower, followStore } from "./edge";
import { openHarvestLimit } from "./harvest";
import type { Registry } from "./open-registry";
import { registryOperations, toRegistryStatus } from "./routes";
import { createCurrent, openSnapshotDirectory } from "./runs";
import { watchlistOperations } from "./watchlists";

export type EdgeRegistry = AnswersFromMemory &
	Pick<Registry, "operations" | "digestLinks" | "readConsultation" | "status" | "close"> &
	Pick<EdgeFollower, "currentUntil">;

/** The operations that need the data in use alone. */
const FROM_MEMORY: ReadonlySet<string> = new Set([
	"getDocument",
	"batchDocuments",
	"searchDocuments",
	"suggestDocuments",
	"matchDocuments",
	"getDocumentHistory",
	"getRegistryStatus",
]);

/** Waits for the store's keys; a run that the store lacks follows later. Throws: as `followStore`. */
export async function openEdgeRegistry(deps: {
	/** A folder or `s3://bucket/prefix`. */
	readonly store: string;
	/** Opens the pepper. */
	readonly envelope: Envelope;
	/** Where this host's snapshots are; its processes share them. */
	readonly directory: string;
	/** Called with JSON of the keys in force, first before this resolves. */
	readonly onKeys: (text: string) => void;
	readonly baseUrl: string;
	readonly clock: Clock;
	readonly log: Log;
	/** Aborts the wait. */
	readonly signal: AbortSignal;
}): Promise<EdgeRegistry> {
	const { clock, log, baseUrl } = deps;
	const closing = new AbortController();
	const current = createCurrent(({ path }) => {
		log.error({ event: "snapshot.cut_off", path }, "registry snapshot was cut off while in use");
	});
	const follower = await followStore({
		...{ store: deps.store, envelope: deps.envelope, onKeys: deps.onKeys, current, clock, log },
		directory: openSnapshotDirectory(deps.directory),
		signal: AbortSignal.any([deps.signal, closing.signal]),
	});
	const { tombstones, pepper } = follower;
	const status = () => {
		const { lastAttempt, nextScheduled } = follower.state();
		return toRegistryStatus({ run: current.get()?.run, lastAttempt, nextScheduled, now: clock.now() });
	};
	const { answers, parts } = answerFromMemory({ current, tombstones, clock });
	const { vocabularyFor, slices, suggest, findView } = parts;
	const numberKey = deriveKey(pepper, "registry-consultation");
	const attestations = createAttestations({ keys: absentPart(), numberKey, baseUrl, clock });
	const cursorKey = deriveKey(pepper, "registry-cursor");
	const harvest = openHarvestLimit({ sql: undefined, clock, log });
	const operations: Operation[] = [
		...registryOperations({
			...{ clock, log, current, tombstones, status, baseUrl, attestations, cursorKey, harvest },
			...{ vocabularyFor, slices, suggest },
			...{ sql: absentPart(), keys: absentPart(), erasure: absentPart(), links: absentPart() },
			...{ downloads: absentPart(), checks: absentPart(), viewUrl: undefined },
			rollback: absentPart(),
			receiptKeys: () => [],
			ownsCompany: async () => false,
			areFilesCleared: () => false,
		}),
		...watchlistOperations({
			...{ sql: absentPart(), clock, cursorKey, isErased: tombstones.isErased, takeView: findView },
			...{ languageOf: async () => "es" as const, wake: absentPart() },
		}),
	];
	return {
		...answers,
		readConsultation: attestations.readNumber,
		digestLinks: absentPart(),
		status,
		currentUntil: follower.currentUntil,
		operations: operations.map((one) => (FROM_MEMORY.has(one.id) ? one : refuseWithoutDatabase(one))),
		close: async () => {
			closing.abort();
			await harvest.close();
			await follower.stop();
			current.close();
		},
	};
}
