import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { type Authority, sharedIdentity, startAuthority } from "./support/authority";
import { ecf, ISSUER, summary } from "./support/documents";
import { sign } from "./support/signer";

const SEED = "/testecf/autenticacion/api/autenticacion/semilla";

let authority: Authority;
beforeAll(async () => {
	authority = await startAuthority();
});
afterAll(() => authority.stop());
afterEach(() => authority.call("/_simulator/faults", { method: "DELETE" }));

const signed = async (xml: string) => sign(xml, await sharedIdentity());
const seed = () => authority.call(SEED);

describe("a fault", () => {
	test("applies as often as set, then the operation works again", async () => {
		await authority.fault("seed", "status-500", { count: 2 });
		expect([(await seed()).status, (await seed()).status, (await seed()).status]).toEqual([500, 500, 200]);
	});

	test("strikes in the order of setting, and only its own operation", async () => {
		await authority.fault("seed", "status-401");
		await authority.fault("token", "html-400");
		await authority.fault("seed", "status-500");
		expect([(await seed()).status, (await seed()).status, (await seed()).status]).toEqual([401, 500, 200]);
		expect((await authority.login()).status).toBe(400);
		expect((await authority.login()).status).toBe(200);
	});

	test("is listed while it waits, and gone once cleared", async () => {
		await authority.fault("seed", "slow", { count: 3, ms: 1 });
		const list = async () => (await authority.call("/_simulator/faults")).json();
		expect(await list()).toEqual([{ operation: "seed", mode: "slow", count: 3, ms: 1 }]);
		expect((await authority.call("/_simulator/faults", { method: "DELETE" })).status).toBe(204);
		expect(await list()).toEqual([]);
	});

	test("that makes no sense is refused", async () => {
		expect((await authority.fault("seed", "in-process")).status).toBe(400);
		expect((await authority.fault("seed", "explode")).status).toBe(400);
		expect((await authority.fault("nothing", "slow")).status).toBe(400);
		expect((await authority.fault("seed", "slow", { count: 0 })).status).toBe(400);
		expect((await authority.call("/_simulator/faults", { method: "POST", body: "{" })).status).toBe(400);
	});
});

describe("answers instead of the operation's", () => {
	test("status-401 is empty", async () => {
		await authority.fault("receive", "status-401");
		const response = await authority.send(await signed(ecf()));
		expect([response.status, await response.text()]).toEqual([401, ""]);
	});

	test("status-503 says when to come back", async () => {
		await authority.fault("seed", "status-503");
		const response = await seed();
		expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
	});

	test.each([
		["html-400", 400],
		["status-500", 500],
		["html-200", 200],
	])("%s is a page", async (mode, status) => {
		await authority.fault("result", mode);
		const response = await authority.get("/testecf/consultaresultado/api/consultas/estado?trackid=x");
		expect(response.status).toBe(status);
		expect(response.headers.get("content-type")).toContain("text/html");
	});
});

describe("broken connections", () => {
	const count = async () => (await authority.receptions()).length;

	test("reset-before leaves nothing behind", async () => {
		const before = await count();
		await authority.fault("receive", "reset-before");
		await expect(authority.send(await signed(ecf({ encf: "E310000000010" })))).rejects.toThrow();
		expect(await count()).toBe(before);
	});

	test("reset-after leaves a document that was accepted", async () => {
		await authority.fault("receive", "reset-after");
		const document = await signed(ecf({ encf: "E310000000011" }));
		await expect(authority.send(document)).rejects.toThrow();
		expect((await authority.receptions()).at(-1)).toMatchObject({ encf: "E310000000011", verdict: 1 });
		const trackId = await authority.trackIdOf(document);
		expect(await authority.result(trackId)).toMatchObject({ codigo: "1" });
	});

	test("reset-after on the summary channel loses a verdict that the query still knows", async () => {
		await authority.fault("receive-summary", "reset-after");
		const document = await signed(summary({ encf: "E320000000011" }));
		await expect(authority.send(document, "fc")).rejects.toThrow();
		const path = `/testecf/consultarfce/api/consultas/consulta?rnc_emisor=${ISSUER}&encf=E320000000011`;
		expect(await (await authority.get(path)).json()).toMatchObject({ codigo: "1" });
	});

	test("half-body ends in the middle of the answer, the work being done", async () => {
		await authority.fault("receive", "half-body");
		const response = await authority.send(await signed(ecf({ encf: "E310000000012" })));
		expect(response.status).toBe(200);
		await expect(response.text()).rejects.toThrow();
		expect((await authority.receptions()).at(-1)).toMatchObject({ encf: "E310000000012", verdict: 1 });
	});

	test("slow does the work first and answers later", async () => {
		await authority.fault("receive", "slow", { ms: 300 });
		const before = await count();
		const sentAt = Date.now();
		let answered = false;
		const sent = authority.send(await signed(ecf({ encf: "E310000000013" }))).finally(() => {
			answered = true;
		});
		while ((await count()) === before);
		expect(answered).toBe(false);
		expect((await sent).status).toBe(200);
		expect(Date.now() - sentAt).toBeGreaterThanOrEqual(300);
	});
});

