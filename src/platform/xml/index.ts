/** XML from outside: read strictly into a plain tree, and written again in canonical form. */
export {
	type CanonicalMethod,
	canonicalize,
	compareCodePoints,
	toCanonicalAttribute,
	toCanonicalText,
} from "./canonical-form";
export type { XmlFaultCode, XmlLimits } from "./element";
export { attributeOf, childElements, descendantsOf, isBlank, textOf, type XmlElement } from "./element";
export { isXmlElement, OUTSIDE_LIMITS, OWN_LIMITS, readXmlBytes, readXmlText } from "./read-xml";
