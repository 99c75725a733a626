/**
 * A random request for an operation, derived from its description: about half of its parts are right, each other part is wrong in some way.
 * The same seed gives the same request, except for ids from the service.
 */
import { gzipSync, zstdCompressSync } from "node:zlib";
import type { Chance } from "../../../test/support/chance";
import type { Container } from "./container";
import type { ApiMedia, ApiOperation, ApiParameter } from "./description";
import type { Caller } from "./environment";
import { mutateBytes, mutateValue, ODD_TEXTS, textOf } from "./mutation";
import type { Expectation } from "./oracle";
import type { ValueMaker } from "./random-value";
import type { Request } from "./wire";

export type Shot = { readonly request: Request; readonly expected: Expectation; readonly kinds: readonly string[] };

export type Aim = {
	readonly operation: ApiOperation;
	readonly caller: Caller;
	readonly chance: Chance;
	readonly make: ValueMaker;
	/** Ids seen in answers of this operation's area. */
	readonly ids: readonly string[];
	/** A valid container, because the example's is not one. */
	readonly container?: Container;
	/** Taxpayers that may become companies. */
	readonly rncs: readonly string[];
};

/** Values that avoid long waits. */
const IMPATIENT: Readonly<Record<string, readonly string[]>> = {
	wait: ["0", "1", "26", "-1", "x"],
	Prefer: ["respond-async", "wait=0", "wait=1", "wait=x", "wait=1, wait=2", "handling=strict", ";;,", "wait"],
};
const PATH_ODDITIES = [
	"%",
	"%ZZ",
	"%00",
	"%2F",
	"%c0%af",
	"%ed%a0%80",
	"..",
	"%2e%2e",
	".",
	"%20",
	"%F0%9F%99%82",
	"x".repeat(300),
	"y".repeat(9_000),
	"a:b",
	"%3A",
	"null",
];
const QUERY_ODDITIES = [
	"%",
	"&&=",
	"?a",
	"+",
	"limit[]=5",
	"a[b]=c",
	"%ff=%fe",
	"=",
	"limit=0x10",
	"limit=1e2",
	"limit=5&limit=9",
	"__proto__=1",
	`q=${"x".repeat(9_000)}`,
];
const ACCEPTS = [
	"*/*",
	"application/*",
	"application/json;q=0",
	"text/nonsense",
	"*/*;q=x",
	",,",
	"application/json, text/html;q=0.1",
	"é",
];
const MEDIA_ODDITIES = [
	"text/plain",
	"application/xml",
	"application/json; charset=iso-8859-1",
	"application/json; charset=utf-16",
	"application/jsonp",
	"",
	";",
	"multipart/form-data; boundary=x",
	"application/x-www-form-urlencoded",
	'application/json; charset="utf-8"',
];

