/** XML from outside: read strictly into a plain tree, and written again in canonical form. */
export { type CanonicalMethod, canonicalize, compareCodePoints } from "./canonical-form";
export { toCanonicalAttribute, toCanonicalText } from "./canonical-text";
export { attributeOf, childElements, descendantsOf, isBlank, textOf, type XmlElement } from "./element";
export type { XmlFaultCode } from "./fault";
export { isXmlElement, OUTSIDE_LIMITS, OWN_LIMITS, readXmlBytes, readXmlText, type XmlLimits } from "./read-xml";
