/**
 * Writes the OpenAPI 3.1 document from the operations that are served, so that the two cannot differ.
 *
 *   operations ──► name schemas ──► collect (@elysiajs/swagger) ──► plain schema ──► components/schemas
 *        │                                    │
 *        └──────────► operation object ◄──────┘  problems, security, examples ──► share answers ──► paths, components/responses
 *
 * The plugin collects each operation's parameters, body and answers as plain JSON with references to named schemas. We write the paths ourselves,
 * because the plugin writes OpenAPI 3.0, reads `document:search` as a parameter, has one list of media types for body and answers, and supports
 * neither examples, headers, problems nor credentials.
 *
 * Webhooks stand beside the paths (`src/api/openapi/webhooks.ts`), with the schemas that also type the event feed. The document has what no schema
 * holds: problems of admission and guard, an example for each body, answer and problem, credentials with their scope (also as `x-scope`), and the
 * versions of both areas.
 *
 * Quirk: a missing example is no error here. It is derived from the schema and left out if no value is found; a test requires one.
 */
import { PLAN_LIMITS, type PlanLimits } from "../../identity/rate-limits";
import { type Operation, PLANS, ProblemSchema } from "../../platform/operation";
import { collectSchemas, nameSchemas } from "./collect";
import {
	IDENTITY_VERSION,
	INVOICING_VERSION,
	type OpenApiDeps,
	type OpenApiDocument,
	type OperationObject,
} from "./document";
import { securitySchemes, toOperationObject } from "./operation-object";
import { createSchemaWriter } from "./plain-schema";
import { problemExamples, problemsOf, sharedHeaders } from "./problems";
import { shareAnswers } from "./share-answers";
import { toLanguage } from "./spanish";
import { TAG_TEXTS } from "./tags";
import { deliveryHeaders, describeWebhooks } from "./webhooks";

const INTRODUCTION = `Electronic tax invoicing for many companies, and the taxpayer registry.

* **Credentials.** \`x-api-key\` identifies the customer, the bearer token identifies the company. Each operation lists which of them it needs.
* **Amounts** are strings with a decimal point, so that no client rounds them. Times are RFC 3339 in UTC.
* **Retries.** A repeated write with the same \`Idempotency-Key\` returns the first answer.
* **Problems** are \`application/problem+json\` (RFC 9457). \`type\` is the address of a page with cause and fix. \`errors\` lists every violated rule.
* **Every answer** carries \`X-Request-Id\`.
* **Limits** depend on the plan. They apply to the tenant; in the registry to the key's owner; for the demo key to the IP address. Answers
  report what is left in \`RateLimit-Policy\` and \`RateLimit\`. Calls beyond the limit get 429 with \`Retry-After\`. A batch counts as one call. A batch of
  statuses and a request for events count as one poll each.
`;

/** The document in English, or in the given language. Throws an Error when two different schemas have the same name. */
export async function createOpenApi(
	operations: readonly Operation[],
	{ baseUrl, language = "en" }: OpenApiDeps,
): Promise<OpenApiDocument> {
	const collected = await collectSchemas(operations, nameSchemas(operations));
	const writer = createSchemaWriter();
	writer.add("Problem", ProblemSchema);
	for (const [name, schema] of Object.entries(collected.schemas)) writer.add(name, schema);

	const paths: Record<string, Record<string, OperationObject>> = {};
	for (const operation of operations) {
		const own = collected.operations.get(operation.id);
		if (!own) throw new Error(`the operation ${operation.id} was not collected`);
		const path = paths[operation.path] ?? {};
		path[operation.method.toLowerCase()] = toOperationObject(operation, own, writer);
		paths[operation.path] = path;
	}
	const shared = shareAnswers(paths);
	// Processes that issue nothing send no webhooks.
	const isSending = operations.some(({ id }) => id === "testWebhook");
	const webhooks = isSending ? describeWebhooks(writer) : undefined;
	const document: OpenApiDocument = {
		openapi: "3.1.0",
		info: { title: "Sello", version: INVOICING_VERSION, description: `${INTRODUCTION}\n${describePlans()}` },
		"x-identity-version": IDENTITY_VERSION,
		servers: [{ url: baseUrl }],
		externalDocs: { url: `${baseUrl}/errors`, description: "Every problem with its cause and fix." },
		tags: [...new Set(operations.map((operation) => operation.tag))].map((name) => ({
			...{ name, description: TAG_TEXTS[name] },
		})),
		paths: shared.paths,
		...(webhooks ? { webhooks } : {}),
		components: {
			...(webhooks ? { parameters: deliveryHeaders } : {}),
			schemas: writer.named(),
			responses: shared.responses,
			examples: problemExamples(operations.flatMap(problemsOf), baseUrl, "en"),
			headers: sharedHeaders,
			securitySchemes: securitySchemes(baseUrl),
		},
	};
	return toLanguage(document, language, baseUrl);
}

type RateClass = keyof NonNullable<PlanLimits["rates"]>;

/** The limits of all plans as a Markdown table, from the limits that are enforced. */
function describePlans(): string {
	const plans = PLANS.filter((plan) => plan !== "unlimited");
	const rows: readonly (readonly [string, (limits: PlanLimits) => string])[] = [
		["Issue, per second / burst", rateCell("issue")],
		["Look-up, per second / burst", rateCell("lookup")],
		["Search, per second / burst", rateCell("search")],
		["Suggestions, per second / burst", rateCell("suggest")],
		["Tokens, per second / burst", rateCell("token")],
		["Other reads, per second / burst", rateCell("read")],
		["Other writes, per second / burst", rateCell("write")],
		["Status polls per hour", ({ counted }) => String(counted.poll?.calls ?? "")],
		["Invoices per day", ({ counted }) => String(counted["issue-day"]?.calls ?? "")],
		["Companies per day", ({ counted }) => String(counted["company-day"]?.calls ?? "")],
		["Items per batch: issue / status / look-up", ({ batch }) => `${batch.issue} / ${batch.status} / ${batch.lookup}`],
		["Webhooks per company", ({ webhookEndpoints }) => String(webhookEndpoints)],
		["Registry history, days", ({ registry }) => orAll(registry.historyDays)],
		["Attestations per day", ({ counted }) => orAll(counted["attest-day"]?.calls)],
		["Watched numbers / watchlists", ({ registry }) => `${registry.watchedNumbers} / ${registry.watchlists}`],
		["Rows to check: list / month", ({ registry }) => `${registry.checkRows} / ${orAll(registry.checkRowsPerMonth)}`],
		["Reconciled names per day", ({ counted }) => orAll(counted["reconcile-day"]?.calls)],
		["Downloads", ({ registry }) => registry.downloads],
		["Distinct entries per day in search and suggestions", ({ registry }) => orAll(registry.distinctPerDay)],
	];
	const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
	return [
		line(["Plan", ...plans]),
		line(["---", ...plans.map(() => "---")]),
		...rows.map(([name, toCell]) => line([name, ...plans.map((plan) => toCell(PLAN_LIMITS[plan]))])),
	].join("\n");
}

const orAll = (limit: number | null | undefined) => String(limit ?? "all");

function rateCell(kind: RateClass): (limits: PlanLimits) => string {
	return ({ rates }) => {
		if (!rates) return "";
		const { perSecond, burst } = rates[kind];
		return `${Math.round(perSecond * 100) / 100} / ${burst}`;
	};
}
