/** A document's fault as a text for callers: in English its detail, in Spanish the sentence of its code. */
import { bilingual, type Message } from "../../platform/problem";
import type { DocumentFault, DocumentFaultCode } from "./signature-parts";

const IN_SPANISH: Readonly<Record<DocumentFaultCode, string>> = {
	"too-large": "el documento es demasiado grande",
	"too-many-nodes": "el documento tiene demasiados elementos",
	"too-many-attributes": "un elemento tiene demasiados atributos",
	"too-deep": "los elementos están anidados a demasiada profundidad",
	encoding: "la codificación no es UTF-8",
	"illegal-character": "contiene un carácter que XML no admite",
	"document-type": "contiene una declaración de tipo de documento",
	"processing-instruction": "contiene una instrucción de procesamiento",
	entity: "contiene una referencia a una entidad",
	"comment-in-text": "contiene un comentario dentro de un texto",
	"not-well-formed": "no es XML bien formado",
	"content-outside-root": "hay contenido fuera del elemento raíz",
	"duplicate-attribute": "un atributo aparece dos veces",
	namespace: "un espacio de nombres no es válido",
	"signature-missing": "el documento no está firmado",
	"signature-repeated": "hay más de una firma",
	"signature-misplaced": "la firma no está en su lugar",
	"signature-shape": "la firma contiene algo inesperado",
	"id-repeated": "un Id aparece dos veces",
	"algorithm-refused": "la firma usa un algoritmo que no se acepta",
	"transform-refused": "la firma usa una transformación que no se acepta",
	"reference-refused": "las referencias de la firma no son las esperadas",
	"key-info-refused": "la firma no contiene exactamente un certificado",
	"object-refused": "la firma contiene un objeto que no se acepta",
	"properties-refused": "las propiedades firmadas no se aceptan",
	"base64-malformed": "un texto en base64 está mal formado",
	"document-digest-differs": "el documento no es el que se firmó",
	"properties-digest-differs": "las propiedades firmadas no son las que se firmaron",
	"signature-value-wrong": "la clave del certificado no corresponde a la firma",
	"certificate-unreadable": "el certificado no se puede leer",
	"certificate-key-refused": "la clave del certificado no es RSA de 2048 a 8192 bits",
	"certificate-usage-refused": "el certificado no puede usarse para firmar documentos",
	"certificate-expired": "el certificado estaba vencido al firmar",
	"certificate-not-yet-valid": "el certificado aún no estaba vigente al firmar",
	"certificate-untrusted": "ninguna autoridad de confianza emitió el certificado",
	"certificate-unexpected": "no es el certificado que se esperaba",
	"certificate-mismatch": "las propiedades firmadas nombran otro certificado",
	"signing-time-malformed": "la hora de la firma no es un instante",
	"signing-time-in-future": "dice haberse firmado en el futuro",
};

export function describeFault({ code, detail }: DocumentFault): Message {
	return bilingual(detail, IN_SPANISH[code]);
}
