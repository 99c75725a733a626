/** Every answer to a caller besides success, in the caller's language. */
export { catalogue, type ProblemSlug } from "./catalogue";
export { bilingual, joinMessages, LANGUAGES, type Language, Message, msg } from "./message";
export {
	FAULTS_MAX,
	type Fault,
	nameOfSegment,
	Problem,
	type ProblemOptions,
	pointerSegment,
} from "./problem";
export { chooseLanguage, type ProblemContext, toProblemDocument, translate, writeMessage } from "./translate";
