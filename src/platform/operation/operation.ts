import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { Problem, ProblemSlug } from "../problem";
import type { Environment } from "../values";

/** How one kind of credential counts: an optional one is checked when it is sent, an ignored one is not looked at. */
export type CredentialNeed = "required" | "optional" | "ignored";
export type Credentials = { readonly key: CredentialNeed; readonly bearer: CredentialNeed };

export const PUBLIC: Credentials = { key: "ignored", bearer: "ignored" };
export const NEEDS_BOTH: Credentials = { key: "required", bearer: "required" };
export const NEEDS_KEY: Credentials = { key: "required", bearer: "optional" };
export const NEEDS_KEY_ONLY: Credentials = { key: "required", bearer: "ignored" };
export const NEEDS_BEARER: Credentials = { key: "optional", bearer: "required" };
export const MAY_SEND_KEY: Credentials = { key: "optional", bearer: "ignored" };

/** What a call is counted as, for the limits of its caller's plan. */
export type LimitClass =
	| "issue"
	| "lookup"
	| "search"
	| "poll"
	| "token"
	| "company"
	| "webhook-test"
	| "read"
	| "write"
	/** Of somebody who has no key: other taxpayers' programs. */
	| "peer";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type Parameter = {
	readonly name: string;
	readonly in: "path" | "query" | "header";
	readonly required: boolean;
	readonly description: string;
	readonly schema: TSchema;
	/** Of a query's parameter: what its schema cannot tell, asked of a value that fits the schema. */
	readonly check?: ParameterCheck;
	/**
	 * Of a path's parameter: what cannot be percent-decoded is brought as it was written, and the operation refuses it like any other wrong form.
	 * Without it such a path is nowhere.
	 */
	readonly takesUndecodable?: true;
	readonly example?: unknown;
};

/** A query's parameters as text; those that were not sent are absent. */
export type QueryValues = Readonly<Record<string, string | undefined>>;
/** What is wrong with a value among the others that fit their schemas; undefined when nothing is. */
export type ParameterCheck = (value: string, query: QueryValues) => ParameterFault | undefined;
export type ParameterFault = { readonly code: string; readonly detail: string; readonly [extra: string]: unknown };

/** Most bytes of a JSON body where nothing asks for another limit. */
export const JSON_BYTES_MAX = 256 * 1024;

export type BodyRule = {
	/** What the body must be. The handler checks it; documents are made from it. */
	readonly schema: TSchema;
	/** Most bytes after decompression; more is `payload-too-large`. */
	readonly limitBytes: number;
	readonly required: boolean;
	/**
	 * Its texts are neither stored nor put into a document, and the operation judges each of them by itself: one that could be nothing else
	 * than wrong, or is very long, does not refuse the whole body.
	 */
	readonly takesAnyText?: true;
	/** Without parameters; the first is the documented one. */
	readonly mediaTypes: readonly string[];
	readonly example: unknown;
	/** Those of the media types whose body is no value of the schema, each with what it is instead: for documents alone. */
	readonly otherForms?: Readonly<Record<string, { readonly schema: TSchema; readonly example: unknown }>>;
};

export type Answer = {
	readonly description: string;
	readonly schema?: TSchema;
	/** `application/json` unless told otherwise. */
	readonly mediaType?: string;
	/** Further forms, which the caller chooses by `Accept`. */
	readonly alsoMediaTypes?: readonly string[];
	readonly example?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
};

/** Announced beside the route that it ends; a changelog entry tells callers the same. Days are UTC. */
export type Deprecation = {
	/** `id` of the changelog's entry. */
	readonly change: string;
	/** From its beginning the operation is deprecated. */
	readonly deprecatedAt: string;
	/** To its end the operation answers; at least 30 days later. */
	readonly sunsetAt: string;
	/** Path of what to use instead; absent where nothing takes its place. */
	readonly replacement?: string;
};

