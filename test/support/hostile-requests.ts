/**
 * Requests that cost their sender little and a careless receiver much: many names, many equal names, many items, deep nesting, long numbers,
 * long texts, each as a body, form, query or headers. Made from what an operation declares, so that a new one is covered.
 */
import type { TSchema } from "@sinclair/typebox";
import type { Operation } from "../../src/platform/operation";

export type HostileRequest = {
	/** Where the fault lies, for messages. */
	readonly kind: string;
	readonly query?: string;
	readonly headers?: readonly (readonly [string, string])[];
	/** Made when it is sent: some have 16 MiB. */
	readonly makeBody?: () => Uint8Array<ArrayBuffer>;
};

const KIB = 1024;
const SMALL_BYTES = 16 * KIB;
/** The service refuses longer URLs. */
const QUERY_BYTES = 7 * KIB;
const HEADERS_BYTES = 15 * KIB;
const MEMBER_BYTES = 256 * KIB;
const BOUNDARY = "hostile-boundary";
/** Careless patterns and readers go back and forth on these. */
const PIECES = ["a", "0", "-", " ", "a@a.", "1.", "\\n", "é", "\\u0001"];

/** `piece` repeated to about this many bytes. */
const fill = (piece: string, bytes: number) => piece.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(piece))));
const numbered = (bytes: number, piece: (i: number) => string, separator: string) => {
	const count = Math.max(1, Math.floor(bytes / (piece(100_000).length + separator.length)));
	return Array.from({ length: count }, (_, i) => piece(100_000 + i)).join(separator);
};

type Texts = (readonly [kind: string, make: () => string])[];

/** Texts of JSON values of about this size. */
function hostileValues(bytes: number): Texts {
	return [
		["names", () => `{${numbered(bytes, (i) => `"n${i}":1`, ",")}}`],
		["equal names", () => `{${fill('"type":1,', bytes)}"type":1}`],
		["items", () => `[${fill("{},", bytes)}{}]`],
		["depth", () => fill("[", bytes)],
		["depth of objects", () => fill('{"a":', bytes)],
		["flat depth", () => `[${fill(`${"[".repeat(12)}${"]".repeat(12)},`, bytes)}1]`],
		["a number", () => fill("9", bytes)],
		["a decimal", () => `0.${fill("9", bytes)}`],
		["numbers", () => `[${fill("1e308,", bytes)}1]`],
		["escapes", () => `"${fill("\\u0041", bytes)}"`],
		["quotes", () => fill('"', bytes)],
		...PIECES.map((piece) => [`a text of ${piece}`, () => `"${fill(piece, bytes)}"`] as const),
	];
}

/** Values in the place of one member after another, so that they reach the checks of each. */
function hostileMembers(schema: TSchema, bytes: number): Texts {
	const names = Object.keys((schema.properties as Record<string, TSchema> | undefined) ?? {});
	return names.flatMap((name) =>
		hostileValues(bytes).map(
			([kind, make]) => [`${kind} in ${name}`, () => `{${JSON.stringify(name)}:${make()}}`] as const,
		),
	);
}

function hostileForms(schema: TSchema, bytes: number): Texts {
	const names = Object.keys((schema.properties as Record<string, TSchema> | undefined) ?? {});
	return [
		// A third of the size: percent-encoding makes it three times as long.
		...names.flatMap((name) =>
			hostileValues(bytes / 3).map(
				([kind, make]) => [`${kind} in the form's ${name}`, () => `${name}=${encodeURIComponent(make())}`] as const,
			),
		),
		["form names", () => numbered(bytes, (i) => `n${i}=`, "&")],
		["equal form names", () => fill("scope=a&", bytes)],
		["form percent signs", () => `a=${fill("%", bytes)}`],
		["a form text", () => `client_id=${fill("%41", bytes)}`],
	];
}

