import { afterAll, afterEach, beforeAll, describe, expect, setSystemTime, test } from "bun:test";
import { createHash } from "node:crypto";
import { type Authority, bodyOf, PATHS, type Receipt, sharedIdentity, startAuthority } from "../support/authority";
import { ecf, ISSUER, summary } from "../support/documents";
import { securityCodeOf, sign } from "../support/signer";

let authority: Authority;
beforeAll(async () => {
	authority = await startAuthority();
});
afterEach(() => void setSystemTime());
afterAll(() => authority.stop());

const signed = async (xml: string) => sign(xml, await sharedIdentity());

describe("an e-CF", () => {
	test("gets a trackId, and then a verdict", async () => {
		const response = await authority.send(await signed(ecf({ encf: "E310000000001" })));
		expect(response.status).toBe(200);
		const body = await bodyOf<Receipt>(response);
		expect(body).toEqual({ trackId: expect.stringMatching(/^[0-9a-f-]{36}$/), error: null, mensaje: null });
		const result = await authority.result(body.trackId ?? "");
		expect(result).toMatchObject({ codigo: "1", estado: "Aceptado", encf: "E310000000001", secuenciaUtilizada: true });
		expect(result.mensajes).toEqual([{ valor: "", codigo: 0 }]);
	});

	test("is answered in XML when XML is accepted", async () => {
		const document = await signed(ecf({ encf: "E310000000002" }));
		const response = await authority.send(document, "main", { accept: "text/xml" });
		expect(await response.text()).toMatch(/<RespuestaRecepcion><trackId>[^<]+<\/trackId><\/RespuestaRecepcion>$/);
	});

	test("is in process until the delay is over", async () => {
		const slow = await startAuthority({ delayMs: 300 });
		const sentAt = Date.now();
		setSystemTime(sentAt);
		const trackId = await slow.submit(ecf());
		setSystemTime(sentAt + 299);
		expect(await slow.result(trackId)).toMatchObject({ codigo: "3", estado: "En Proceso", secuenciaUtilizada: false });
		setSystemTime(sentAt + 300);
		expect((await slow.result(trackId)).codigo).toBe("1");
		await slow.stop();
	});

	test("is written down with the hash of its bytes and its figures", async () => {
		const document = await signed(ecf({ type: "32", encf: "E320000000050", price: "300000.00" }));
		const trackId = await authority.trackIdOf(document);
		const reception = (await authority.receptions()).find((candidate) => candidate.trackId === trackId);
		expect(reception).toMatchObject({
			environment: "testecf",
			host: "main",
			rnc: ISSUER,
			encf: "E320000000050",
			type: "32",
			sha256: createHash("sha256").update(document).digest("hex"),
			sizeBytes: Buffer.byteLength(document),
			verdict: 1,
			sequenceConsumed: true,
			holdsNumber: true,
			total: "354000.00",
			securityCode: securityCodeOf(document),
		});
	});

	test("of 11 characters in its number passes in the test environment alone", async () => {
		const document = await signed(ecf({ encf: "E3100000077" }));
		expect((await authority.send(document)).status).toBe(200);
		const path = PATHS.main.replace("testecf", "ecf");
		const headers = await authority.bearer();
		expect((await authority.post(path, `${ISSUER}E3100000077.xml`, document, { headers })).status).toBe(400);
	});
});

describe("a summary", () => {
	test("gets its verdict at once and no trackId", async () => {
		const response = await authority.send(await signed(summary({ encf: "E320000000001" })), "fc");
		expect(response.status).toBe(200);
		expect(await response.json()).toEqual({
			codigo: 1,
			estado: "Aceptado",
			mensajes: [{ codigo: "0", valor: "" }],
			encf: "E320000000001",
			secuenciaUtilizada: true,
		});
	});

	test("that is rejected comes with its verdict under an error status", async () => {
		const document = await signed(summary({ encf: "E320000000002", total: "250000.00" }));
		const response = await authority.send(document, "fc");
		expect(response.status).toBe(400);
		expect(await response.json()).toMatchObject({ codigo: 2, estado: "Rechazado", secuenciaUtilizada: true });
	});

	test("is answered in XML when XML is accepted", async () => {
		const document = await signed(summary({ encf: "E320000000003" }));
		const response = await authority.send(document, "fc", { accept: "application/xml" });
		expect(await response.text()).toContain("<Respuesta><codigo>1</codigo><estado>Aceptado</estado><mensajes>");
	});

	test("is no e-CF, nor the other way round", async () => {
		const wrong = await authority.send(await signed(ecf({ type: "32", encf: "E320000000004" })), "fc");
		expect(await wrong.json()).toMatchObject({ codigo: 2, secuenciaUtilizada: false });
		const trackId = await authority.submit(summary({ encf: "E320000000004" }));
		expect(await authority.result(trackId)).toMatchObject({ codigo: "2", secuenciaUtilizada: false });
	});
});