describe("untrue answers", () => {
	test("code-004 rejects without using the number; the same bytes pass the next time", async () => {
		await authority.fault("receive", "code-004");
		const document = await signed(ecf({ encf: "E310000000020" }));
		const failed = await authority.result(await authority.trackIdOf(document));
		expect(failed).toMatchObject({ codigo: "2", secuenciaUtilizada: false });
		expect(failed.mensajes[0]?.codigo).toBe("004");
		const passed = await authority.result(await authority.trackIdOf(document));
		expect(passed).toMatchObject({ codigo: "1", secuenciaUtilizada: true });
	});

	test("code-004 on the summary channel comes with the answer", async () => {
		await authority.fault("receive-summary", "code-004");
		const document = await signed(summary({ encf: "E320000000020" }));
		const failed = await authority.send(document, "fc");
		expect(failed.status).toBe(400);
		expect(await failed.json()).toMatchObject({ codigo: 2, secuenciaUtilizada: false, mensajes: [{ codigo: "004" }] });
		expect((await authority.send(document, "fc")).status).toBe(200);
	});

	test("in-process holds a verdict back", async () => {
		const trackId = await authority.submit(ecf({ encf: "E310000000021" }));
		await authority.fault("result", "in-process", { count: 2 });
		const codes = [await authority.result(trackId), await authority.result(trackId), await authority.result(trackId)];
		expect(codes.map((result) => result.codigo)).toEqual(["3", "3", "1"]);
	});

	test("not-found hides what is known from each of the queries", async () => {
		const trackId = await authority.submit(ecf({ encf: "E310000000022" }));
		await authority.send(await signed(summary({ encf: "E320000000022" })), "fc");
		const queries: Record<string, string> = {
			result: `/testecf/consultaresultado/api/consultas/estado?trackid=${trackId}`,
			state: `/testecf/consultaestado/api/consultas/estado?rncemisor=${ISSUER}&ncfelectronico=E310000000022`,
			"track-ids": `/testecf/consultatrackids/api/trackids/consulta?rncemisor=${ISSUER}&encf=E310000000022`,
			"summary-query": `/testecf/consultarfce/api/consultas/consulta?rnc_emisor=${ISSUER}&encf=E320000000022`,
		};
		for (const [operation, path] of Object.entries(queries)) {
			await authority.fault(operation, "not-found");
			expect(await (await authority.get(path)).text()).toContain("o encontrado");
			expect(await (await authority.get(path)).text()).toContain("Aceptado");
		}
	});
});

describe("calls without an answer", () => {
	const pending = async () => ((await (await authority.call("/_simulator/faults")).json()) as unknown[]).length;

	/** Sends under a fault and gives up once the fault has applied; returns what was stored. */
	async function sendInVain(mode: string, encf: string): Promise<boolean> {
		await authority.fault("receive", mode);
		const document = await signed(ecf({ encf }));
		const patience = new AbortController();
		const headers = await authority.bearer();
		const body = new FormData();
		body.append("xml", new File([document], `${ISSUER}${encf}.xml`, { type: "text/xml" }));
		const path = `${authority.url}/testecf/recepcion/api/facturaselectronicas`;
		const sent = fetch(path, { method: "POST", body, headers, signal: patience.signal });
		const isKept = async () => (await authority.receptions()).some((one) => one.encf === encf);
		while ((await pending()) > 0 || (mode === "silent-after" && !(await isKept())));
		patience.abort();
		await expect(sent).rejects.toThrow();
		return isKept();
	}

	test("black-hole leaves nothing behind", async () => {
		expect(await sendInVain("black-hole", "E310000000030")).toBe(false);
	});

	test("silent-after leaves a document that was accepted", async () => {
		expect(await sendInVain("silent-after", "E310000000031")).toBe(true);
	});
});

