/** A test set and its cases as they are stored, and how they are shown. */
import type { RawAnswer } from "../../authority/client";
import type { EcfType } from "../../ecf/signing";
import type { Environment } from "../../platform/values";
import type { TestDocument } from "../invoices";
import type { Party } from "./build-invoice";
import { COMPOSITION, composeSet } from "./composition";
import type { CaseStatus, TestSetStatus } from "./machine";
import type { Niche } from "./niches";
import type { TestSetRecord } from "./test-set";

export type Mode = "simulate" | "authority";

export type Failure = {
	/** Null where the set failed as a whole. */
	readonly case: string | null;
	readonly code: string;
	readonly detail: string;
	readonly fix: readonly { readonly op: string; readonly path: string; readonly value: string }[];
};

export type TestSetRow = {
	readonly id: string;
	readonly tenantId: string;
	readonly environment: Environment;
	readonly mode: Mode;
	readonly status: TestSetStatus;
	readonly types: readonly EcfType[];
	readonly niche: Niche;
	/** Asked for; null: ours to choose. */
	readonly startNumber: number | null;
	readonly buyer: Party;
	readonly run: number;
	readonly runsMax: number;
	readonly failure: Failure | null;
	readonly version: number;
	readonly createdAt: Date;
	readonly startedAt: Date | null;
	readonly completedAt: Date | null;
	readonly expiresAt: Date;
};

/** A case as lists show it; its document is read where it is needed. */
export type CaseRow = {
	readonly ordinal: number;
	readonly name: string;
	readonly type: string;
	readonly encf: string;
	readonly dependsOn: string | null;
	readonly docId: string;
	readonly isRehearsed: boolean;
	readonly status: CaseStatus;
	readonly sentAt: Date | null;
	readonly authority: Readonly<Record<string, unknown>> | null;
};

/** The same with what was signed, and what came back where it was rehearsed. */
export type CaseFile = CaseRow & {
	readonly run: number;
	readonly document: TestDocument;
	readonly answers: readonly (Omit<RawAnswer, "at"> & { readonly at: string })[];
};

export function pathOf({ id, tenantId }: Pick<TestSetRow, "id" | "tenantId">): string {
	return `/v1/check-set-tests/${id}/idCompany/${tenantId}`;
}

const TITLES = new Map(COMPOSITION.map(({ name, title }) => [name, title]));
const PLACES = new Map(composeSet(COMPOSITION.map(({ type }) => type)).map(({ name }, place) => [name, place]));

/** In the order in which they are sent. */
export function inSendOrder<C extends Pick<CaseRow, "name">>(cases: readonly C[]): C[] {
	return cases.toSorted((a, b) => (PLACES.get(a.name) ?? 0) - (PLACES.get(b.name) ?? 0));
}

export function toRecord(row: TestSetRow, cases: readonly CaseRow[]): TestSetRecord {
	const self = pathOf(row);
	const count = (...statuses: readonly CaseStatus[]) => cases.filter(({ status }) => statuses.includes(status)).length;
	return {
		id: row.id,
		idCompany: row.tenantId,
		environment: row.environment,
		authorityEnvironment: "certification",
		mode: row.mode,
		status: row.status,
		types: [...row.types],
		niche: row.niche,
		progress: {
			total: composeSet(row.types).length,
			generated: cases.length,
			submitted: count("pending", "accepted", "rejected", "failed"),
			accepted: count("accepted"),
			rejected: count("rejected"),
			pending: count("pending"),
		},
		cases: inSendOrder(cases).map((one) => ({
			case: one.name,
			type: one.type,
			title: TITLES.get(one.name) ?? "",
			encf: one.encf,
			docId: one.isRehearsed || one.sentAt === null ? null : one.docId,
			dependsOn: one.dependsOn,
			status: one.status,
			...(one.authority ? { authority: { ...one.authority } } : {}),
		})),
		run: row.run,
		maxRuns: row.runsMax,
		failure: row.failure && { ...row.failure, fix: row.failure.fix.map((fix) => ({ ...fix })) },
		createdAt: row.createdAt.toISOString(),
		startedAt: row.startedAt?.toISOString() ?? null,
		completedAt: row.completedAt?.toISOString() ?? null,
		expiresAt: row.expiresAt.toISOString(),
		_links: { self, evidence: `${self}/evidence` },
	};
}
