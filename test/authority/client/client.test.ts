import { afterEach, expect, test } from "bun:test";
import { createAuthority } from "../../../src/authority/client";
import { createLog } from "../../../src/platform/telemetry";
import { openClient, type Script, startScripted, whoOf } from "./support/authority";
import { findClosedPort } from "./support/raw-server";

const TRACK_ID = "d2b6e27c-3908-46f3-afaa-2207b9501b4b";
const number = { rnc: "990000001", encf: "E310000000001" };
const document = { ...number, xml: new TextEncoder().encode("<ECF>ñ\r\n--\u0001</ECF>") };
const who = whoOf("a");

const running: { stop: () => Promise<void> }[] = [];
afterEach(async () => {
	for (const one of running.splice(0)) await one.stop();
});

function start(script: Script, options: Parameters<typeof openClient>[1] = {}) {
	const server = startScripted(script);
	running.push(server);
	return { server, ...openClient(server.url, options) };
}

const receipt: Script = ({ path }) =>
	path.endsWith("/facturaselectronicas") ? Response.json({ trackId: TRACK_ID, error: null, mensaje: null }) : undefined;

test("a submission is one multipart file with the mandated name and unchanged bytes", async () => {
	const { server, authority } = start(receipt);
	expect(await authority.submit(who, document)).toEqual({ kind: "received", trackId: TRACK_ID });
	const posted = server.asked.at(-1);
	if (!posted) throw new Error("nothing was posted");
	expect(posted.path).toBe("/testecf/recepcion/api/facturaselectronicas");
	const { headers } = posted;
	expect(headers.get("content-length")).toBe(String(posted.bytes.length));
	expect(headers.get("transfer-encoding")).toBeNull();
	expect(headers.get("authorization")).toBe("Bearer token-1");
	expect(headers.get("accept")).toBe("application/json");
	const form = await new Response(posted.bytes, {
		headers: { "content-type": headers.get("content-type") ?? "" },
	}).formData();
	expect([...form.keys()]).toEqual(["xml"]);
	const file = form.get("xml");
	if (!(file instanceof File)) throw new Error("the part is no file");
	expect(file.name).toBe("990000001E310000000001.xml");
	expect(new TextDecoder().decode(posted.bytes)).toContain("\r\nContent-Type: text/xml\r\n\r\n<ECF>");
	expect(new Uint8Array(await file.arrayBuffer())).toEqual(document.xml);
});

test("every service is called at its own address with its own parameters", async () => {
	const { server, authority } = start(() => undefined);
	const security = { ...number, securityCode: "a+/=B2" };
	await authority.submitSummary(who, document);
	await authority.queryResult(who, { ...number, trackId: TRACK_ID });
	await authority.queryTrackIds(who, number);
	await authority.querySummary(who, security);
	await authority.queryState(who, { ...security, buyerRnc: "990000026" });
	await authority.queryState(whoOf("a", "ecf"), security);
	const paths = server.asked.filter(({ path }) => !path.includes("autenticacion"));
	expect(paths.map(({ path, query }) => `${path}?${query}`)).toEqual([
		"/testecf/recepcionfc/api/recepcion/ecf?",
		`/testecf/consultaresultado/api/consultas/estado?trackid=${TRACK_ID}`,
		"/testecf/consultatrackids/api/trackids/consulta?rncemisor=990000001&encf=E310000000001",
		"/testecf/consultarfce/api/Consultas/Consulta?RNC_Emisor=990000001&ENCF=E310000000001&Cod_Seguridad_eCF=a%2B%2F%3DB2",
		"/testecf/consultaestado/api/consultas/estado?rncemisor=990000001&ncfelectronico=E310000000001&rnccomprador=990000026&codigoseguridad=a%2B%2F%3DB2",
		"/ecf/consultaestado/api/consultas/estado?rncemisor=990000001&ncfelectronico=E310000000001&rnccomprador=&codigoseguridad=a%2B%2F%3DB2",
	]);
});

test("a service that the certification environment lacks is not called there", async () => {
	const { server, authority } = start(() => undefined);
	const absent = { kind: "unavailable", reason: "authority-service-absent" };
	expect(await authority.queryTrackIds(whoOf("a", "certecf"), number)).toMatchObject(absent);
	expect(await authority.queryState(whoOf("a", "certecf"), { ...number, securityCode: "abcdef" })).toMatchObject(
		absent,
	);
	expect(server.asked).toEqual([]);
});

