/** The dictionary of the authority's codes: explanations, corrections and the public operations that serve them. */
export {
	type Advice,
	AdviceSchema,
	type Correction,
	correctionOf,
	type Explanation,
	explainAll,
	explainCode,
	type Fix,
	FixSchema,
} from "./dictionary";
export { placeRoutes } from "./places";
export { authorityRoutes } from "./routes";