describe("verdicts that confuse", () => {
	const trackIds = async (encf: string) =>
		authority.get(`/testecf/consultatrackids/api/trackids/consulta?rncemisor=${ISSUER}&encf=${encf}`);

	test("duplicate-verdict enters one sending twice, and each has the verdict", async () => {
		await authority.fault("receive", "duplicate-verdict");
		const first = await authority.submit(ecf({ encf: "E310000000040" }));
		const list = (await (await trackIds("E310000000040")).json()) as { trackId: string; estado: string }[];
		expect(list.map(({ estado }) => estado)).toEqual(["Aceptado", "Aceptado"]);
		expect(list[0]?.trackId).toBe(first);
		expect(await authority.result(list[1]?.trackId ?? "")).toMatchObject({ codigo: "1", secuenciaUtilizada: true });
	});

	test("repeat-rejected gives the same bytes verdict 1209, while the first one stays", async () => {
		const document = await signed(ecf({ encf: "E310000000041" }));
		await authority.fault("receive", "repeat-rejected", { count: 2 });
		const first = await authority.trackIdOf(document);
		const second = await authority.trackIdOf(document);
		const repeated = await authority.result(second);
		expect(repeated).toMatchObject({ codigo: "2", secuenciaUtilizada: true, mensajes: [{ codigo: 1209 }] });
		expect(await authority.result(first)).toMatchObject({ codigo: "1" });
		const list = (await (await trackIds("E310000000041")).json()) as { trackId: string; estado: string }[];
		expect(list.map(({ trackId, estado }) => [trackId, estado])).toEqual([
			[first, "Aceptado"],
			[second, "Rechazado"],
		]);
		const state = `/testecf/consultaestado/api/consultas/estado?rncemisor=${ISSUER}&ncfelectronico=E310000000041`;
		expect(await (await authority.get(state)).json()).toMatchObject({ codigo: 1 });
		expect(await authority.result(await authority.trackIdOf(document))).toMatchObject({ codigo: "1" });
	});

	test("repeat-rejected on the summary channel answers at once; queries give the first", async () => {
		const document = await signed(summary({ encf: "E320000000041" }));
		expect((await authority.send(document, "fc")).status).toBe(200);
		await authority.fault("receive-summary", "repeat-rejected");
		const repeated = await authority.send(document, "fc");
		expect(repeated.status).toBe(400);
		expect(await repeated.json()).toMatchObject({ codigo: 2, mensajes: [{ codigo: "1209" }] });
		const path = `/testecf/consultarfce/api/consultas/consulta?rnc_emisor=${ISSUER}&encf=E320000000041`;
		expect(await (await authority.get(path)).json()).toMatchObject({ codigo: "1" });
	});

	test("reset-after, then repeat-rejected: the only answer that its sender gets is 1209", async () => {
		const document = await signed(ecf({ encf: "E310000000042" }));
		await authority.fault("receive", "reset-after");
		await authority.fault("receive", "repeat-rejected");
		await expect(authority.send(document)).rejects.toThrow();
		expect((await authority.result(await authority.trackIdOf(document))).mensajes[0]?.codigo).toBe(1209);
	});

	test("not-found hides the list of trackIds as often as set, not the trackId itself", async () => {
		const trackId = await authority.submit(ecf({ encf: "E310000000043" }));
		await authority.fault("track-ids", "not-found", { count: 2 });
		for (let n = 0; n < 2; n++) {
			const denied = await trackIds("E310000000043");
			expect(denied.status).toBe(404);
			expect(await denied.json()).toMatchObject({ estado: "TrackId no encontrado." });
		}
		expect((await authority.result(trackId)).codigo).toBe("1");
		expect(await (await trackIds("E310000000043")).json()).toMatchObject([{ trackId, estado: "Aceptado" }]);
	});

	test("verdicts-reversed decides the first of the sendings last", async () => {
		const count = 3;
		await authority.fault("receive", "verdicts-reversed", { count, ms: 60_000 });
		for (let n = 0; n < count; n++) await authority.submit(ecf({ encf: `E31000000005${n}` }));
		const visible = (await authority.receptions()).slice(-count).map((one) => one.visibleAt ?? 0);
		expect(visible).toEqual(visible.toSorted((a, b) => b - a));
		expect(new Set(visible).size).toBe(count);
	});

	test("read-lag hides a document from all queries, while its number is taken already", async () => {
		await authority.fault("receive", "read-lag", { ms: 700 });
		const trackId = await authority.submit(ecf({ encf: "E310000000060" }));
		expect((await authority.result(trackId)).codigo).toBe("0");
		expect((await trackIds("E310000000060")).status).toBe(404);
		const other = await authority.submit(ecf({ encf: "E310000000060", price: "50.00" }));
		expect((await authority.result(other)).mensajes[0]?.codigo).toBe(1209);
		while ((await authority.result(trackId)).codigo === "0");
		expect((await authority.result(trackId)).codigo).toBe("1");
	});

	test("read-lag on the summary channel hides a verdict that was reported", async () => {
		await authority.fault("receive-summary", "read-lag", { ms: 400 });
		const answer = await authority.send(await signed(summary({ encf: "E320000000060" })), "fc");
		expect(await answer.json()).toMatchObject({ codigo: 1 });
		const path = `/testecf/consultarfce/api/consultas/consulta?rnc_emisor=${ISSUER}&encf=E320000000060`;
		const codigo = async () => ((await (await authority.get(path)).json()) as { codigo: string }).codigo;
		expect(await codigo()).toBe("0");
		while ((await codigo()) === "0");
		expect(await codigo()).toBe("1");
	});

	test("contradicted after one call is accepted, then rejected", async () => {
		const trackId = await authority.submit(ecf({ encf: "E310000000070" }));
		await authority.fault("result", "contradicted", { after: 1, count: 2 });
		const codes = [];
		for (let n = 0; n < 4; n++) codes.push((await authority.result(trackId)).codigo);
		expect(codes).toEqual(["1", "2", "2", "1"]);
		await authority.fault("track-ids", "contradicted");
		expect(await (await trackIds("E310000000070")).text()).toContain("Rechazado");
	});
});

test("status-503 says how long to stay away, as set", async () => {
	await authority.fault("seed", "status-503", { retryAfterSeconds: 120 });
	expect((await seed()).headers.get("retry-after")).toBe("120");
});