test("summaries go to their own host, and bases may carry a path", async () => {
	const main = startScripted(() => undefined);
	const fc = startScripted(() => undefined);
	running.push(main, fc);
	const { authority } = openClient(main.url, {
		urls: { main: `${main.url}/base/`, fc: `${fc.url}/other`, status: main.url },
	});
	await authority.submitSummary(who, document);
	expect(main.asked.map(({ path }) => path)).toEqual([
		"/base/testecf/autenticacion/api/autenticacion/semilla",
		"/base/testecf/autenticacion/api/autenticacion/validarsemilla",
	]);
	expect(fc.asked.map(({ path }) => path)).toEqual(["/other/testecf/recepcionfc/api/recepcion/ecf"]);
});

test("every answer of a call is recorded as it arrived, none of the authentication", async () => {
	let posts = 0;
	const { authority, records, record, time } = start(({ path }) => {
		if (!path.endsWith("/facturaselectronicas")) return undefined;
		if (posts++ === 0) return new Response("", { status: 401 });
		return new Response(`{"trackId":"${TRACK_ID}"}\u0000`, { headers: { "content-type": "text/odd" } });
	});
	await authority.submit(who, document, record);
	const at = time.at;
	expect(records).toEqual([
		{ operation: "reception", at, httpStatus: 401, mediaType: "", body: "" },
		{ operation: "reception", at, httpStatus: 200, mediaType: "text/odd", body: `{"trackId":"${TRACK_ID}"}\uFFFD` },
	]);
});

test("the first 64 KiB of a long answer are recorded, in whole characters", async () => {
	const { authority, records, record } = start(({ path }) =>
		path.endsWith("/facturaselectronicas") ? new Response(`a${"ñ".repeat(100_000)}`, { status: 500 }) : undefined,
	);
	await authority.submit(who, document, record);
	expect(records[0]?.body).toBe(`a${"ñ".repeat(32_767)}`);
});

test("each call is reported with its time and outcome; a refusal is an answer", async () => {
	let turn = 0;
	const answers = [
		() => Response.json({ mensajes: ["La firma no es válida."] }, { status: 400 }),
		() => new Response(null, { status: 503 }),
		() => new Response("<html></html>"),
	];
	const { authority, calls } = start(({ path }) =>
		path.endsWith("/facturaselectronicas") ? answers[turn++]?.() : undefined,
	);
	for (let i = 0; i < 3; i++) await authority.submit(who, document);
	expect(calls.map(({ operation, outcome }) => `${operation} ${outcome}`)).toEqual([
		"seed ok",
		"token ok",
		"reception ok",
		"reception authority-http-5xx",
		"reception authority-answer-unreadable",
	]);
	expect(calls.every(({ durationMs }) => durationMs > 0 && durationMs < 5_000)).toBe(true);
});

test("a submission without a connection is always not-sent", async () => {
	const { authority, calls } = openClient(`http://127.0.0.1:${await findClosedPort()}`);
	expect(await authority.submit(who, document)).toMatchObject({ kind: "not-sent", reason: "authority-unreachable" });
	expect(await authority.queryResult(who, { ...number, trackId: TRACK_ID })).toMatchObject({ kind: "unavailable" });
	expect(await authority.probe("ecf")).toBe(false);
	expect(new Set(calls.map((call) => call.outcome))).toEqual(new Set(["authority-unreachable"]));
});

test("a submission without an answer in time is unknown and is not sent again", async () => {
	const held: (() => void)[] = [];
	const server = startScripted(({ path }) =>
		path.endsWith("/facturaselectronicas")
			? new Promise<Response>((resolve) => held.push(() => resolve(new Response())))
			: undefined,
	);
	running.push(server);
	const { authority } = openClient(server.url, { answerTimeoutMs: 1_000 });
	expect(await authority.submit(who, document)).toMatchObject({ kind: "unknown", reason: "authority-timeout" });
	expect(server.count("/facturaselectronicas")).toBe(1);
	for (const release of held) release();
});

