import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { Message, Problem, ProblemSlug } from "../problem";
import type { Environment } from "../values";

/** How one kind of credential counts: an optional one is checked when it is sent, an ignored one is not read. */
export type CredentialNeed = "required" | "optional" | "ignored";
export type Credentials = {
	readonly key: CredentialNeed;
	readonly bearer: CredentialNeed;
	/** A person's session alone, without a company. Where a key or a token is required, a session and `X-Company` stand for them. */
	readonly session?: "required";
	/** A session does not stand for the key. */
	readonly needsKey?: true;
	/** An operator's session stands for the key, without a company. Outside the operator's networks the operation is not found. */
	readonly operates?: true;
};

export const PUBLIC: Credentials = { key: "ignored", bearer: "ignored" };
export const NEEDS_BOTH: Credentials = { key: "required", bearer: "required" };
export const NEEDS_KEY: Credentials = { key: "required", bearer: "optional" };
export const NEEDS_KEY_ONLY: Credentials = { key: "required", bearer: "ignored" };
export const NEEDS_BEARER: Credentials = { key: "optional", bearer: "required" };
export const MAY_SEND_KEY: Credentials = { key: "optional", bearer: "ignored" };
export const NEEDS_SESSION: Credentials = { key: "ignored", bearer: "ignored", session: "required" };
export const NEEDS_OPERATOR: Credentials = { key: "required", bearer: "ignored", operates: true };

/** The class in which a call counts against its plan's limits. */
export type LimitClass =
	| "issue"
	| "lookup"
	| "search"
	| "suggest"
	| "attest"
	| "reconcile"
	| "poll"
	| "token"
	| "company"
	| "webhook-test"
	| "read"
	| "write"
	/** For callers without a key: programs of other taxpayers. */
	| "peer"
	/** For callers without a key: who checks an attestation. */
	| "proof"
	/** For callers without a key: readers of the public search page. */
	| "page"
	/** For callers without a key: suggestions of that page. */
	| "page-suggest"
	/** For callers without a key: searches of the documentation. */
	| "docs-search"
	/** For callers without a session: who signs in. */
	| "sign-in";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type Parameter = {
	readonly name: string;
	readonly in: "path" | "query" | "header";
	readonly required: boolean;
	readonly description: string;
	readonly schema: TSchema;
	/** For a query parameter: checks what its schema cannot express. It gets values that fit the schema. */
	readonly check?: ParameterCheck;
	/**
	 * For a path parameter: a segment that cannot be percent-decoded is passed on as written, and the operation refuses it. Without this,
	 * such a path is not found.
	 */
	readonly takesUndecodable?: true;
	/** For a path parameter: it names a company. A caller that acts for another company, or whose key is bound to others, gets not-found. */
	readonly isCompany?: true;
	readonly example?: unknown;
};

/** Query parameters as text; absent ones are undefined. */
export type QueryValues = Readonly<Record<string, string | undefined>>;
/** The violation of a value in view of the others, all of which fit their schemas; undefined when there is none. */
export type ParameterCheck = (value: string, query: QueryValues) => ParameterFault | undefined;
export type ParameterFault = { readonly code: string; readonly detail: Message; readonly [extra: string]: unknown };

/** Limit of a JSON body unless the operation sets another. */
export const JSON_BYTES_MAX = 256 * 1024;

export type BodyRule = {
	/** The schema of the body. The handler checks it; the documentation is generated from it. */
	readonly schema: TSchema;
	/** Most bytes after decompression; more is `payload-too-large`. */
	readonly limitBytes: number;
	readonly required: boolean;
	/**
	 * The body's texts are neither stored nor used in a document, and the operation checks each of them itself: one bad text does not
	 * refuse the whole body.
	 */
	readonly takesAnyText?: true;
	/** The operation finds out the encoding itself, since many senders state a wrong one. */
	readonly takesAnyCharset?: true;
	/** Without parameters; the first is the documented one. */
	readonly mediaTypes: readonly string[];
	readonly example: unknown;
	/** Media types whose body is not a value of the schema, each with its description, for the documentation. */
	readonly otherForms?: Readonly<Record<string, { readonly schema: TSchema; readonly example: unknown }>>;
};

export type Answer = {
	readonly description: string;
	readonly schema?: TSchema;
	/** Default: `application/json`. */
	readonly mediaType?: string;
	/** Further forms that the caller selects with `Accept`. */
	readonly alsoMediaTypes?: readonly string[];
	readonly example?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
};

/** Announced on the route that ends; a changelog entry announces it too. Days are in UTC. */
export type Deprecation = {
	/** `id` of the changelog entry. */
	readonly change: string;
	readonly deprecatedAt: string;
	/** The last day on which the operation answers, at least 30 days later. */
	readonly sunsetAt: string;
	/** Path of the replacement; absent where there is none. */
	readonly replacement?: string;
};

