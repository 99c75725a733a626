/** The operation that reads the audit. */
import { type TSchema, Type } from "@sinclair/typebox";
import type { Sql } from "../database";
import {
	type Call,
	json,
	NEEDS_BOTH,
	type Operation,
	PageLimit,
	type Parameter,
	readQuery,
	tenantOf,
} from "../operation";
import { Problem } from "../problem";
import { ID_PATTERN } from "../values";
import { AuditRecord, toAuditRecord } from "./record";
import { type AuditScope, selectAudit } from "./store";

export type AuditDeps = { readonly sql: Sql };

const query = (name: string, description: string, schema: TSchema): Parameter => ({
	...{ name, in: "query", required: false, description, schema },
});
const textOf = (pattern: string, faultDetail: string) => Type.String({ maxLength: 64, pattern, faultDetail });
const Instant = textOf(
	"^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?Z$",
	"Send a time such as 2026-11-20T10:00:00Z.",
);

export function auditOperations({ sql }: AuditDeps): Operation[] {
	return [
		{
			id: "listAudit",
			...{ method: "GET", path: "/v1/audit", tag: "Audit", summary: "List what was done, newest first" },
			description:
				"Who did what to keys, clients, companies, certificates, webhooks, deliveries and test sets, and who erased registry entries: all that the API " +
				"key's owner may see, and what the operator did to its companies. Entries are written with what they tell and can be neither changed " +
				"nor removed.",
			...{ credentials: NEEDS_BOTH, scope: "audit:read" },
			parameters: [
				query(
					"action",
					"A name such as `company.patch`, or a family such as `webhook.*`.",
					textOf("^[a-z-]+\\.([a-z-]+|\\*)$", "Send a name such as company.patch or a family such as webhook.*."),
				),
				query(
					"actor",
					"Id of an API key or of a client, or `operator`.",
					textOf("^[A-Za-z0-9_-]+$", "Send the id of a key or client, or operator."),
				),
				query("target", "Id of what it was done to.", textOf("^[A-Za-z0-9_-]+$", "Send an id.")),
				query("from", "The first instant, in UTC.", Instant),
				query("to", "The first instant that is too late, in UTC.", Instant),
				query("after", "`next` of the page before.", Type.String({ pattern: ID_PATTERN, faultCode: "invalid-cursor" })),
				query("limit", "1 to 100, default 25.", PageLimit),
			],
			answers: {
				200: {
					description: "A page of entries.",
					schema: Type.Object({
						items: Type.Array(AuditRecord),
						count: Type.Integer(),
						partial: Type.Boolean(),
						next: Type.Union([Type.String(), Type.Null()]),
					}),
				},
			},
			problems: ["validation-error"],
			handle: (call) => listAudit(sql, call),
		},
	];
}

async function listAudit(sql: Sql, call: Call): Promise<Response> {
	const { limit = "25", from, to, ...filter } = readQuery(call);
	const asked = { ...filter, from: instantOf("from", from), to: instantOf("to", to) };
	const rows = await selectAudit(sql, scopeOf(call), asked, Number(limit));
	const page = rows.slice(0, Number(limit));
	const partial = rows.length > page.length;
	const next = partial ? (page[page.length - 1]?.id ?? null) : null;
	const answer = { items: page.map(toAuditRecord), count: page.length, partial, next };
	return json(200, answer, { "cache-control": "private, no-store" });
}

/** The demo key has no owner: its users see their own company's entries alone. */
function scopeOf(call: Call): AuditScope {
	const ownerId = call.principal?.ownerId;
	return ownerId ? { ownerId } : { tenantId: tenantOf(call) };
}

function instantOf(name: string, text: string | undefined): Date | undefined {
	if (text === undefined) return undefined;
	const instant = new Date(text);
	if (!Number.isNaN(instant.getTime())) return instant;
	const fault = { pointer: `#/query/${name}`, code: "invalid-time", detail: "Is not a time of the calendar." };
	throw new Problem("validation-error", { faults: [fault] });
}
