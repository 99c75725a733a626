/** A test set in the forms in which callers ask for it and see it. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { ECF_TYPES } from "../../ecf/signing";
import { STATUSES } from "./machine";
import { NICHE_NAMES } from "./niches";

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const OneOf = (values: readonly string[], description: string) =>
	Type.Union(
		values.map((value) => Type.Literal(value)),
		{ description },
	);

/** Body of `POST /v1/check-set-tests`; nothing in it is required. */
export const TestSetRequest = Type.Object(
	{
		idCompany: Type.Optional(
			Type.String({ maxLength: 64, description: "The company, which is the token's; another one is not found." }),
		),
		types: Type.Optional(
			Type.Array(Type.String({ maxLength: 8 }), {
				minItems: 1,
				maxItems: ECF_TYPES.length,
				uniqueItems: true,
				description: `Of ${ECF_TYPES.join(", ")}; default all, which alone opens production. What they refer to comes with them.`,
			}),
		),
		startNumber: Type.Optional(
			Type.String({
				pattern: "^[0-9]{10}$",
				faultCode: "number-form",
				faultDetail: "Send ten digits.",
				description: "Where the numbers of the set begin; default behind those that were used before.",
			}),
		),
		mode: Type.Optional(
			OneOf(
				["simulate", "authority"],
				"`simulate`: a rehearsal on a simulator of our own, without the authority and without numbers. Default `authority`, in the sandboxes `simulate`.",
			),
		),
		niche: Type.Optional(OneOf(NICHE_NAMES, "What the documents sell; default retail.")),
	},
	{ $id: "TestSetRequest", additionalProperties: false },
);
export type TestSetRequest = Omit<Static<typeof TestSetRequest>, "mode" | "niche"> & {
	readonly mode?: "simulate" | "authority";
	readonly niche?: (typeof NICHE_NAMES)[number];
};

const Fix = Type.Object({
	op: Type.String(),
	path: Type.String({ description: "A member of the case's request, as a JSON pointer." }),
	value: Type.String({ description: "What to put there, in words." }),
});

const Case = Type.Object({
	case: Type.String({ description: "Its name: type and place in the whole set." }),
	type: Type.String(),
	title: Type.String(),
	encf: Type.String(),
	docId: Nullable(Type.String({ description: "Its invoice, once it was sent; a rehearsed case has none." })),
	dependsOn: Nullable(Type.String({ description: "The case that must be accepted before." })),
	status: Type.String({
		description:
			"`generated` (signed, not sent), `pending`, `accepted`, `rejected`, `failed` (on our side), or `withdrawn` (never sent: the set ended before).",
	}),
	authority: Type.Optional(
		Type.Record(Type.String(), Type.Unknown(), { description: "What the authority said of it." }),
	),
});

export const TestSetRecord = Type.Object(
	{
		id: Type.String(),
		idCompany: Type.String(),
		environment: Type.String(),
		authorityEnvironment: Type.String({ description: "Sets always go to the authority's certification environment." }),
		mode: Type.String(),
		status: OneOf(STATUSES, "Final are `passed`, `failed`, `expired` and `cancelled`."),
		types: Type.Array(Type.String()),
		niche: Type.String(),
		progress: Type.Object({
			total: Type.Integer(),
			generated: Type.Integer(),
			submitted: Type.Integer(),
			accepted: Type.Integer(),
			rejected: Type.Integer(),
			pending: Type.Integer(),
		}),
		cases: Type.Array(Case, { description: "Of the last run, in the order of sending. Empty until they are signed." }),
		run: Type.Integer(),
		maxRuns: Type.Integer(),
		failure: Nullable(
			Type.Object({
				case: Nullable(Type.String()),
				code: Type.String(),
				detail: Type.String(),
				fix: Type.Array(Fix),
			}),
		),
		createdAt: Type.String(),
		startedAt: Nullable(Type.String()),
		completedAt: Nullable(Type.String()),
		expiresAt: Type.String(),
		_links: Type.Object({ self: Type.String(), evidence: Type.String() }),
	},
	{
		$id: "CheckSetTests",
		examples: [
			{
				id: "0192f100-7a00-7b11-9c22-334455667788",
				idCompany: "0192f0a1-b2c3-7d4e-8f00-112233445566",
				environment: "sandbox",
				authorityEnvironment: "certification",
				mode: "authority",
				status: "submitting",
				types: ["31", "34"],
				niche: "retail",
				progress: { total: 2, generated: 2, submitted: 1, accepted: 0, rejected: 0, pending: 1 },
				cases: [
					{
						case: "E31-04",
						type: "31",
						title: "On credit",
						encf: "E310000000004",
						docId: "0192f101-7a00-7b11-9c22-334455667788",
						dependsOn: null,
						status: "pending",
						authority: { trackId: "d2b6e27c-3908-46f3-afaa-2207b9501b4b" },
					},
					{
						case: "E34-13",
						type: "34",
						title: "Credit note that corrects text, total 0.00",
						encf: "E340000000013",
						docId: null,
						dependsOn: "E31-04",
						status: "generated",
					},
				],
				run: 1,
				maxRuns: 5,
				failure: null,
				createdAt: "2026-11-20T14:10:00.000Z",
				startedAt: "2026-11-20T14:10:01.000Z",
				completedAt: null,
				expiresAt: "2026-11-27T14:10:00.000Z",
				_links: {
					self: "/v1/check-set-tests/0192f100-7a00-7b11-9c22-334455667788/idCompany/0192f0a1-b2c3-7d4e-8f00-112233445566",
					evidence:
						"/v1/check-set-tests/0192f100-7a00-7b11-9c22-334455667788/idCompany/0192f0a1-b2c3-7d4e-8f00-112233445566/evidence",
				},
			},
		],
	},
);
export type TestSetRecord = Static<typeof TestSetRecord>;
