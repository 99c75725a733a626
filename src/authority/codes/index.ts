/** The dictionary of the authority's codes: explanations, corrections and the public operations that serve them. */
export {
	chooseLanguage,
	type Explanation,
	explainAll,
	explainCode,
	type Language,
	listFixes,
} from "./dictionary";
export { placeRoutes } from "./places";
export { authorityRoutes } from "./routes";
