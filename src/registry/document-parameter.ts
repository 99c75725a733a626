/** The number in a path. */
import { Type } from "@sinclair/typebox";
import type { Call, Parameter } from "../platform/operation";
import { Problem } from "../platform/problem";
import { parseTaxpayerDocument, type TaxpayerDocument } from "../platform/values";

export const documentParameter: Parameter = {
	name: "document",
	in: "path",
	required: true,
	description: "RNC of 9 or 11 digits, or Cédula of 11 digits; hyphens are optional. Check digits are not judged.",
	schema: Type.String(),
	example: "131880681",
	takesUndecodable: true,
};

/** Throws: invalid-document-format. */
export function readDocument(call: Call): TaxpayerDocument {
	const document = parseTaxpayerDocument(call.params.document ?? "");
	if (!document) throw new Problem("invalid-document-format");
	return document;
}
