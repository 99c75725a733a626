/** The texts of an export beside the sealed objects: lists and README. */
import type { ListedObject, Selection } from "../documents/store";
import type { Link } from "./store";

const INDEX_COLUMNS = [
	...["docId", "encf", "type", "status", "decidedAt", "archivedAt", "retainUntil", "bytes", "sha256"],
	...["log", "leafIndex", "chainIndex", "chainHash", "path", "fault"],
];
const CHAIN_COLUMNS = ["chainIndex", "docId", "sha256", "decidedAt", "chainHash"];

/** No value has a comma, a quote or a line break. */
const toLine = (values: readonly (string | number | null)[]) => `${values.map((value) => value ?? "").join(",")}\r\n`;

export const INDEX_HEAD = toLine(INDEX_COLUMNS);
export const CHAIN_HEAD = toLine(CHAIN_COLUMNS);

/** The entry of a sealed object: a folder per document, a file per decision. */
export function entryOf({ docId, objectKey }: Pick<ListedObject, "docId" | "objectKey">): string {
	return `documents/${docId}/${objectKey.slice(objectKey.lastIndexOf("/") + 1)}`;
}

/** `fault` says why the object is not in the export. */
export function indexLine(one: ListedObject, fault: string | null): string {
	return toLine([
		...[one.docId, one.encf, one.type, one.status, one.decidedAt.toISOString(), one.archivedAt.toISOString()],
		...[
			one.retainUntil.toISOString(),
			one.bytes,
			one.sha256,
			one.log,
			one.leafIndex,
			one.chainIndex,
			one.chainHash,
			entryOf(one),
			fault,
		],
	]);
}

export function chainLine(link: Link): string {
	return toLine([link.chainIndex, link.docId, link.sha256, link.decidedAt.toISOString(), link.chainHash]);
}

const CHAIN_ES = `  chain.csv                los enlaces de la cadena de la empresa, del primero al último de estos documentos, sin saltos
`;
const CHAIN_EN = `  chain.csv                the links of the company's chain, from the first to the last of these documents, without gaps
`;
const VERIFY_CHAIN_ES = `3. Cada chainHash de chain.csv es SHA-256(chainHash anterior, 32 bytes | sha256, 32 bytes | docId, 16 bytes | decidedAt en
   milisegundos desde 1970, entero de 64 bits, el mayor primero). Antes del primero está "from" de archive.json; el último es "to".
`;
const VERIFY_CHAIN_EN = `3. Every chainHash of chain.csv is SHA-256(the chainHash before, 32 bytes | sha256, 32 bytes | docId, 16 bytes | decidedAt in
   milliseconds since 1970, 64-bit integer, largest byte first). Before the first comes "from" of archive.json; the last is "to".
`;

/** README.txt of an export: how to read and verify it without the service. */
export function readmeOf({ from, to, tenantId, docIds }: Selection): string {
	const ofDays = docIds === null;
	const ifOfDays = (text: string) => (ofDays ? text : "");
	return `Archivo de comprobantes fiscales electrónicos (e-CF), ${from} a ${to}, empresa ${tenantId}
English below.

QUÉ ES
Copia de los documentos ${ofDays ? "que se decidieron en ese período (días de UTC-4)" : "que se eligieron"}, tal como están en el archivo.

  documents/<docId>/….zip  el objeto sellado de una decisión, byte por byte: el e-CF firmado, las respuestas de la autoridad,
                           la solicitud y la historia. Un documento que falló y se decidió de nuevo tiene dos.
  index.csv                una línea por objeto: su SHA-256, su lugar en el registro del archivo y en la cadena de la empresa. Si "fault" no
                           está vacío, el objeto está dañado en el archivo y falta aquí
${ifOfDays(CHAIN_ES)}  archive.json             los extremos de la cadena, los objetos dañados, y la raíz del registro (árbol de Merkle) con su tamaño
  checkpoint.txt, key.txt  si los hay: la raíz firmada de los 64 registros, y la llave pública con que se verifica
  logs.txt                 el tamaño y la raíz de cada registro bajo esa raíz

CÓMO VERIFICAR
1. El SHA-256 de cada archivo de documents/ es el de su línea en index.csv.
2. La firma de checkpoint.txt cubre la raíz de todo el archivo. Que un documento está bajo esa raíz lo prueba su evidencia:
   GET /v1/invoices/{docId}/evidence.
${ifOfDays(VERIFY_CHAIN_ES)}
WHAT THIS IS
A copy of the documents that were ${ofDays ? "decided in that period (days of UTC-4)" : "chosen"}, as they are in the archive.

  documents/<docId>/….zip  the sealed object of a decision, byte for byte: the signed e-CF, the authority's answers, the request
                           and the history. A document that failed and was decided again has two.
  index.csv                a line for each object: its SHA-256, its place in the log of the archive and in the company's chain. If "fault"
                           is not empty, the object is damaged in the archive and missing here
${ifOfDays(CHAIN_EN)}  archive.json             the ends of the chain, damaged objects, and the root of the log (a Merkle tree) with its size
  checkpoint.txt, key.txt  where there are any: the signed root of the 64 logs, and the public key that verifies it
  logs.txt                 the size and the root of each log below that root

HOW TO VERIFY IT
1. The SHA-256 of every file below documents/ is that of its line in index.csv.
2. The signature of checkpoint.txt covers the root of the whole archive. That a document is below that root is proven by its
   evidence: GET /v1/invoices/{docId}/evidence.
${ifOfDays(VERIFY_CHAIN_EN)}`;
}
