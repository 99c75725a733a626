/**
 * What the operator can do to a company.
 *
 *   active ◀──resume── suspended    issues nothing (422 `tenant-config-missing`, missing `active`); tokens go on, so that it can read
 *      │ ▲                          what it has issued
 *      │ └──resume── closed         besides, its credentials and tokens end at once and nothing of it can be changed; another company of
 *      └──close──▶                  the owner can still read it
 *
 * A certification test set stands still in either state: what it has sent is decided, and nothing more is sent until the company is resumed.
 * Documents that were acknowledged before go on to their verdicts in either state: they are the authority's to judge. Gap: a company
 * that is closed keeps its RNC and its numbers; one that is resumed gets credentials from its owner's key, the old ones stay ended.
 */

import { lockCompany } from "../events/endpoints";
import { type Doer, recordAudit } from "../identity/audit-log";
import type { Access } from "../identity/auth";
import type { Sql } from "../platform/database";
import type { CompanyRow } from "./company";
import { findCompany, updateStatus } from "./store";

export type StatusChange = "suspend" | "resume" | "close";

const STATUS: Readonly<Record<StatusChange, CompanyRow["status"]>> = {
	suspend: "suspended",
	resume: "active",
	close: "closed",
};

export type StatusChanged = { readonly status: CompanyRow["status"]; readonly hasChanged: boolean };

/** Undefined without such a company. A closed one is not suspended: it stays what it is. */
export async function changeStatus(
	{ sql, access }: { readonly sql: Sql; readonly access: Pick<Access, "retireClients"> },
	tenantId: string,
	change: StatusChange,
	doer: Doer,
): Promise<StatusChanged | undefined> {
	return sql.begin(async (tx) => {
		await lockCompany(tx, tenantId);
		const company = await findCompany(tx, tenantId);
		if (!company) return undefined;
		const { status: before } = company;
		const status = change === "suspend" && before === "closed" ? before : STATUS[change];
		if (status === before) return { status, hasChanged: false };
		await updateStatus(tx, tenantId, status);
		if (status === "closed") await access.retireClients(tx, tenantId, doer.at);
		const action = `company.${change}`;
		const details = { before, status };
		await recordAudit(tx, { ...doer, action, subject: tenantId, tenantId, changed: ["status"], details });
		return { status, hasChanged: true };
	});
}
