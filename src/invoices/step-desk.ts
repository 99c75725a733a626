/**
 * Where the steps of all submissions read and write, so that steps that come at the same time share statements:
 *
 *   dossier   document, sendings, signed bytes         one statement for all that are claimed together
 *   issuer    company and certificate                  once for all documents of a tenant
 *   write     intents, results, moves                  one statement, which is its own transaction
 *   conclude  what a tenant is told of                 one transaction: state, event, deliveries, archiving, the message's outcome
 *
 * Each step is held or lost for itself. Throws: LeaseLostError.
 */
import { findIssuers, type Issuer } from "../companies";
import { createGather, type Gather, gatherWrites, type Sql } from "../database";
import type { Message } from "../outbox";
import { faultPoint } from "../telemetry";
import type { Clock } from "../values";
import { enqueueEvents } from "../webhooks";
import type { InvoiceRow } from "./invoice-row";
import { toContingencyEvent, toVerdictEvent } from "./record-verdict";
import { type Dossier, findDossiers, type StepWrite, type StepWritten, writeSteps } from "./step-store";

/** The lease passed to another holder: this one must change nothing. */
export class LeaseLostError extends Error {
	constructor(readonly held: Pick<Message, "id" | "attempt">) {
		super(`message ${held.id} is no longer held by attempt ${held.attempt}`);
		this.name = "LeaseLostError";
	}
}

export type StepDesk = {
	readonly findDossier: Gather<string, Dossier | undefined>;
	readonly findIssuer: Gather<string, Issuer | undefined>;
	readonly write: (step: StepWrite, invoice: InvoiceRow) => Promise<StepWritten>;
};

type Step = { readonly write: StepWrite; readonly invoice: InvoiceRow };

const READS = { itemsMax: 200, runsMax: 2 };
/** While one transaction waits for the disk another one fills. */
const WRITES = { itemsMax: 64, runsMax: 2 };

export function openStepDesk({ sql, clock }: { readonly sql: Sql; readonly clock: Clock }): StepDesk {
	const nameOf = ({ write }: Step) => write.docId;
	const moveQuietly = gatherWrites((steps) => writeSteps(sql, steps.map(toWrite)), nameOf, WRITES);
	const conclude = gatherWrites((steps) => concludeAll(sql, clock, steps), nameOf, WRITES);
	return {
		findDossier: createGather((docIds) => findDossiers(sql, docIds), READS),
		findIssuer: createGather(async (tenantIds) => {
			const distinct = [...new Set(tenantIds)];
			const issuers = await findIssuers(sql, distinct, clock.now());
			const byTenant = new Map(distinct.map((tenantId, i) => [tenantId, issuers[i]]));
			return tenantIds.map((tenantId) => byTenant.get(tenantId));
		}, READS),
		async write(write, invoice) {
			const step = { write, invoice };
			const written = await (mayBeTold(write) ? conclude(step) : moveQuietly(step));
			if (!written.isHeld) throw new LeaseLostError(write.message);
			return written;
		},
	};
}

const toWrite = ({ write }: Step): StepWrite => write;

function mayBeTold({ to }: StepWrite): boolean {
	return to !== undefined && ("status" in to || to.contingency === "start");
}

/** Steps that tenants may be told of: what happened, its event and the order to archive commit together. */
async function concludeAll(sql: Sql, clock: Clock, steps: readonly Step[]): Promise<StepWritten[]> {
	return sql.begin(async (tx) => {
		const written = await writeSteps(tx, steps.map(toWrite));
		faultPoint("verdict-written");
		const done = steps.flatMap(({ write: { to }, invoice }, i) => {
			const { version, startsContingency } = written[i] ?? { version: null, startsContingency: false };
			return version === null || to === undefined ? [] : [{ to, invoice, version, startsContingency }];
		});
		const events = done.flatMap(({ to, invoice, version, startsContingency }) => {
			if ("status" in to) return [toVerdictEvent(invoice, to, version)];
			return startsContingency ? [toContingencyEvent(invoice, version, clock.now())] : [];
		});
		const toArchive = done
			.filter(({ to }) => "status" in to)
			.map(({ invoice }) => ({ kind: "invoice.archive", tenantId: invoice.tenantId, subject: invoice.docId }));
		if (events.length > 0) await enqueueEvents(tx, events, toArchive);
		faultPoint("before-verdict");
		return written;
	}) as Promise<StepWritten[]>;
}