function hostileParts(bytes: number): Texts {
	const part = (name: string, text: string) =>
		`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
	const end = `--${BOUNDARY}--\r\n`;
	return [
		["parts", () => numbered(bytes, (i) => part(`n${i}`, ""), "") + end],
		["equal parts", () => fill(part("xml", ""), bytes) + end],
		["boundaries", () => fill(`--${BOUNDARY}\r\n`, bytes)],
		["a part", () => part("xml", fill("<a>", bytes)) + end],
		["attributes", () => part("xml", `<a ${numbered(bytes, (i) => `n${i}="1"`, " ")}/>`) + end],
		["entities", () => part("xml", `<a>${fill("&amp;", bytes)}</a>`) + end],
		["a long header of a part", () => `--${BOUNDARY}\r\n${fill("Content-Disposition: a;", bytes)}\r\n\r\n${end}`],
	];
}

function hostileTexts(mediaType: string, schema: TSchema, bytes: number): Texts {
	if (mediaType.startsWith("multipart/")) return hostileParts(bytes);
	if (mediaType.includes("form-urlencoded")) return hostileForms(schema, bytes);
	if (!mediaType.includes("json")) return [["a text", () => fill("<a>", bytes)]];
	const values = hostileValues(bytes);
	if (!mediaType.includes("ndjson")) return [...values, ...hostileMembers(schema, Math.min(bytes, MEMBER_BYTES))];
	return [["lines", () => fill("{}\n", bytes)], ["blank lines", () => fill("\n", bytes)], ...values];
}

/** Bodies for each media type, of 16 KiB and of nearly the operation's limit, plain and compressed. */
export function hostileBodies({ body }: Operation): HostileRequest[] {
	if (!body) return [];
	return body.mediaTypes.flatMap((mediaType) =>
		[SMALL_BYTES, body.limitBytes - KIB].flatMap((bytes) =>
			hostileTexts(mediaType, body.schema, bytes).flatMap(([kind, make]): HostileRequest[] => {
				const label = `${kind}, ${bytes} bytes of ${mediaType}`;
				const type = mediaType.startsWith("multipart/") ? `${mediaType}; boundary=${BOUNDARY}` : mediaType;
				const headers = [["content-type", type]] as const;
				const makeBody = () => new Uint8Array(Buffer.from(make()));
				return [
					{ kind: label, headers, makeBody },
					{
						kind: `${label}, gzipped`,
						headers: [...headers, ["content-encoding", "gzip"]],
						makeBody: () => Bun.gzipSync(makeBody()),
					},
				];
			}),
		),
	);
}

export function hostileQueries({ parameters = [] }: Operation): HostileRequest[] {
	const declared = parameters.filter((one) => one.in === "query").map(({ name }) => name);
	const texts: [string, string][] = [
		["query names", numbered(QUERY_BYTES, (i) => `n${i}=`, "&")],
		["equal query names", fill("limit=1&", QUERY_BYTES)],
		["percent signs", fill("%&", QUERY_BYTES)],
		["a query of 16 KiB", fill("a", SMALL_BYTES)],
		...declared.flatMap((name) =>
			["a", "0", "%20", "%C3%A9", "a%20"].map((piece): [string, string] => [
				`${piece} in ?${name}`,
				`${name}=${fill(piece, QUERY_BYTES)}`,
			]),
		),
	];
	return texts.map(([kind, query]) => ({ kind, query }));
}

export function hostileHeaders(): HostileRequest[] {
	const long: [string, string][] = [
		["accept", "a/b;q=0.1,"],
		["accept", "text/*,"],
		["accept-encoding", "a;q=0.5,"],
		["accept-language", "es-DO;q=0.5,"],
		["authorization", "Bearer "],
		["authorization", "a."],
		["authorization", "Basic YTo="],
		["x-api-key", "a"],
		["x-forwarded-for", "1.1.1.1,"],
		["x-forwarded-for", ","],
		["if-none-match", '"a",'],
		["if-match", '"a",'],
		["range", "bytes=0-1,"],
		["prefer", "wait=0,"],
		["content-type", "a;charset=b;"],
		["idempotency-key", "0"],
		["x-request-id", "a"],
		["cookie", "a=b; "],
	];
	return [
		{ kind: "headers", headers: Array.from({ length: 95 }, (_, i) => [`x-${i}`, "1"] as const) },
		...long.map(([name, piece]) => ({
			kind: `${piece} in ${name}`,
			headers: [[name, fill(piece, HEADERS_BYTES).trim()] as const],
		})),
	];
}