export function aim({ operation, caller, chance, make, ids, rncs, container }: Aim): Shot {
	const kinds: string[] = [];
	const note = (kind: string) => void kinds.push(kind);
	let mayBeElsewhere = false;
	let isElsewhere = false;

	const pathFor = (parameter: ApiParameter): string => {
		const luck = chance.whole(1, 100);
		const isCompany = /company/i.test(parameter.name) || operation.path.startsWith(`/v1/company/{${parameter.name}}`);
		if (luck <= 40 && isCompany) return caller.tenantId;
		if (parameter.example !== undefined && chance.percent(20)) return encodeURIComponent(String(parameter.example));
		if (luck <= 55 && ids.length > 0) return chance.pick(ids);
		if (luck <= 60)
			return encodeURIComponent(textOf(parameter.example ?? make(parameter.schema, chance)).toWellFormed());
		if (luck <= 70) return crypto.randomUUID();
		note("odd path");
		if (luck <= 88) {
			mayBeElsewhere = true;
			const odd = chance.pick(PATH_ODDITIES);
			isElsewhere ||= /^(\.|%2e){1,2}$/.test(odd);
			return odd;
		}
		const text = chance.pick(ODD_TEXTS).toWellFormed();
		mayBeElsewhere ||= text === "" || text.includes("/");
		return encodeURIComponent(text);
	};
	const textFor = (parameter: ApiParameter): string => {
		const impatient = IMPATIENT[parameter.name];
		if (impatient) return chance.pick(impatient);
		if (chance.percent(25)) {
			note(`odd ${parameter.in}`);
			return chance.pick(ODD_TEXTS);
		}
		if (chance.percent(20) && ids.length > 0) return chance.pick(ids);
		return parameter.example !== undefined && chance.percent(40)
			? String(parameter.example)
			: textOf(make(parameter.schema, chance));
	};

	const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
		const parameter = operation.parameters.find((one) => one.in === "path" && one.name === name);
		return parameter ? pathFor(parameter) : "x";
	});
	const pairs = operation.parameters
		.filter((one) => one.in === "query" && chance.percent(one.required ? 93 : 30))
		.flatMap((one) => {
			const pair = `${one.name}=${encodeURIComponent(textFor(one).toWellFormed())}`;
			return chance.percent(4) ? [pair, pair] : [pair];
		});
	if (chance.percent(6)) {
		note("odd query");
		pairs.push(chance.pick(QUERY_ODDITIES));
	}
	const headers: [string, string][] = [];
	if (operation.key !== "ignored") headers.push(["x-api-key", caller.apiKey]);
	if (operation.bearer !== "ignored") headers.push(["authorization", caller.headers.authorization ?? ""]);
	for (const parameter of operation.parameters.filter((one) => one.in === "header")) {
		if (!chance.percent(parameter.required ? 95 : 25)) continue;
		const isKey = parameter.name.toLowerCase() === "idempotency-key" && chance.percent(85);
		headers.push([parameter.name, isKey ? crypto.randomUUID() : toHeaderText(textFor(parameter))]);
	}
	if (chance.percent(10)) headers.push(["accept", chance.pick([...ACCEPTS, ...mediaTypesOf(operation)])]);
	const body = operation.body ? bodyFor(operation.body.content) : strayBody();
	if (body) headers.push(...body.headers);
	const mayTimeOut = headers.some(([name, value]) => name === "Prefer" && value.includes("wait"));
	const mayBePage =
		operation.method === "GET" && headers.some(([name, value]) => name === "accept" && value === "text/html");
	const target = `${path}${pairs.length > 0 ? `?${pairs.join("&")}` : ""}`;
	return {
		request: {
			method: operation.method,
			target,
			headers,
			...(body ? { body: body.bytes } : {}),
		},
		expected: {
			mayBeElsewhere,
			isElsewhere,
			mayTimeOut,
			mayBePage,
			isHuge: sizeOf(target, headers) > HEAD_BYTES_USUAL,
		},
		kinds,
	};

	function strayBody(): Body | undefined {
		if (operation.method === "GET" || !chance.percent(15)) return undefined;
		note("stray body");
		return { bytes: Buffer.from(chance.pick(["{}", "x", "{"])), headers: [["content-type", "application/json"]] };
	}

	function bodyFor(content: ReadonlyMap<string, ApiMedia>): Body | undefined {
		if (chance.percent(2)) return undefined;
		const [mediaType = "application/json", media] = chance.percent(85)
			? ([...content][0] ?? [])
			: chance.pick([...content]);
		const value = valueFor(media);
		let bytes: Buffer = writeBody(mediaType, value);
		if (chance.percent(15)) {
			const mutated = mutateBytes(bytes, chance);
			bytes = mutated.bytes;
			note(mutated.kind);
		}
		const headers: [string, string][] = [];
		const isOdd = chance.percent(6);
		if (isOdd) note("odd media type");
		const type = isOdd
			? chance.pick(MEDIA_ODDITIES)
			: mediaType === "multipart/form-data"
				? `${mediaType}; boundary=${BOUNDARY}`
				: mediaType;
		if (!chance.percent(3)) headers.push(["content-type", type]);
		if (chance.percent(8)) {
			const encoding = chance.pick([
				"gzip",
				"zstd",
				"gzip-broken",
				"br",
				"deflate",
				"identity",
				"gzip, gzip",
				"x".repeat(100),
			]);
			note(`encoding ${encoding.slice(0, 12)}`);
			if (encoding === "gzip") bytes = gzipSync(bytes);
			if (encoding === "zstd") bytes = zstdCompressSync(bytes);
			if (encoding === "gzip-broken") bytes = gzipSync(bytes).subarray(0, -5);
			headers.push(["content-encoding", encoding.replace("-broken", "")]);
		}
		return { bytes, headers };
	}

	function valueFor(media: ApiMedia | undefined): unknown {
		const isExample = media?.example !== undefined && chance.percent(60);
		const value = isExample ? own(media.example) : make(media?.schema ?? {}, chance);
		if (chance.percent(isExample ? 35 : 55)) return value;
		let changed = value;
		for (let times = chance.pick([1, 1, 1, 2, 3]); times > 0; times--) {
			const mutated = mutateValue(changed, chance);
			changed = mutated.value;
			note(mutated.kind);
		}
		return changed;
	}

	/** Adapts an example to the caller's company, with unused numbers and names. */
	function own(example: unknown): unknown {
		const number = String(chance.whole(1, 2 ** 31)).padStart(10, "0");
		const isText = typeof example === "string";
		const text = (isText ? example : JSON.stringify(example))
			.replaceAll('"990000001"', `"${operation.bearer === "ignored" ? chance.pick(rncs) : caller.rnc}"`)
			.replace(/"E(\d\d)\d{10}"/g, `"E$1${number}"`)
			.replace(/("client_request_id":")[^"]*/g, `$1crid-${number}`)
			.replace(/("client_id":")[^"]*/g, `$1${caller.clientId}`)
			.replace(/("client_secret":")[^"]*/g, `$1${caller.clientSecret}`);
		if (isText) return text;
		const owned: unknown = JSON.parse(text);
		if (container && typeof owned === "object" && owned !== null && "pkcs12" in owned) Object.assign(owned, container);
		return owned;
	}
}

