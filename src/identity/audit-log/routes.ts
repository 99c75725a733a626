/** The operation that reads the audit log. */

import { Type } from "@sinclair/typebox";
import type { Sql } from "../../platform/database";
import {
	type Call,
	cutPage,
	json,
	NEEDS_BOTH,
	type Operation,
	type ParameterFault,
	PRIVATE_NO_STORE,
	pageParameters,
	pageSchema,
	type QueryValues,
	queryParameter,
	readPageQuery,
	tenantOf,
	textOf,
} from "../../platform/operation";
import { msg } from "../../platform/problem";
import { ID_PATTERN, parseInstant } from "../../platform/values";
import { AuditRecord, toAuditRecord } from "./record";
import { type AuditScope, selectAudit } from "./store";

type AuditDeps = { readonly sql: Sql };

const Instant = textOf(
	"^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?Z$",
	msg`Send a time such as 2026-11-20T10:00:00Z.`,
);

export function auditOperations({ sql }: AuditDeps): Operation[] {
	return [
		{
			id: "listAudit",
			sdk: "audit.list",
			...{ method: "GET", path: "/v1/audit", tag: "Audit", summary: "List the audit log" },
			description:
				"Newest first. Who did what to keys, clients, companies, certificates, webhooks, deliveries and test sets, and who erased " +
				"registry entries: everything of the API key's owner, and what the operator did to its companies. Entries are written in the " +
				"transaction of the action and can be neither changed nor removed.",
			...{ credentials: NEEDS_BOTH, scope: "audit:read" },
			parameters: [
				queryParameter(
					"action",
					"A name such as `company.patch`, or a family such as `webhook.*`.",
					textOf("^[a-z-]+\\.([a-z-]+|\\*)$", msg`Send a name such as company.patch or a family such as webhook.*.`),
				),
				queryParameter(
					"actor",
					"Id of an API key, of a client or of a person, or `operator`.",
					textOf("^[A-Za-z0-9_-]+$", msg`Send the id of a key, client or person, or operator.`),
				),
				queryParameter("target", "Id of the subject, or the number of a purchase order."),
				queryParameter("from", "Start of the period, in UTC, inclusive.", Instant, checkFrom),
				queryParameter("to", "End of the period, in UTC, exclusive.", Instant, checkInstant),
				...pageParameters({ schema: Type.String({ pattern: ID_PATTERN, faultCode: "invalid-cursor" }) }),
			],
			answers: {
				200: {
					description: "A page of entries.",
					schema: pageSchema(AuditRecord),
				},
			},
			problems: ["validation-error"],
			handle: (call) => listAudit(sql, call),
		},
	];
}

async function listAudit(sql: Sql, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const { from, to, ...filter } = query;
	const asked = {
		...filter,
		from: from === undefined ? undefined : parseInstant(from),
		to: to === undefined ? undefined : parseInstant(to),
	};
	const rows = await selectAudit(sql, scopeOf(call), asked, limit);
	const { page, place } = cutPage(rows, limit, ({ id }) => id);
	return json(200, { items: page.map(toAuditRecord), ...place }, PRIVATE_NO_STORE);
}

/**
 * The demo key has no owner: its users see only their own company's entries. A session is in one company; a person who sees all of the owner also
 * sees what was done to its team.
 */
function scopeOf(call: Call): AuditScope {
	const { ownerId = null, companyIds, person } = call.principal ?? {};
	const seesTeam = (person?.memberships ?? []).some(
		(one) => one.ownerId === ownerId && one.tenantIds === null && !one.role.startsWith("operator"),
	);
	return { ownerId, companyIds: ownerId === null ? new Set([tenantOf(call)]) : companyIds, seesTeam };
}

function checkInstant(text: string): ParameterFault | undefined {
	return parseInstant(text) ? undefined : { code: "invalid-time", detail: msg`Is not a time of the calendar.` };
}

function checkFrom(from: string, { to }: QueryValues): ParameterFault | undefined {
	const [begin, end] = [parseInstant(from), to === undefined ? undefined : parseInstant(to)];
	const isBehind = begin !== undefined && end !== undefined && begin > end;
	return checkInstant(from) ?? (isBehind ? { code: "after-end", detail: msg`Is after \`to\`.` } : undefined);
}
