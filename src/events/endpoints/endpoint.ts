/** A webhook endpoint: its row, the requests that create and change it, and its record in the API. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { Plan } from "../../platform/operation";
import type { Environment } from "../../platform/values";
import { EVENT_PATTERNS, SPECIFIED_EVENTS } from "../catalogue";

type EndpointStatus = "enabled" | "disabled";
/** Whether an event of a document waits until the previous one has arrived. */
type Ordering = "per_document" | "none";
/** Whether dead letters are sent again automatically when the endpoint answers again. */
type Recovery = "automatic" | "manual";

export type WebhookEndpoint = {
	readonly id: string;
	/** Whose events it gets: a company, or an owner who is a customer of the registry. */
	readonly tenantId: string;
	readonly isOwners: boolean;
	readonly url: string;
	/** Event names, or patterns such as `invoice.*`. */
	readonly events: readonly string[];
	readonly description: string | null;
	readonly status: EndpointStatus;
	readonly rateLimitPerSecond: number | null;
	readonly ordering: Ordering;
	readonly recovery: Recovery;
	/** The current probe for dead letters; all four are null without one. */
	readonly probeId: string | null;
	readonly probeFailures: number | null;
	/** Probes that succeeded in a row; above 0, the dead letters are being sent. */
	readonly probePasses: number | null;
	readonly probeNextAt: Date | null;
	readonly sealedSecret: Uint8Array;
	/** The first characters of the secret, by which its owner recognises it. */
	readonly secretHint: string;
	/** The new secret of a rotation; it takes over at `nextSecretAt`. All three are null without a rotation. */
	readonly sealedNextSecret: Uint8Array | null;
	readonly nextSecretHint: string | null;
	readonly nextSecretAt: Date | null;
	readonly version: number;
	readonly createdAt: Date;
	readonly updatedAt: Date;
};

export const DEFAULT_EVENTS: readonly string[] = SPECIFIED_EVENTS;
/** Events of an owner. */
export const OWNER_EVENTS: readonly string[] = ["registry.*", "webhook.*"];
/** Per company in the largest plan. */
export const ENDPOINTS_MAX = 50;

const Url = Type.String({
	minLength: 1,
	maxLength: 2_000,
	description: "An https URL that is reachable from the internet.",
});
const OWNER_PATTERNS = EVENT_PATTERNS.filter((pattern) => /^(registry|webhook)\./.test(pattern));
const OwnerEvents = Type.Array(Type.Union(OWNER_PATTERNS.map((pattern) => Type.Literal(pattern))), {
	minItems: 1,
	maxItems: 20,
	description: "Names or families. `registry.*` and `webhook.*` when absent.",
});
const EventPattern = Type.Union(EVENT_PATTERNS.map((pattern) => Type.Literal(pattern)));
const Events = Type.Array(EventPattern, {
	minItems: 1,
	maxItems: 20,
	description:
		"Names, or families such as `certificate.*`. The specification's three events when absent. `*` and `invoice.*` stand for those " +
		"three. Subscribe to other events by name or by their own family.",
});
const Description = Type.String({ minLength: 1, maxLength: 200, description: "What the endpoint is for." });
const RateLimit = Type.Integer({
	minimum: 1,
	maximum: 1_000,
	description: "Maximum number of new deliveries per second; others wait. Retries are not limited.",
});
const StatusSchema = (description: string) =>
	Type.Union([Type.Literal("enabled"), Type.Literal("disabled")], { description });
const OrderingSchema = Type.Union([Type.Literal("per_document"), Type.Literal("none")], {
	description:
		"`per_document`: an event of a document waits until the previous one is delivered or dead. `none`: events do not wait.",
});
const RecoverySchema = Type.Union([Type.Literal("automatic"), Type.Literal("manual")], {
	description:
		"`automatic`: the oldest dead letter is tried after 1, 5, 15 and 60 minutes, then every hour for five days. After a 2xx answer the " +
		"others follow, oldest first. `manual`: dead letters wait for `recover` or `redeliver`.",
});
const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Body of `POST /v1/webhooks`, and a webhook of `POST /v1/company`. */
export const EndpointRequest = Type.Object(
	{
		url: Url,
		events: Type.Optional(Events),
		description: Type.Optional(Description),
		rateLimitPerSecond: Type.Optional(RateLimit),
		ordering: Type.Optional(OrderingSchema),
		recovery: Type.Optional(RecoverySchema),
	},
	{ additionalProperties: false },
);
export type EndpointRequest = Static<typeof EndpointRequest>;

/** Body of `PATCH /v1/webhooks/{id}`: absent members stay, `null` clears. Source: RFC 7396. */
export const EndpointPatch = Type.Object(
	{
		url: Type.Optional(Url),
		events: Type.Optional(Events),
		description: Type.Optional(Nullable(Description)),
		status: Type.Optional(StatusSchema("A disabled webhook gets no deliveries.")),
		rateLimitPerSecond: Type.Optional(Nullable(RateLimit)),
		ordering: Type.Optional(OrderingSchema),
		recovery: Type.Optional(RecoverySchema),
	},
	{ additionalProperties: false },
);
export type EndpointPatch = Static<typeof EndpointPatch>;

/** The same two bodies for an owner's webhooks. */
export const OwnerEndpointRequest = Type.Object(
	{ ...EndpointRequest.properties, events: Type.Optional(OwnerEvents) },
	{ additionalProperties: false },
);
export const OwnerEndpointPatch = Type.Object(
	{ ...EndpointPatch.properties, events: Type.Optional(OwnerEvents) },
	{ additionalProperties: false },
);

const Probe = Type.Object(
	{
		status: Type.Union([Type.Literal("waiting"), Type.Literal("draining")], {
			description: "`draining`: the endpoint answered, and its dead letters are being sent.",
		}),
		attempts: Type.Integer({ description: "Failed tries in a row." }),
		nextAt: Type.String(),
	},
	{ description: "Present while dead letters are retried automatically. Not part of the version." },
);

/** The endpoint as the API shows it. Only the answer that created or replaced a secret has `secret`. */
export const EndpointRecord = Type.Object(
	{
		id: Type.String(),
		url: Type.String(),
		events: Type.Array(Type.String()),
		description: Nullable(Type.String()),
		status: StatusSchema("Disabled by its owner, or by the service after an answer of 410."),
		secret: Type.Optional(Nullable(Type.String({ description: "Shown once." }))),
		secretHint: Type.String(),
		nextSecretHint: Type.Optional(
			Type.String({ description: "Hint of the secret that signs `X-Service-Signature-Next` until it takes over." }),
		),
		previousSecretExpiresAt: Type.Optional(Type.String({ description: "When the next secret takes over." })),
		rateLimitPerSecond: Nullable(Type.Integer()),
		ordering: OrderingSchema,
		recovery: RecoverySchema,
		probe: Nullable(Probe),
		version: Type.Integer(),
		createdAt: Type.String(),
		updatedAt: Type.String(),
		_links: Type.Object({ self: Type.String() }),
	},
	{ $id: "Webhook" },
);
export type EndpointRecord = Static<typeof EndpointRecord>;

/**
 * True for demo tenants of the public sandbox. Anyone can be one, so the service never calls their endpoints; their feed has every event.
 */
export function isMuted({
	environment,
	plan,
}: {
	readonly environment: Environment | null;
	readonly plan: Plan | null;
}): boolean {
	return environment === "public-sandbox" && plan === "demo";
}
