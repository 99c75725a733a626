/** The problem document as callers read it. */
import { type Static, Type } from "@sinclair/typebox";

const FaultSchema = Type.Object(
	{
		pointer: Type.String({
			description:
				"RFC 6901 pointer into the body; `#/headers/…`, `#/query/…` and `#/path/…` for the rest of the request.",
		}),
		code: Type.String({ description: "Stable name of the rule." }),
		detail: Type.String(),
	},
	{ $id: "Fault", additionalProperties: true, description: "One broken rule; further members depend on the rule." },
);

/** Source: RFC 9457, section 3. */
export const ProblemSchema = Type.Object(
	{
		type: Type.String({ format: "uri", description: "Ends in the slug; the address is a page with cause and fix." }),
		title: Type.String(),
		status: Type.Integer({ minimum: 400, maximum: 599 }),
		detail: Type.String({ description: "What happened this time." }),
		instance: Type.String({ description: "Path of the request." }),
		requestId: Type.String({ description: "As in `X-Request-Id`." }),
		errors: Type.Optional(Type.Array(FaultSchema, { description: "Every broken rule at once." })),
	},
	{ $id: "Problem", additionalProperties: true, description: "Further members depend on the slug." },
);
export type ProblemSchema = Static<typeof ProblemSchema>;