describe("a request that is no upload", () => {
	const NAME = `${ISSUER}E310000000009.xml`;

	const refused = async (body: FormData | ReadableStream | string, headers: Record<string, string> = {}) => {
		const response = await authority.call(PATHS.main, {
			method: "POST",
			body,
			headers: { ...(await authority.bearer()), ...headers },
		});
		expect(response.status).toBe(400);
		return response.text();
	};
	const form = (...parts: [string, string | File][]) => {
		const body = new FormData();
		for (const [name, value] of parts) {
			if (typeof value === "string") body.append(name, value);
			else body.append(name, value);
		}
		return body;
	};
	const file = (type = "text/xml", name = NAME) => new File(["<ECF/>"], name, { type });

	test("is refused when it streams without a length", async () => {
		const request = new Request("http://unused", { method: "POST", body: form(["xml", file()]) });
		const bytes = await request.arrayBuffer();
		const stream = new ReadableStream({
			start(controller) {
				controller.enqueue(new Uint8Array(bytes));
				controller.close();
			},
		});
		const contentType = request.headers.get("content-type") ?? "";
		expect(await refused(stream, { "content-type": contentType })).toBe("Multipart cannot be empty");
	});

	test("is refused when it is empty, not multipart, or broken", async () => {
		expect(await refused("")).toBe("Multipart cannot be empty");
		await refused("<ECF/>", { "content-type": "text/xml" });
		await refused("--x\r\nnonsense", { "content-type": "multipart/form-data; boundary=x" });
	});

	test("is refused unless it has exactly one file named xml", async () => {
		await refused(form(["xml", file()], ["xml", file()]));
		await refused(form(["file", file()]));
		await refused(form(["xml", "<ECF/>"]));
		await refused(form(["xml", file("application/pdf")]));
	});

	test("is refused for its file name with code 3243, which uses no number", async () => {
		for (const name of ["ecf.xml", "990000001E31000000009.txt", "99000000E310000000009.xml", `x/${NAME}`]) {
			const body = JSON.parse(await refused(form(["xml", file("text/xml", name)])));
			expect(body.mensajes).toEqual([{ valor: expect.any(String), codigo: 3243 }]);
		}
	});

	test("is refused in the shapes of its channel when the file is no XML", async () => {
		const body = JSON.parse(await refused(form(["xml", new File(["<ECF>"], NAME, { type: "text/xml" })])));
		expect(body).toMatchObject({ trackId: null, error: expect.stringContaining("XML") });
		const headers = await authority.bearer();
		const response = await authority.post(PATHS.fc, `${ISSUER}E320000000009.xml`, "<RFCE>", { headers });
		expect(response.status).toBe(400);
		expect(await response.json()).toEqual({ mensajes: [expect.stringContaining("XML")] });
	});

	test("is written down without a verdict", async () => {
		await refused(form(["xml", new File(["<ECF>"], `${ISSUER}E310000000099.xml`, { type: "text/xml" })]));
		const reception = (await authority.receptions()).at(-1);
		expect(reception).toMatchObject({ encf: "E310000000099", verdict: null, trackId: null, holdsNumber: false });
		expect(reception?.refusal).toContain("XML");
	});
});

test("without the odd shapes every refusal is a message and every code a text", async () => {
	const plain = await startAuthority({ realistic: false });
	const headers = await plain.bearer();
	const refused = await plain.post(PATHS.main, "ecf.xml", "<ECF/>", { headers });
	expect(await refused.json()).toEqual({ mensaje: expect.any(String) });
	const accepted = await plain.send(await signed(summary()), "fc");
	expect(await accepted.json()).toMatchObject({ codigo: "1" });
	await plain.stop();
});