export type Call = {
	readonly request: Request;
	readonly url: URL;
	readonly requestId: string;
	/** The caller's address; empty for in-process calls. */
	readonly remoteAddress: string;
	/** The server enforces the length that the request states. */
	readonly isLengthEnforced?: boolean;
	/** Percent-decoded path parameters. */
	readonly params: Readonly<Record<string, string>>;
	/** Absent only when the operation ignores all credentials, or when they are optional and none was sent. */
	readonly principal?: Principal;
	/**
	 * Runs the guard again, for work that goes on long after it passed. Absent in calls that came through no guard. Throws: unauthorised,
	 * insufficient-scope, service-unavailable.
	 */
	readonly checkAgain?: () => Promise<void>;
	readonly operation: Operation;
	/** Answers another request of the same caller's address, through the guard. Absent in calls that came through no guard. */
	readonly forward?: (request: Request) => Promise<Response>;
	/** Reports how many items the request contains; usage counts them besides the request. */
	readonly countItems?: (count: number) => void;
	/** Reports how many of them are billed, where the operation is billed by item. */
	readonly countBillable?: (count: number) => void;
	/** Reports the OAuth client that the request names: its failures are counted. */
	readonly noteClient?: (clientId: string) => void;
	/** Reports whether the body is arriving: meanwhile the deadline does not run. */
	readonly noteBody?: (stage: "begun" | "whole") => void;
	/**
	 * For an operation with `chargesLate`: takes one token of the caller's rate, and counts `calls` against its quota; default one. Throws:
	 * rate-limit-exceeded, polling-limit-exceeded.
	 */
	readonly charge?: (calls?: number) => Promise<void>;
};

/**
 * A 200, or a 304 when the body is null, that lacks only the request id. The operation reuses the body and the headers for its next answer,
 * so copy them before anything else runs.
 */
export type ReadyAnswer = { readonly body: Uint8Array<ArrayBuffer> | null; readonly headers: Headers };

/** `resource.verb` in camelCase, as in `invoices.create`; Python and PHP derive their names from it. */
export type SdkName = `${string}.${string}`;

/** One HTTP operation. The guard, the router, the OpenAPI document and the generated tests all read it here. */
export type Operation = {
	/** camelCase, unique: `postInvoice`. */
	readonly id: string;
	/** Its method in the client libraries, unique; null for pages, protocols of others and health checks, which have none. */
	readonly sdk: SdkName | null;
	readonly method: Method;
	/** OpenAPI form: `/v1/invoices/{docId}`. A custom verb is literal: `/v1/authority/document/{document}:purge`. */
	readonly path: string;
	/** It answers every path below its own that no other operation has, for pages whose router runs in the browser. The path has no parameter. */
	readonly coversBelow?: true;
	readonly tag: string;
	readonly summary: string;
	readonly description?: string;
	readonly credentials: Credentials;
	readonly scope?: Scope;
	/**
	 * For an operation that ignores keys and tokens, because a capability in its path stands for them: finds the caller for whom it acts.
	 * Pages of any site may read the answers. Throws: not-found, link-expired.
	 */
	readonly findCaller?: (params: Call["params"], remoteAddress: string) => Promise<Principal>;
	/** A session needs a factor that was shown in the last minutes. */
	readonly confirms?: true;
	/** Default: `read` for a GET, `write` for other methods. Operations without a caller are not limited. */
	readonly limit?: LimitClass;
	/** It calls `charge` itself, after it has ruled out a repeat: a repeat costs nothing and is never refused. */
	readonly chargesLate?: true;
	readonly parameters?: readonly Parameter[];
	readonly body?: BodyRule;
	readonly answers: Readonly<Record<number, Answer>>;
	/** Slugs that the operation itself can answer; those of the guard and the server are added for all. */
	readonly problems: readonly ProblemSlug[];
	/** Adds members that another standard requires to problems of the operation, including those of the guard and the limits. */
	readonly extendProblem?: (problem: Problem) => Problem;
	/** Answers a problem in another form, such as a page for people; undefined where the usual document serves. */
	readonly renderProblem?: (problem: Problem, request: Request, requestId: string) => Response | undefined;
	/** Absent unless the operation is deprecated. */
	readonly deprecation?: Deprecation;
	/** Its successful answers are counted but logged only at `debug`: a log line costs more than the answer. */
	readonly isPlenty?: true;
	readonly handle: (call: Call) => Response | Promise<Response>;
	/**
	 * For a GET: the same successful answer as from `handle`, synchronously from memory. `asked` is the one path parameter at the path's
	 * end, or the raw query. Undefined, or an exception, leaves the request to `handle`.
	 */
	readonly answerAtOnce?: (asked: string, ifNoneMatch: string | null, principal: Principal) => ReadyAnswer | undefined;
	/** For a POST without path parameters: refuses a request before it is read, whatever it contains; undefined while there is room. */
	readonly refuseAtOnce?: () => Problem | undefined;
};

