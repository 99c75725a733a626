/**
 * The evidence of a test set, as one ZIP that needs no service to read.
 *
 *   README.txt                              what is in it, and what is not yet
 *   record.json                             the set's record at the time of the ZIP
 *   run-1/E31-01/request.json               the case's request
 *   run-1/E31-01/ecf.xml                    the signed document
 *   run-1/E32-07/summary.xml                the signed summary, if that was sent
 *   run-1/E31-01/answers/001-reception.json the authority's answers, verbatim and in order; .xml or .txt by content
 */
import type { ReadSealed } from "../../archive";
import { toZip } from "../../archive";
import type { Sql } from "../../platform/database";
import { type AuthorityAnswerRow, findAnswersOf } from "../invoices";
import { findCaseFiles, findCases } from "./store";
import { type CaseFile, type TestSetRow, toRecord } from "./test-set";

const README = `Evidence of a certification test set

record.json is the record of the set. Each run has a folder, with a folder for each case:

  request.json   the request of the document
  ecf.xml        the signed document (e-CF)
  summary.xml    for consumer invoices below 250,000.00: the signed summary (RFCE), which was sent.
                 Upload the full documents (ecf.xml) of these cases in the authority's portal.
  answers/       the authority's answers, verbatim. In a rehearsal (mode "simulate") the answers of the service's
                 own simulator; the authority has seen nothing of it.

A case without answers was never sent. Printed representations (PDF) are not included; a later release adds them.
`;

type Answer = Omit<AuthorityAnswerRow, "at">;

/** Equal sets give equal bytes. */
export async function packEvidence(
	sources: { readonly sql: Sql; readonly readSealed: ReadSealed },
	set: TestSetRow,
): Promise<Uint8Array> {
	const { sql } = sources;
	const { tenantId, id } = set;
	const [cases, files] = await Promise.all([findCases(sql, set), findCaseFiles(sql, { tenantId, id })]);
	const sent = files.filter(({ isRehearsed, sentAt }) => !isRehearsed && sentAt !== null);
	const answers = Map.groupBy(
		await findAnswersOf(
			sources,
			sent.map(({ docId }) => ({ tenantId, docId })),
		),
		({ docId }) => docId,
	);
	return toZip([
		["README.txt", encode(README)],
		["record.json", encode(`${JSON.stringify(toRecord(set, cases), undefined, "\t")}\n`)],
		...files.flatMap((file) => toEntries(file, file.isRehearsed ? file.answers : (answers.get(file.docId) ?? []))),
	]);
}

function toEntries(file: CaseFile, answers: readonly Answer[]): [name: string, bytes: Uint8Array][] {
	const folder = `run-${file.run}/${file.name}`;
	return [
		[`${folder}/request.json`, encode(file.document.request)],
		...file.document.documents.map(({ kind, text }): [string, Uint8Array] => [`${folder}/${kind}.xml`, encode(text)]),
		...answers.map((answer, i): [string, Uint8Array] => [
			`${folder}/answers/${nameOf(answer, i + 1)}`,
			encode(answer.body),
		]),
	];
}

function nameOf({ operation, body }: Answer, n: number): string {
	const start = body.trimStart();
	const extension = /^[{["]/.test(start)
		? "json"
		: start.startsWith("<") && !/^<(!doctype|html)/i.test(start)
			? "xml"
			: "txt";
	return `${String(n).padStart(3, "0")}-${operation.replace(/[^a-z0-9]+/g, "-")}.${extension}`;
}

function encode(text: string): Uint8Array {
	return new TextEncoder().encode(text);
}
