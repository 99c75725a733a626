/** A webhook endpoint in its forms: the request that makes it, the one that changes it, and the row that is stored. */
import { type Static, Type } from "@sinclair/typebox";
import { EVENT_PATTERNS, SPECIFIED_EVENTS } from "../catalogue/event-names";

type EndpointStatus = "enabled" | "disabled";
/** Whether an event of a document waits until the one before it has arrived. */
type Ordering = "per_document" | "none";
/** Whether its dead letters go out again by themselves when it lives again. */
type Recovery = "automatic" | "manual";

/** A tenant's webhook URL, with the events that it wants. */
export type WebhookEndpoint = {
	readonly id: string;
	readonly tenantId: string;
	readonly url: string;
	/** Event names, or patterns such as `invoice.*`. */
	readonly events: readonly string[];
	readonly description: string | null;
	readonly status: EndpointStatus;
	readonly rateLimitPerSecond: number | null;
	readonly ordering: Ordering;
	readonly recovery: Recovery;
	/** The probe for dead letters that is under way; all four are null otherwise. */
	readonly probeId: string | null;
	/** Failed in a row. */
	readonly probeFailures: number | null;
	/** Answered in a row: while there are any, the dead letters are going out. */
	readonly probePasses: number | null;
	readonly probeNextAt: Date | null;
	readonly sealedSecret: Uint8Array;
	/** The first characters of the secret, by which its owner tells it from others. */
	readonly secretHint: string;
	/** The secret of a rotation: it takes the place of the other one at `nextSecretAt`. All three are null otherwise. */
	readonly sealedNextSecret: Uint8Array | null;
	readonly nextSecretHint: string | null;
	readonly nextSecretAt: Date | null;
	readonly version: number;
	readonly createdAt: Date;
	readonly updatedAt: Date;
};

/** Events that an endpoint gets when it names none. */
export const DEFAULT_EVENTS: readonly string[] = SPECIFIED_EVENTS;
/** Of one company in the widest plan. */
export const ENDPOINTS_MAX = 50;

const Url = Type.String({
	minLength: 1,
	maxLength: 2_000,
	description: "An https URL that is reachable from the internet.",
});
const EventPattern = Type.Union(EVENT_PATTERNS.map((pattern) => Type.Literal(pattern)));
const Events = Type.Array(EventPattern, {
	minItems: 1,
	maxItems: 20,
	description:
		"Names, or families such as `certificate.*`; the specification's three when absent. `*` and `invoice.*` stand for those three: " +
		"what was added to them is asked for by its name or by its own family.",
});
const Description = Type.String({ minLength: 1, maxLength: 200, description: "What the endpoint is for." });
const RateLimit = Type.Integer({
	minimum: 1,
	maximum: 1_000,
	description: "At most so many new deliveries a second; the others wait. Retries are never moved.",
});
const StatusSchema = (description?: string) =>
	Type.Union([Type.Literal("enabled"), Type.Literal("disabled")], description === undefined ? {} : { description });
const OrderingSchema = Type.Union([Type.Literal("per_document"), Type.Literal("none")], {
	description:
		"`per_document`: an event of a document waits until the one before it is delivered or dead. `none`: it does not.",
});
const RecoverySchema = Type.Union([Type.Literal("automatic"), Type.Literal("manual")], {
	description:
		"`automatic`: while there are dead letters the endpoint is tried with the oldest one after 1, 5, 15 and 60 minutes, then every hour " +
		"for five days, and when it answers 2xx the others follow, oldest first. `manual`: they wait for `recover` or `redeliver`.",
});
const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

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

/** Body of `PATCH /v1/webhooks/{id}`: what is absent stays, `null` clears. Source: RFC 7396. */
export const EndpointPatch = Type.Object(
	{
		url: Type.Optional(Url),
		events: Type.Optional(Events),
		description: Type.Optional(Nullable(Description)),
		status: Type.Optional(StatusSchema()),
		rateLimitPerSecond: Type.Optional(Nullable(RateLimit)),
		ordering: Type.Optional(OrderingSchema),
		recovery: Type.Optional(RecoverySchema),
	},
	{ additionalProperties: false },
);
export type EndpointPatch = Static<typeof EndpointPatch>;

const Probe = Type.Object(
	{
		status: Type.Union([Type.Literal("waiting"), Type.Literal("draining")], {
			description: "`draining`: the endpoint answered, and its dead letters are going out.",
		}),
		attempts: Type.Integer({ description: "How often in a row it was tried in vain." }),
		nextAt: Type.String(),
	},
	{ description: "While dead letters are tried again by themselves. Not part of the version." },
);

/** The endpoint as the API shows it. `secret` stands only in the answer that made or replaced it. */
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
			Type.String({ description: "Of the secret that signs `X-Service-Signature-Next` until it takes over." }),
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
