/** The public operation that lists the places of an address. */
import { Type } from "@sinclair/typebox";
import { listPlaces } from "../../ecf/mapping";
import { type Operation, PUBLIC } from "../../platform/operation";
import { answerWithEtag, conditional, notModified } from "./routes";

const PlaceSchema = Type.Object(
	{
		code: Type.String({
			description: "Six digits, two each for province, municipality and district. 00 stands for the whole.",
		}),
		name: Type.String(),
		level: Type.Union([Type.Literal("province"), Type.Literal("municipality"), Type.Literal("district")]),
		provinceCode: Type.String({ description: "Code of the province." }),
	},
	{ $id: "Place" },
);

const ListSchema = Type.Object({
	items: Type.Array(PlaceSchema),
	count: Type.Integer(),
	partial: Type.Boolean(),
	next: Type.Null(),
});

const EXAMPLE = { code: "010100", name: "Santo Domingo de Guzmán", level: "municipality", provinceCode: "010000" };

export function placeRoutes(): Operation[] {
	return [
		{
			id: "listPlaces",
			sdk: "service.listPlaces",
			method: "GET",
			path: "/v1/places",
			tag: "Authority",
			summary: "List provinces, municipalities and districts",
			description:
				"The authority's table of places: 582 codes for `address.municipalityCode` and `address.provinceCode` of a company, and for " +
				"`customer.address` of an invoice.",
			credentials: PUBLIC,
			parameters: [conditional],
			answers: {
				200: {
					description: "Every place, by code.",
					schema: ListSchema,
					example: { items: [EXAMPLE], count: 1, partial: false, next: null },
					headers: { ETag: "Hash of the table." },
				},
				304: notModified,
			},
			problems: [],
			handle: (call) => {
				const items = listPlaces();
				return answerWithEtag(call, { items, count: items.length, partial: false, next: null });
			},
		},
	];
}
