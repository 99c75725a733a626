/** Checks a document against its layout: the root, order and presence of elements, and the form of their values. */
import { ECF_LAYOUTS } from "./ecf-layout";
import { type FileNumber, invalidField, type Message } from "./judgement";
import { type Block, SUMMARY_LAYOUT } from "./layouts";
import { textAt, type XmlElement } from "./read-document";

const MESSAGES_MAX = 20;

export type Channel = "main" | "fc";

/** All structural faults; empty if the fields of the document can be read. */
export function checkStructure(root: XmlElement, channel: Channel, file: FileNumber): Message[] {
	const wanted = channel === "fc" ? "RFCE" : "ECF";
	if (root.name !== wanted) return [fault(`El elemento raíz debe ser ${wanted}.`)];
	const type = textAt(root, "Encabezado/IdDoc/TipoeCF") ?? "";
	const layout = channel === "fc" ? SUMMARY_LAYOUT : ECF_LAYOUTS.get(type);
	if (!layout) return [fault("El tipo de e-CF no es válido.")];
	const messages = [...checkBlock(root, layout), ...checkNumber(root, type, file)];
	return messages.slice(0, MESSAGES_MAX);
}

/** Faults of any document against a layout. */
export function checkAgainst(root: XmlElement, layout: Block): Message[] {
	return checkBlock(root, layout);
}

function fault(text: string): Message {
	return { code: "64", text };
}

/** The number in the document matches its type and the file's name. */
function checkNumber(root: XmlElement, type: string, file: FileNumber): Message[] {
	const encf = textAt(root, "Encabezado/IdDoc/eNCF") ?? "";
	const rnc = textAt(root, "Encabezado/Emisor/RNCEmisor") ?? "";
	const messages: Message[] = [];
	if (encf.slice(1, 3) !== type) messages.push(fault("El tipo de e-CF no corresponde con el e-NCF."));
	if (/^E..0+$/.test(encf)) messages.push(fault("La secuencia del e-NCF no puede ser cero."));
	if (encf !== file.encf || rnc !== file.rnc) {
		messages.push(fault("El nombre del archivo no corresponde con el RNC emisor y el e-NCF."));
	}
	return messages;
}

/** `section`: the child of the root that is or contains the element; absent for the root itself. */
function checkBlock(element: XmlElement, block: Block, section?: string): Message[] {
	const area = element.name;
	const messages: Message[] = [];
	const counts = new Map<string, number>();
	let furthest = 0;
	for (const child of element.children) {
		const place = { field: child.name, area, section: section ?? area };
		const position = block.positions.get(child.name) ?? -1;
		const known = block.landmarks[position];
		if (!known) {
			messages.push(invalidField("64", place));
			continue;
		}
		const count = (counts.get(child.name) ?? 0) + 1;
		counts.set(child.name, count);
		if (position < furthest) messages.push(fault(`El elemento ${child.name} de ${area} está fuera de orden.`));
		if (count > known.most) messages.push(fault(`El elemento ${child.name} de ${area} se repite demasiado.`));
		if (known.form && (child.children.length > 0 || !known.form.fits(child.text))) {
			const { code, text } = invalidField("64", place);
			messages.push({ code, text: `${text} Se espera: ${known.form.says}.` });
		}
		if (known.block && child.text !== "") messages.push(invalidField("64", place));
		else if (known.block) messages.push(...checkBlock(child, known.block, section ?? child.name));
		furthest = Math.max(furthest, position);
		if (messages.length >= MESSAGES_MAX) return messages;
	}
	for (const wanted of block.landmarks) {
		if (wanted.isRequired && !counts.has(wanted.name)) {
			messages.push(fault(`Falta el elemento ${wanted.name} en ${area}.`));
		}
	}
	return messages;
}

/** One message for every empty element: an unused element must be left out. */
export function findEmptyElements(root: XmlElement): Message[] {
	if (isEmpty(root)) return [invalidField("64", { field: root.name, area: root.name, section: root.name })];
	return root.children.flatMap((section) => findBelow(section, { area: root.name, section: section.name }));
}

function findBelow(element: XmlElement, place: { area: string; section: string }): Message[] {
	if (isEmpty(element)) return [invalidField("64", { field: element.name, ...place })];
	return element.children.flatMap((child) => findBelow(child, { ...place, area: element.name }));
}

function isEmpty(element: XmlElement): boolean {
	return element.children.length === 0 && element.text === "";
}