/** Well within the listener's limit. */
const HEAD_BYTES_USUAL = 15_000;

function sizeOf(target: string, headers: readonly (readonly [string, string])[]): number {
	return headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, target.length);
}

type Body = { readonly bytes: Buffer; readonly headers: readonly [string, string][] };

const BOUNDARY = "scenario-boundary";

function writeBody(mediaType: string, value: unknown): Buffer {
	if (mediaType === "application/x-www-form-urlencoded")
		return Buffer.from(new URLSearchParams(entriesOf(value)).toString());
	if (mediaType === "multipart/form-data") {
		const parts = entriesOf(value).map(
			([name, text]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
		);
		return Buffer.from(`${parts.join("")}--${BOUNDARY}--\r\n`);
	}
	if (!/[/+]json$/.test(mediaType) && typeof value === "string") return Buffer.from(value);
	return Buffer.from(JSON.stringify(value) ?? "null");
}

function entriesOf(value: unknown): [string, string][] {
	if (typeof value !== "object" || value === null) return [["value", String(value)]];
	return Object.entries(value).map(([name, one]) => [
		name.toWellFormed(),
		(typeof one === "string" ? one : (JSON.stringify(one) ?? "")).toWellFormed(),
	]);
}

/** Text that a header can carry: one line of Latin-1. */
function toHeaderText(text: string): string {
	return text.replace(/[^\t\x20-\x7e\x80-\xff]/g, "?").slice(0, 6_000);
}

function mediaTypesOf(operation: ApiOperation): string[] {
	return [...operation.answers.values()].flatMap(({ content }) => [...content.keys()]);
}
