/** All that the simulator remembers, in one file. */
import { type ApprovalStore, createApprovalStore } from "./approvals";
import { type CertificateStore, createCertificateStore } from "./certificates";
import { createDirectoryStore, type DirectoryStore } from "./directory";
import { createExchangeStore, type ExchangeStore } from "./exchanges";
import { createGroupCommit, type GroupCommit } from "./group-commit";
import { createIssuerStore, type IssuerStore } from "./issuers";
import { openDatabase } from "./open";
import { createReceptionStore, type ReceptionStore } from "./receptions";
import { createSeedStore, type SeedStore } from "./seeds";
import { createSettingStore, type SettingStore } from "./settings";
import { createVoidStore, type VoidStore } from "./voids";

export type { Receiver } from "./directory";
export type { TaxpayerStanding } from "./issuers";
export type { DocumentNumber, Reception } from "./receptions";

export type Store = {
	readonly seeds: SeedStore;
	readonly certificates: CertificateStore;
	readonly receptions: ReceptionStore;
	readonly voids: VoidStore;
	readonly approvals: ApprovalStore;
	readonly directory: DirectoryStore;
	readonly exchanges: ExchangeStore;
	readonly issuers: IssuerStore;
	readonly settings: SettingStore;
	/** Runs reads and writes as one step that no other request can come between. */
	readonly atomically: <T>(work: () => T) => T;
	/** The same, for work that shares its commit with what comes at the same time. */
	readonly committed: GroupCommit;
	readonly close: () => void;
};

export function openStore(path: string): Store {
	const database = openDatabase(path);
	return {
		seeds: createSeedStore(database),
		certificates: createCertificateStore(database),
		receptions: createReceptionStore(database),
		voids: createVoidStore(database),
		approvals: createApprovalStore(database),
		directory: createDirectoryStore(database),
		exchanges: createExchangeStore(database),
		issuers: createIssuerStore(database),
		settings: createSettingStore(database),
		atomically: (work) => database.transaction(work).immediate(),
		committed: createGroupCommit(database),
		close: () => database.close(),
	};
}