/** A request that has found its operation and passed its guard. */
export type Call = {
	readonly request: Request;
	readonly url: URL;
	readonly requestId: string;
	/** Address of the caller's end of the connection; empty when there is none (in-process calls). */
	readonly remoteAddress: string;
	/** The server that took the request holds its body to the length that it states. */
	readonly isLengthEnforced?: boolean;
	/** Percent-decoded path parameters. */
	readonly params: Readonly<Record<string, string>>;
	/** Present unless the operation's credentials are all ignored or optional and none was sent. */
	readonly principal?: Principal;
	/**
	 * The guard's question once more, for what goes on long after it was asked first. Absent in calls that came through no guard.
	 * Throws: unauthorised, insufficient-scope, service-unavailable.
	 */
	readonly checkAgain?: () => Promise<void>;
	readonly operation: Operation;
	/** Tells how many things the request asks for at once; what is metered counts them beside the request. */
	readonly countItems?: (count: number) => void;
	/** Tells whether the body is on its way: meanwhile it is not we who are waited for. */
	readonly noteBody?: (stage: "begun" | "whole") => void;
	/** Of an operation that `chargesLate`: takes the call's part of its caller's limits. Throws: rate-limit-exceeded, polling-limit-exceeded. */
	readonly charge?: () => Promise<void>;
};

/**
 * A 200, or a 304 when the body is null, that is ready to be sent: only the request's id is missing. Body and headers belong to the
 * operation, which uses the same ones for its next answer, so whoever sends them copies them before anything else runs.
 */
export type ReadyAnswer = { readonly body: Uint8Array<ArrayBuffer> | null; readonly headers: Headers };

/**
 * One HTTP operation, told once: the guard, the router, the OpenAPI document and the generated tests all read it here.
 */
export type Operation = {
	/** camelCase, unique: `postInvoice`. */
	readonly id: string;
	readonly method: Method;
	/** OpenAPI form: `/v1/invoices/{docId}`. A custom verb stands literally: `/v1/authority/document/{document}:purge`. */
	readonly path: string;
	readonly tag: string;
	readonly summary: string;
	readonly description?: string;
	readonly credentials: Credentials;
	readonly scope?: Scope;
	/** Absent: `read` for a GET, `write` for anything else. Who needs no credential at all is not limited. */
	readonly limit?: LimitClass;
	/** It calls `charge` by itself, once it knows that a request is not the repeat of one that was answered: a repeat costs nothing and is never refused. */
	readonly chargesLate?: true;
	readonly parameters?: readonly Parameter[];
	readonly body?: BodyRule;
	readonly answers: Readonly<Record<number, Answer>>;
	/** Slugs the operation itself can answer; those of guard and door are added for all. */
	readonly problems: readonly ProblemSlug[];
	/** Adds what another standard wants in problems of the operation, those of guard and limits among them. */
	readonly extendProblem?: (problem: Problem) => Problem;
	/** Absent while nobody thinks of taking it away. */
	readonly deprecation?: Deprecation;
	/** Its good answers are counted but logged at `debug` only: they are given by the thousand and a line costs more than the answer. */
	readonly isPlenty?: true;
	readonly handle: (call: Call) => Response | Promise<Response>;
	/**
	 * For a GET: the same good answer as from `handle`, from memory and at once. `asked` is the one parameter, at the path's end, or the query as
	 * it was sent where the path has none. Undefined leaves the request to `handle`, and so does whatever is thrown.
	 */
	readonly answerAtOnce?: (asked: string, ifNoneMatch: string | null) => ReadyAnswer | undefined;
	/** For a POST without parameters in its path: a refusal of whoever comes now, whatever is asked; undefined while there is room. */
	readonly refuseAtOnce?: () => Problem | undefined;
};

/** Plans that a key can have. `unlimited` has no rate limits: the operator's own, for benches and internal use. */
export const PLANS = ["demo", "free", "starter", "business", "enterprise", "unlimited"] as const;
export type Plan = (typeof PLANS)[number];

/** What a credential may do, `resource:verb`; an operation needs one of them. */
export const SCOPES = [
	"invoices:write",
	"invoices:read",
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
	"archive:read",
	"sandbox:write",
	"admin",
] as const;
export type Scope = (typeof SCOPES)[number];

/** The authenticated caller of a request. */
export type Principal = {
	readonly environment: Environment;
	readonly plan: Plan;
	/** The customer who buys the service: the owner of the API key. Null for the demo key, which belongs to nobody. */
	readonly ownerId: string | null;
	/** The company that the bearer token speaks for; absent when only an API key was sent. */
	readonly tenantId?: string;
	/** The API key's id, when one was sent. */
	readonly keyId?: string;
	/** The OAuth client of the bearer token, when one was sent. */
	readonly clientId?: string;
	readonly scopes: ReadonlySet<string>;
};

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
		errors: Type.Optional(Type.Array(FaultSchema, { description: "All violated rules." })),
	},
	{ $id: "Problem", additionalProperties: true, description: "Further members depend on the slug." },
);
export type ProblemSchema = Static<typeof ProblemSchema>;
