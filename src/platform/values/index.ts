/** Small immutable values without dependencies. */

export { fromBase64, fromHex, isSameBytes, joinBytes, toBase64, toHex } from "./bytes";
export { DECIMAL_PATTERN, Decimal } from "./decimal";
export { ENVIRONMENTS, type Environment, firstIdAt, ID_PATTERN, isId, isSandbox, newId, timeOfId } from "./id";
export { isBaseUrl, isForwarded, isLoopbackHost, LOOPBACK_RANGES, parseRange } from "./network";
export { joinFrames, packFrame, splitFrames, unpackFrame } from "./packed-texts";
export { hasCheckDigit, maskDocument, parseTaxpayerDocument, type TaxpayerDocument } from "./taxpayer-document";
export {
	csvLine,
	EMAIL_PATTERN,
	isLongerThan,
	isShorterThan,
	isXmlText,
	MAILABLE_PATTERN,
	ONE_LINE_PATTERN,
	textCell,
} from "./text";
export {
	type Clock,
	daysBetween,
	isIsoDate,
	isoToAuthorityDate,
	parseInstant,
	systemClock,
	toAuthorityDate,
	toAuthorityDateTime,
	toLocalIsoDate,
} from "./time";
