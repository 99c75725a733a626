/** Small immutable values used everywhere; they know nothing of the service. */
export { parseRange } from "./address-range";
export { isBaseUrl } from "./base-url";
export { fromBase64, fromHex, isSameBytes, joinBytes, toBase64, toHex } from "./bytes";
export { type Clock, systemClock } from "./clock";
export { DECIMAL_PATTERN, Decimal } from "./decimal";
export { EMAIL_PATTERN, MAILABLE_PATTERN } from "./email";
export { ENVIRONMENTS, type Environment, isSandbox } from "./environment";
export { firstIdAt, ID_PATTERN, isId, newId, timeOfId } from "./id";
export { parseInstant } from "./instant";
export {
	daysBetween,
	findDocumentDayFault,
	isIsoDate,
	isoToAuthorityDate,
	toAuthorityDate,
	toAuthorityDateTime,
	toLocalIsoDate,
} from "./local-time";
export { hasCheckDigit, maskDocument, parseTaxpayerDocument, type TaxpayerDocument } from "./taxpayer-document";
export { isLongerThan, isShorterThan } from "./text-length";
export { isXmlText } from "./xml-text";
