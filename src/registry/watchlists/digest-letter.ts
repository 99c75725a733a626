/** What a digest says, in Spanish and English: plain text with the first changes, and all of them as CSV. */
import { type MailMessage, SUBJECT_LENGTH_MAX, toHeaderText } from "../../platform/mail";
import { csvLine, isoToAuthorityDate, textCell } from "../../platform/values";
import type { ChangeRow } from "../changes";
import { isRisk } from "./join";
import type { DigestList, DigestMail, Locale } from "./store";

/** Where a person or a mail program stops the digests. */
export const DIGEST_LINK_PATH = "/v1/watchlist-mails";

const ROWS_MAX = 50;
/** The longest value in the text; the attachment has all of it. Units: characters. */
const VALUE_MAX = 80;
/** Gap: changes beyond this are left out of the attachment, and the text says so. */
const CSV_BYTES_MAX = 10 * 1024 * 1024;
const COLUMNS = ["list", "document", "reference", "change", "risk", "field", "was", "is", "run_id", "at"];

type Words = {
	readonly subject: (changes: number) => string;
	readonly lead: (day: string) => string;
	readonly section: (list: string, changes: number, risks: number) => string;
	readonly added: string;
	readonly removed: string;
	/** The source does not say which value. */
	readonly unknown: string;
	readonly risk: string;
	readonly fields: Readonly<Record<string, string>>;
	readonly more: (rows: number) => string;
	readonly attached: (file: string) => string;
	readonly cut: string;
	readonly fileName: (day: string) => string;
	readonly why: (baseUrl: string) => string;
	readonly stop: string;
};

const WORDS: Readonly<Record<Locale, Words>> = {
	es: {
		subject: (changes) =>
			`Registro de contribuyentes: ${changes === 1 ? "1 cambio" : `${changes} cambios`} en sus listas`,
		lead: (day) => `Estos números de sus listas cambiaron en el registro de contribuyentes hasta el ${day}.`,
		section: (list, changes, risks) =>
			`${list}: ${changes === 1 ? "1 cambio" : `${changes} cambios`}${risks > 0 ? `, ${risks} de riesgo` : ""}`,
		added: "aparece en el registro",
		removed: "ya no está en el registro",
		unknown: "cambió",
		risk: "RIESGO",
		fields: {
			...{ status: "estado", name: "nombre", trade_name: "nombre comercial" },
			...{ economic_activity: "actividad económica", payment_regime: "régimen de pagos" },
		},
		more: (rows) => `Y ${rows === 1 ? "1 cambio más" : `${rows} cambios más`} en el archivo adjunto.`,
		attached: (file) => `Todos los cambios están en el archivo adjunto ${file}.`,
		cut: "El archivo adjunto no contiene todos los cambios, porque son demasiados. La API los entrega completos.",
		fileName: (day) => `cambios-${day}.csv`,
		why: (baseUrl) => `Una lista de ${baseUrl} tiene su dirección.`,
		stop: "Para no recibir más estos correos:",
	},
	en: {
		subject: (changes) => `Taxpayer registry: ${changes === 1 ? "1 change" : `${changes} changes`} on your lists`,
		lead: (day) => `These numbers of your lists changed in the taxpayer registry up to ${day}.`,
		section: (list, changes, risks) =>
			`${list}: ${changes === 1 ? "1 change" : `${changes} changes`}${risks > 0 ? `, ${risks} at risk` : ""}`,
		added: "appears in the registry",
		removed: "is no longer in the registry",
		unknown: "changed",
		risk: "RISK",
		fields: {
			...{ status: "status", name: "name", trade_name: "trade name" },
			...{ economic_activity: "economic activity", payment_regime: "payment regime" },
		},
		more: (rows) => `And ${rows === 1 ? "1 more change" : `${rows} more changes`} in the attached file.`,
		attached: (file) => `All changes are in the attached file ${file}.`,
		cut: "The attached file does not have all changes, because they are too many. The API has all of them.",
		fileName: (day) => `changes-${day}.csv`,
		why: (baseUrl) => `A list at ${baseUrl} has your address.`,
		stop: "To stop these mails:",
	},
};

