/** The simulator's store, in one database file. */
import { type CertificateStore, createCertificateStore, createSeedStore, type SeedStore } from "./certificates";
import { type ApprovalStore, createApprovalStore, createExchangeStore, type ExchangeStore } from "./exchanges";
import { createGroupCommit, createSettingStore, type GroupCommit, openDatabase, type SettingStore } from "./open";
import { createReceptionStore, createVoidStore, type ReceptionStore, type VoidStore } from "./receptions";
import { createDirectoryStore, createIssuerStore, type DirectoryStore, type IssuerStore } from "./taxpayers";

export type { DocumentNumber, Reception } from "./receptions";
export type { Receiver, TaxpayerStanding } from "./taxpayers";
export type { CertificateStore };

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
	/** Runs reads and writes as one step that no other request can interrupt. */
	readonly atomically: <T>(work: () => T) => T;
	/** The same, sharing its commit with concurrent work. */
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
