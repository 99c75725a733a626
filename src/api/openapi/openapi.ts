/**
 * Renders the OpenAPI 3.1 document from the same operations that are routed and guarded, so it cannot tell anything else.
 *
 *   operations ──► name-schemas ──► collect (@elysiajs/swagger) ──► plain-schema ──► components/schemas
 *        │                                    │
 *        └──────────► operation-object ◄──────┘  problems, security, examples ──► share-answers ──► paths, components/responses
 *
 * Who does what:
 *  - the plugin collects: each operation's parameters, body and answers as plain JSON, with references to named schemas;
 *  - the renderer takes them to the exact paths. The plugin cannot: it writes OpenAPI 3.0, reads `document:search` as a
 *    parameter, has one list of media types for body and answers, and knows no examples, headers, problems or credentials.
 *
 * What we send to receivers stands beside the paths (`openapi/webhooks.ts`), with the same schemas that type the feed.
 *
 * The document therefore holds what no schema tells: the problems of door and guard for each operation, an example for each
 * body, answer and problem, the credentials with their scope (`x-scope` too), and the invoicing and identity versions apart.
 *
 * Quirk: a missing example is no error here. It is made from the schema, and left out where no value can be found; a test
 * demands that there is one.
 */
import { type Operation, ProblemSchema } from "../../platform/operation";
import { collectSchemas } from "./collect";
import type { OpenApiDocument, OperationObject } from "./document";
import { nameSchemas } from "./name-schemas";
import { toOperationObject } from "./operation-object";
import { createSchemaWriter } from "./plain-schema";
import { describePlans } from "./plans-table";
import { problemExamples, problemsOf, sharedHeaders } from "./problems";
import { securitySchemes } from "./security";
import { shareAnswers } from "./share-answers";
import { IDENTITY_VERSION, INVOICING_VERSION } from "./versions";
import { deliveryHeaders, describeWebhooks } from "./webhooks";

export type { OpenApiDocument } from "./document";

const DESCRIPTION = `Electronic tax invoicing for many companies, and the taxpayer registry.

* **Credentials.** \`x-api-key\` names the customer, the bearer token the company. Each operation tells which it needs.
* **Amounts** are strings with a decimal point, so that no client rounds them. Times are RFC 3339 in UTC.
* **Repeating.** A write with the same \`Idempotency-Key\` is answered with the first answer.
* **Problems** are \`application/problem+json\` (RFC 9457); \`type\` is the address of a page with cause and fix, and
  \`errors\` names every broken rule at once.
* **Every answer** carries \`X-Request-Id\`.
* **Limits** belong to the plan: of the tenant, in the registry of the key's owner, for the demo key of the address. Answers tell what is left in
  \`RateLimit-Policy\` and \`RateLimit\`; beyond it is 429 with \`Retry-After\`. A batch is one call; a batch of statuses and a request for events are
  one poll each.

${describePlans()}`;

/** The document of these operations. Throws an Error when two different schemas have one name. */
export async function createOpenApi(
	operations: readonly Operation[],
	{ baseUrl }: { readonly baseUrl: string },
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
	// A process that issues nothing sends no webhooks.
	const isSending = operations.some(({ id }) => id === "testWebhook");
	const webhooks = isSending ? describeWebhooks(writer) : undefined;
	return {
		openapi: "3.1.0",
		info: { title: "Sello", version: INVOICING_VERSION, description: DESCRIPTION },
		"x-identity-version": IDENTITY_VERSION,
		servers: [{ url: baseUrl }],
		externalDocs: { url: `${baseUrl}/errors`, description: "Every problem with its cause and fix." },
		tags: [...new Set(operations.map((operation) => operation.tag))].map((name) => ({ name })),
		paths: shared.paths,
		...(webhooks ? { webhooks } : {}),
		components: {
			...(webhooks ? { parameters: deliveryHeaders } : {}),
			schemas: writer.named(),
			responses: shared.responses,
			examples: problemExamples(operations.flatMap(problemsOf), baseUrl),
			headers: sharedHeaders,
			securitySchemes: securitySchemes(baseUrl),
		},
	};
}