/** The plans of a key. `unlimited` has no rate limits: for the operator's own keys and for benches. */
export const PLANS = ["demo", "free", "starter", "business", "enterprise", "unlimited"] as const;
export type Plan = (typeof PLANS)[number];

/** What a credential may do, as `resource:verb`; an operation requires one of them. */
export const SCOPES = [
	"invoices:write",
	"invoices:read",
	"invoices:prepare",
	"company:read",
	"company:write",
	"keys:read",
	"keys:write",
	"certification:read",
	"certification:write",
	"webhooks:read",
	"webhooks:write",
	"webhooks:test",
	"events:read",
	"sequences:read",
	"sequences:write",
	"documents:receive",
	"approvals:write",
	"reports:read",
	"usage:read",
	"audit:read",
	"registry:read",
	"registry:purge",
	"watchlists:read",
	"watchlists:write",
	"archive:read",
	"portal:write",
	"sandbox:write",
	"admin",
] as const;
export type Scope = (typeof SCOPES)[number];

/** What a person may be in a team; the last two operate the service. */
const ROLES = ["viewer", "accountant", "developer", "owner", "operator", "operator-readonly"] as const;
export type Role = (typeof ROLES)[number];

export type PersonMembership = {
	/** Null for operators, and in a local sandbox for the companies of the demo key. */
	readonly ownerId: string | null;
	readonly role: Role;
	/** The companies that the person sees; null for all of the owner. */
	readonly tenantIds: readonly string[] | null;
};

/** The person whose session was sent in place of key and token. */
export type Person = {
	readonly userId: string;
	readonly sessionId: string;
	/** When a factor was shown last. */
	readonly confirmedAt: Date;
	/** Whether there is a factor that can be shown: a password, a passkey, or the identity provider's. */
	readonly hasFactor: boolean;
	readonly memberships: readonly PersonMembership[];
	/** Companies that an operator may read for a while. */
	readonly accesses: readonly { readonly tenantId: string; readonly expiresAt: Date }[];
};

export type Principal = {
	readonly environment: Environment;
	readonly plan: Plan;
	/** The customer who owns the API key. Null for the demo key, which has no owner. */
	readonly ownerId: string | null;
	/** The company of the bearer token; absent when only an API key was sent. */
	readonly tenantId?: string;
	readonly keyId?: string;
	/** The companies that the key opens; absent when it opens all of its owner's. */
	readonly companyIds?: ReadonlySet<string>;
	/** The bearer token's OAuth client, when one was sent. */
	readonly clientId?: string;
	/** Present for a session of the console. */
	readonly person?: Person;
	readonly scopes: ReadonlySet<string>;
};

/** Whether a caller may act on a company's id at all: that of its token, else one that its key opens. Its owner is checked elsewhere. */
export function opensCompany({ tenantId, companyIds }: Principal, id: string): boolean {
	return tenantId === undefined ? (companyIds?.has(id) ?? true) : tenantId === id;
}

/** The problem document as callers read it. */

const FaultSchema = Type.Object(
	{
		pointer: Type.String({
			description:
				"RFC 6901 pointer into the body; `#/headers/…`, `#/query/…` and `#/path/…` for the rest of the request.",
		}),
		code: Type.String({ description: "Stable name of the rule." }),
		detail: Type.String(),
	},
	{ $id: "Fault", additionalProperties: true, description: "One violated rule; further members depend on the rule." },
);

/** Source: RFC 9457, section 3. */
export const ProblemSchema = Type.Object(
	{
		type: Type.String({ format: "uri", description: "Ends with the slug; the URL is a page with cause and fix." }),
		title: Type.String(),
		status: Type.Integer({ minimum: 400, maximum: 599 }),
		detail: Type.String({ description: "What happened this time." }),
		instance: Type.String({ description: "Path of the request." }),
		requestId: Type.String({ description: "As in `X-Request-Id`." }),
		traceId: Type.Optional(Type.String({ description: "The request's trace, where the operator records traces." })),
		errors: Type.Optional(Type.Array(FaultSchema, { description: "All violated rules." })),
	},
	{ $id: "Problem", additionalProperties: true, description: "Further members depend on the slug." },
);
export type ProblemSchema = Static<typeof ProblemSchema>;