test("a submission with limited time gets no more, and is sent if the time suffices", async () => {
	const { server, authority } = start(
		(asked) => {
			const answer = receipt(asked);
			return answer && Bun.sleep(600).then(() => answer);
		},
		{ sendingTimeoutMs: 300 },
	);
	const send = (leftMs: number) =>
		authority.submit(who, { ...document, maySend: (takesMaxMs: number) => leftMs > takesMaxMs });
	expect(await send(299)).toMatchObject({ kind: "not-sent", reason: "send-withdrawn" });
	expect(await send(301)).toMatchObject({ kind: "unknown", reason: "authority-timeout" });
	expect(await authority.submit(who, document)).toMatchObject({ kind: "received" });
	expect(server.count("/facturaselectronicas")).toBe(2);
});

test("a service that asked for a pause is not called during it, and others are", async () => {
	let isBusy = true;
	const { server, authority, calls, records, record } = start((asked) => {
		const { path } = asked;
		if (path.endsWith("/facturaselectronicas") && isBusy)
			return new Response("busy", { status: 503, headers: { "retry-after": "1" } });
		return path.endsWith("/consulta") ? Response.json([], { status: 404 }) : receipt(asked);
	});
	const askedAtMs = performance.now();
	expect(await authority.submit(who, document, record)).toMatchObject({
		kind: "unknown",
		reason: "authority-http-5xx",
	});
	isBusy = false;
	expect(authority.restMs(who.segment, "reception")).toBeWithin(1, 1_001);
	expect(authority.restMs(who.segment, "track-ids")).toBe(0);
	expect(await authority.submit(who, document, record)).toMatchObject({
		kind: "not-sent",
		reason: "authority-at-rest",
		detail: "HTTP 503: the service asked for a pause of 1 s",
	});
	await authority.queryTrackIds(who, number);
	expect([server.count("/facturaselectronicas"), server.count("/consulta")]).toEqual([1, 1]);
	expect(calls.filter(({ operation }) => operation === "reception")).toHaveLength(1);
	expect(records).toHaveLength(1);
	expect(await authority.submit(whoOf("a", "ecf"), document)).toMatchObject({ kind: "received" });
	while (authority.restMs(who.segment, "reception") > 0) await Bun.sleep(20);
	expect(performance.now() - askedAtMs).toBeGreaterThan(1_000);
	expect(await authority.submit(who, document)).toMatchObject({ kind: "received" });
});

test("a redirect of a submission is not followed and leaves it unknown", async () => {
	const { server, authority } = start(({ path }) =>
		path.endsWith("/facturaselectronicas")
			? new Response(null, { status: 307, headers: { location: "/stolen" } })
			: undefined,
	);
	expect(await authority.submit(who, document)).toMatchObject({ kind: "unknown", reason: "authority-http-error" });
	expect(server.count("/stolen")).toBe(0);
});

test("a number that could break out of the file name is a defect, not a request", async () => {
	const { server, authority } = start(receipt);
	const hostile = { ...document, encf: 'E31"\r\nx: y' };
	await expect(authority.submit(who, hostile)).rejects.toThrow("plain file name");
	expect(server.asked).toEqual([]);
});

test("a probe needs no token", async () => {
	const { server, authority } = start(() => undefined);
	expect(await authority.probe("ecf")).toBe(true);
	expect(server.asked.map(({ path }) => path)).toEqual(["/ecf/autenticacion/api/autenticacion/semilla"]);
});

test("an unusable address is reported at once", () => {
	const options = {
		signSeed: async () => new Uint8Array(),
		log: createLog("silent", "test"),
		connectTimeoutMs: 1,
		answerTimeoutMs: 1,
	};
	for (const main of [
		"",
		"authority.example",
		"ftp://authority.example",
		"https://u:p@authority.example",
		"https://authority.example?x=1",
	]) {
		const urls = { main, fc: "https://authority.example", status: "https://authority.example" };
		expect(() => createAuthority({ ...options, urls })).toThrow("the authority's main address");
	}
});

test("a call whose answer is played is not reported, and the same call unplayed is", async () => {
	const { authority, calls } = start(({ path }) =>
		path.endsWith("/facturaselectronicas") ? new Response(null, { status: 503 }) : undefined,
	);
	const outcomes = () => calls.filter(({ operation }) => operation === "reception").map(({ outcome }) => outcome);
	expect(await authority.submit(who, { ...document, isPlayed: true })).toMatchObject({ kind: "unknown" });
	expect(outcomes()).toEqual([]);
	expect(await authority.submit(who, document)).toMatchObject({ kind: "unknown" });
	expect(outcomes()).toEqual(["authority-http-5xx"]);
});
