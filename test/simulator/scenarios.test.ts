import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Authority, bodyOf, type Channel, type Result, sharedIdentity, startAuthority } from "./support/authority";
import { ecf, ISSUER, summary } from "./support/documents";
import { sign } from "./support/signer";

const SILENCE_MS = 1_500;

let authority: Authority;
beforeAll(async () => {
	authority = await startAuthority({ silenceMs: SILENCE_MS });
});
afterAll(() => authority.stop());

let last = 0;

/** A signed document for the channel, under a number of its own, for the buyer of a scenario. */
async function document(channel: Channel, buyer: string): Promise<{ signed: string; encf: string }> {
	last++;
	const encf = `E${channel === "main" ? "31" : "32"}${String(last).padStart(10, "0")}`;
	const xml = channel === "main" ? ecf({ encf, buyer }) : summary({ encf, buyer });
	return { signed: await sign(xml, await sharedIdentity()), encf };
}

type EmailFacts = { codigo: number; secuenciaUtilizada: boolean; codes: string[]; afterMs: number };

/** Sends and waits for the verdict, by the trackId or from the answer. */
async function verdictOf(signed: string, channel: Channel): Promise<EmailFacts> {
	const sentAt = Date.now();
	const reported = channel === "main" ? await finalResult(signed) : await bodyOf<Result>(authority.send(signed, "fc"));
	return {
		codigo: Number(reported.codigo),
		secuenciaUtilizada: reported.secuenciaUtilizada,
		codes: reported.mensajes.map((message) => String(message.codigo)),
		afterMs: Date.now() - sentAt,
	};
}

async function finalResult(signed: string): Promise<Result> {
	const trackId = await authority.trackIdOf(signed);
	let result = await authority.result(trackId);
	while (result.codigo === "3") result = await authority.result(trackId);
	return result;
}

describe.each(["main", "fc"] as const)("on the %s channel", (channel) => {
	test("buyer 000000001 is accepted after 200 ms", async () => {
		const reported = await verdictOf((await document(channel, "000000001")).signed, channel);
		expect(reported).toMatchObject({ codigo: 1, secuenciaUtilizada: true });
		expect(reported.afterMs).toBeGreaterThanOrEqual(200);
	});

	test("buyer 000000002 is rejected with a code that fits the type", async () => {
		const reported = await verdictOf((await document(channel, "000000002")).signed, channel);
		expect(reported).toMatchObject({ codigo: 2, secuenciaUtilizada: true, codes: ["1920"] });
	});

	test("buyer 000000003 is accepted with a condition", async () => {
		const reported = await verdictOf((await document(channel, "000000003")).signed, channel);
		expect(reported).toMatchObject({ codigo: 4, secuenciaUtilizada: true, codes: ["1385"] });
	});

	test("buyer 000000004 gets silence, then accepted; asking again does not restart it", async () => {
		const { signed } = await document(channel, "000000004");
		const both = await Promise.all([verdictOf(signed, channel), verdictOf(signed, channel)]);
		for (const reported of both) {
			expect(reported).toMatchObject({ codigo: 1 });
			expect(reported.afterMs).toBeGreaterThanOrEqual(SILENCE_MS - 100);
		}
		const again = await verdictOf(signed, channel);
		expect(again.codigo).toBe(1);
		expect(again.afterMs).toBeLessThan(SILENCE_MS);
	});

	test("buyer 000000005 is stored while the answer is lost, and answered when sent again", async () => {
		const { signed, encf } = await document(channel, "000000005");
		await expect(authority.send(signed, channel)).rejects.toThrow();
		const path =
			channel === "main"
				? `/testecf/consultatrackids/api/trackids/consulta?rncemisor=${ISSUER}&encf=${encf}`
				: `/testecf/consultarfce/api/consultas/consulta?rnc_emisor=${ISSUER}&encf=${encf}`;
		expect(await (await authority.get(path)).text()).toContain("Aceptado");
		expect(await verdictOf(signed, channel)).toMatchObject({ codigo: 1 });
	});

	test("buyer 000000007 is rejected and the number stays free", async () => {
		const { signed, encf } = await document(channel, "000000007");
		expect(await verdictOf(signed, channel)).toMatchObject({ codigo: 2, secuenciaUtilizada: false, codes: ["135"] });
		const other = channel === "main" ? ecf({ encf }) : summary({ encf });
		expect(await verdictOf(await sign(other, await sharedIdentity()), channel)).toMatchObject({ codigo: 1 });
	});
});

describe("the header X-Sandbox-Scenario", () => {
	const ordered = async (channel: Channel, scenario: unknown, buyer = "990000026") => {
		const { signed } = await document(channel, buyer);
		const header = typeof scenario === "string" ? scenario : JSON.stringify(scenario);
		return authority.send(signed, channel, { "x-sandbox-scenario": header });
	};
	const reported = async (response: Response) => {
		const { trackId } = await bodyOf<{ trackId: string }>(response);
		let result = await authority.result(trackId);
		while (result.codigo === "3") result = await authority.result(trackId);
		return result;
	};

	test("decides the verdict, its code and its time, and wins over the buyer", async () => {
		expect(await reported(await ordered("main", "accept", "000000002"))).toMatchObject({ codigo: "1" });
		const sentAt = Date.now();
		const rejected = await reported(await ordered("main", { scenario: "reject", code: "1920", after: "150ms" }));
		expect(rejected).toMatchObject({ codigo: "2", secuenciaUtilizada: true, mensajes: [{ codigo: 1920 }] });
		expect(Date.now() - sentAt).toBeGreaterThanOrEqual(150);
		const summary = await ordered("fc", { scenario: "release", code: "75" });
		expect(await summary.json()).toMatchObject({ codigo: 2, secuenciaUtilizada: false, mensajes: [{ codigo: "75" }] });
	});

	test("fail, like buyer 000000006, is an error page, and nothing is stored", async () => {
		const before = (await authority.receptions()).length;
		expect((await ordered("main", "fail")).status).toBe(500);
		expect((await ordered("fc", "fail")).status).toBe(500);
		expect((await authority.send((await document("main", "000000006")).signed)).status).toBe(500);
		expect((await authority.receptions()).length).toBe(before);
	});

	test("that is unknown is refused, not ignored", async () => {
		for (const header of ["explode", "{", '{"scenario":"reject","x":1}', '{"scenario":"silent","after":"1h"}']) {
			expect((await ordered("main", header)).status).toBe(400);
		}
	});
});

test("silence lasts thirty seconds by default, and ends when the simulator stops", async () => {
	const patient = await startAuthority();
	const { signed } = await document("main", "000000004");
	const sent = patient.send(signed);
	sent.catch(() => undefined);
	while ((await patient.receptions()).length === 0);
	const [reception] = await patient.receptions();
	expect(reception).toMatchObject({ verdict: 1 });
	expect((reception?.visibleAt ?? 0) - (reception?.receivedAt ?? 0)).toBe(30_000);
	await patient.stop();
	await expect(sent).rejects.toThrow();
});
