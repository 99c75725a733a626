/** XML from outside: a strict reader into a plain tree, and canonical output. */
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
