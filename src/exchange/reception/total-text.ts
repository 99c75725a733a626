/** The total as it is written in a received document: the address in the QR code has it so, and amounts are stored with two decimals. */
import { childElements, isXmlElement, readXmlText, textOf, type XmlElement } from "../../platform/xml";

const HEAD_END = "</Encabezado>";

/** Undefined where the head's end is spelt in a way of its own. */
export function readTotalText(signedXml: Uint8Array): string | undefined {
	const bytes = Buffer.from(signedXml.buffer, signedXml.byteOffset, signedXml.byteLength);
	// A document may have thousands of lines, which have nothing to say here and would keep other requests waiting.
	const end = bytes.indexOf(HEAD_END);
	if (end < 0) return undefined;
	const head = readXmlText(`${bytes.toString("utf8", 0, end)}${HEAD_END}</ECF>`);
	if (!isXmlElement(head)) return undefined;
	const total = ["Encabezado", "Totales", "MontoTotal"].reduce<XmlElement | undefined>(findOnly, head);
	return total && textOf(total).trim();
}

function findOnly(element: XmlElement | undefined, name: string): XmlElement | undefined {
	const found = element ? childElements(element).filter(({ localName }) => localName === name) : [];
	return found.length === 1 ? found[0] : undefined;
}