/** A list of a mail with its changes and their references. */
export type DigestSection = {
	readonly list: DigestList;
	readonly changes: readonly (ChangeRow & { readonly reference: string })[];
};

/** Undefined without a change. In English only if all lists are. */
export function toDigestLetter(
	{ day, secret }: Pick<DigestMail, "day" | "secret">,
	sections: readonly DigestSection[],
	baseUrl: string,
): Omit<MailMessage, "id" | "to"> | undefined {
	const rows = sections.flatMap(({ list, changes }) => changes.map((change) => ({ list, change })));
	if (rows.length === 0) return undefined;
	const locale: Locale = sections.every(({ list }) => list.locale === "en") ? "en" : "es";
	const words = WORDS[locale];
	const risky = rows.filter(({ change }) => isRisk(change));
	const shown = [...risky, ...rows.filter(({ change }) => !isRisk(change))].slice(0, ROWS_MAX);
	const { bytes, isCut } = toCsv(sections);
	const fileName = words.fileName(day);
	const left = rows.length - shown.length;
	const unsubscribeUrl = `${baseUrl}${DIGEST_LINK_PATH}/${secret}${locale === "en" ? "?lang=en" : ""}`;
	const text = [
		words.lead(locale === "es" ? isoToAuthorityDate(day) : day),
		sections
			.map(({ list, changes }) => words.section(toHeaderText(list.name), changes.length, changes.filter(isRisk).length))
			.join("\n"),
		shown.map(({ list, change }) => toRow(words, list.name, list.fields, change)).join("\n"),
		[...(left > 0 ? [words.more(left)] : []), isCut ? words.cut : words.attached(fileName)].join("\n"),
		// "-- " starts a signature, which mail programs leave out of replies.
		["-- ", words.why(baseUrl), words.stop, unsubscribeUrl].join("\n"),
	].join("\n\n");
	return {
		subject: toHeaderText(words.subject(rows.length), SUBJECT_LENGTH_MAX),
		...{ text, unsubscribeUrl },
		attachments: [{ fileName, contentType: "text/csv", bytes }],
	};
}

type Change = DigestSection["changes"][number];

function toRow(words: Words, list: string, watched: readonly string[], change: Change): string {
	const { document, reference, kind } = change;
	const fields = watchedFields(change, watched).map(
		({ field, was, is }) => `${words.fields[field] ?? field}: ${shorten(was)} → ${shorten(is)}`,
	);
	const what = kind === "changed" ? fields.join("; ") || words.unknown : words[kind];
	const parts = [document, ...(reference === "" ? [] : [toHeaderText(reference)]), toHeaderText(list), what];
	return `${parts.join(" · ")}${isRisk(change) ? ` [${words.risk}]` : ""}`;
}

const shorten = (value: string) => (value === "" ? "—" : toHeaderText(value, VALUE_MAX));

const watchedFields = ({ fields }: Change, watched: readonly string[]) =>
	(fields ?? []).filter(({ field }) => watched.includes(field));

const NO_FIELD = { field: "", was: "", is: "" };

/** One line for each value that changed. */
function toCsv(sections: readonly DigestSection[]): { readonly bytes: Uint8Array; readonly isCut: boolean } {
	const lines = [csvLine(COLUMNS)];
	let length = 0;
	for (const { list, changes } of sections) {
		for (const change of changes) {
			const fields = watchedFields(change, list.fields);
			for (const { field, was, is } of fields.length > 0 ? fields : [NO_FIELD]) {
				const line = csvLine([
					...[textCell(list.name), change.document, textCell(change.reference), change.kind, String(isRisk(change))],
					...[field, textCell(was), textCell(is), change.runId, change.at.toISOString()],
				]);
				length += Buffer.byteLength(line);
				if (length > CSV_BYTES_MAX) return { bytes: Buffer.from(lines.join("")), isCut: true };
				lines.push(line);
			}
		}
	}
	return { bytes: Buffer.from(lines.join("")), isCut: false };
}
