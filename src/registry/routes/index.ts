/** The HTTP operations of the registry. */
import type { JWK } from "jose";
import type { Actor } from "../../identity/audit-log";
import type { Sql } from "../../platform/database";
import type { Operation } from "../../platform/operation";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import type { Attestations, RegistryKeys } from "../attestation";
import { type CheckRunner, checkOperations } from "../checks";
import type { Downloads } from "../downloads";
import type { ErasureDeps, Tombstones } from "../erasure";
import type { HarvestLimit } from "../harvest";
import type { Slices } from "../match";
import { type Links, linkOperations, reconcileOperations } from "../reconcile";
import { type Current, type RegistryView, viewOf } from "../runs";
import type { Vocabulary } from "../search";
import type { Suggest } from "../suggest";
import { attestationOperations, type OwnsCompany } from "./attestations";
import { listChanges } from "./changes";
import { batchDocuments, getDocument } from "./documents";
import { downloadOperations } from "./downloads";
import { getDocumentHistory } from "./history";
import { matchDocuments } from "./match";
import { operatorRunOperations } from "./operator-runs";
import { purgeOperations } from "./purges";
import { getRegistryStatus, listRuns, type RegistryStatus } from "./runs";
import { searchDocuments } from "./search";
import { suggestDocuments } from "./suggest";

export type { OwnsCompany } from "./attestations";
export { type RegistryStatus, toRegistryStatus } from "./runs";

export type RoutesDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly log: Log;
	readonly current: Current;
	readonly tombstones: Tombstones;
	readonly erasure: ErasureDeps;
	readonly downloads: Downloads;
	readonly vocabularyFor: (view: RegistryView) => Promise<Vocabulary>;
	/** Shared by all that compares names. */
	readonly slices: Slices;
	readonly suggest: Suggest;
	/** Whether this host's files hold no erased entry. */
	readonly areFilesCleared: () => boolean;
	readonly status: () => RegistryStatus;
	/** Seals the cursors of searches and of the change feed; the same in every process and after every restart. */
	readonly cursorKey: Uint8Array;
	readonly attestations: Attestations;
	readonly keys: Pick<RegistryKeys, "publicKeys" | "sign">;
	/** Issuer of what is signed. */
	readonly baseUrl: string;
	readonly receiptKeys: () => readonly JWK[];
	readonly ownsCompany: OwnsCompany;
	readonly checks: CheckRunner;
	readonly harvest: HarvestLimit;
	readonly links: Links;
	/** Template of a taxpayer's public page, with `{{id}}`; undefined where there is none. */
	readonly viewUrl: string | undefined;
	/** Serves an earlier run again. Throws: RollbackError. */
	readonly rollback: (runId: string, actor: Actor) => Promise<void>;
};

export function registryOperations(deps: RoutesDeps): Operation[] {
	const takeView = (): RegistryView | undefined => {
		const loaded = deps.current.get();
		return loaded && viewOf(loaded, deps.tombstones);
	};
	const read = { ...deps, takeView };
	return [
		getDocument(deps),
		searchDocuments(read),
		suggestDocuments(read),
		batchDocuments(read),
		getDocumentHistory(deps),
		matchDocuments(read),
		getRegistryStatus(deps),
		listRuns(read),
		...operatorRunOperations(deps),
		listChanges(read),
		...downloadOperations(deps),
		...purgeOperations(deps),
		...attestationOperations(read),
		...checkOperations(deps, deps.checks),
		...linkOperations(deps),
		...reconcileOperations(read),
	];
}
