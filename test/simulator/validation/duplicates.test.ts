import { afterAll, afterEach, beforeAll, expect, setSystemTime, test } from "bun:test";
import {
	type Authority,
	bodyOf,
	PATHS,
	type Receipt,
	type Result,
	sharedIdentity,
	startAuthority,
} from "../support/authority";
import { daysFromToday, ecf, ISSUER, summary } from "../support/documents";
import { sign } from "../support/signer";

let authority: Authority;
beforeAll(async () => {
	authority = await startAuthority();
});
afterEach(() => void setSystemTime());
afterAll(() => authority.stop());

const signed = async (xml: string) => sign(xml, await sharedIdentity());
const resultOf = async (document: string) => authority.result(await authority.trackIdOf(document));

test("the same bytes get another trackId and the same verdict", async () => {
	for (const [encf, buyer, codigo] of [
		["E310000000001", "990000026", "1"],
		["E310000000002", "000000002", "2"],
		["E310000000003", "000000003", "4"],
	] as const) {
		const document = await signed(ecf({ encf, buyer }));
		const first = await authority.trackIdOf(document);
		const second = await authority.trackIdOf(document);
		expect(second).not.toBe(first);
		expect(await authority.result(first)).toMatchObject({ codigo });
		expect((await authority.result(second)).mensajes).toEqual((await authority.result(first)).mensajes);
	}
});

test("other bytes under a used number are rejected with 1209; the first verdict stays", async () => {
	const first = await authority.submit(ecf({ encf: "E310000000010" }));
	const other = await resultOf(await signed(ecf({ encf: "E310000000010", price: "200.00" })));
	expect(other).toMatchObject({ codigo: "2", secuenciaUtilizada: true });
	expect(other.mensajes[0]?.codigo).toBe(1209);
	expect(await authority.result(first)).toMatchObject({ codigo: "1" });
	const state = `/testecf/consultaestado/api/consultas/estado?rncemisor=${ISSUER}&ncfelectronico=E310000000010`;
	expect(await bodyOf<object>(authority.get(state))).toMatchObject({ codigo: 1, montoTotal: 118 });
});

test("a number that a rejection has used is used", async () => {
	await authority.submit(ecf({ encf: "E310000000011", priceIndicator: false }));
	const mended = await resultOf(await signed(ecf({ encf: "E310000000011" })));
	expect(mended.mensajes[0]?.codigo).toBe(1209);
});

test("a rejection for structure or an expired sequence leaves the number free", async () => {
	const expired = await resultOf(await signed(ecf({ encf: "E310000000012", expiresOn: daysFromToday(-1) })));
	expect(expired).toMatchObject({ codigo: "2", secuenciaUtilizada: false });
	const structure = await resultOf(await signed(ecf({ encf: "E310000000012" }).replace("<TipoPago>1</TipoPago>", "")));
	expect(structure).toMatchObject({ codigo: "2", secuenciaUtilizada: false });
	const lastDay = await resultOf(await signed(ecf({ encf: "E310000000012", expiresOn: daysFromToday(0) })));
	expect(lastDay).toMatchObject({ codigo: "1", secuenciaUtilizada: true });
});

test("an element without content is rejected and uses no number", async () => {
	const document = await signed(ecf({ encf: "E310000000013" }).replace("Cemento gris", ""));
	expect(await resultOf(document)).toMatchObject({ codigo: "2", secuenciaUtilizada: false });
});

test("of many sent at once under one number, one holds it", async () => {
	const prices = ["1.00", "2.00", "3.00", "4.00", "5.00", "6.00"];
	const documents = await Promise.all(prices.map((price) => signed(ecf({ encf: "E310000000020", price }))));
	const results = await Promise.all(documents.map(resultOf));
	expect(results.map((result) => result.codigo).sort()).toEqual(["1", "2", "2", "2", "2", "2"]);
});

test("of the same bytes sent many times at once, one holds the number", async () => {
	const document = await signed(ecf({ encf: "E310000000021" }));
	const results = await Promise.all(Array.from({ length: 6 }, () => resultOf(document)));
	expect(results.map((result) => result.codigo)).toEqual(["1", "1", "1", "1", "1", "1"]);
	const rows = (await authority.receptions()).filter((reception) => reception.encf === "E310000000021");
	expect(rows.map((row) => row.holdsNumber).sort()).toEqual([false, false, false, false, false, true]);
});

test("a summary sent again gets the same verdict; another one gets 1209", async () => {
	const document = await signed(summary({ encf: "E320000000030" }));
	const send = (text: string) => bodyOf<Result>(authority.send(text, "fc"));
	expect(await send(document)).toEqual(await send(document));
	const other = await send(await signed(summary({ encf: "E320000000030", total: "1.00" })));
	expect(other.mensajes[0]?.codigo).toBe("1209");
	const whole = await resultOf(await signed(ecf({ type: "32", encf: "E320000000030", price: "300000.00" })));
	expect(whole.mensajes[0]?.codigo).toBe(1209);
});

test("numbers of different issuers and environments do not meet", async () => {
	expect(await resultOf(await signed(ecf({ encf: "E310000000040" })))).toMatchObject({ codigo: "1" });
	const elsewhere = await resultOf(await signed(ecf({ encf: "E310000000040", issuer: "990000052" })));
	expect(elsewhere).toMatchObject({ codigo: "1" });
	const document = await signed(ecf({ encf: "E310000000040", price: "7.00" }));
	const headers = await authority.bearer();
	const path = PATHS.main.replace("testecf", "certecf");
	const { trackId } = await bodyOf<Receipt>(authority.post(path, `${ISSUER}E310000000040.xml`, document, { headers }));
	const result = await authority.get(`/certecf/consultaresultado/api/consultas/estado?trackid=${trackId}`);
	expect(await bodyOf<Result>(result)).toMatchObject({ codigo: "1" });
});

test("a credit note passes once its original's verdict is reported, not before", async () => {
	const slow = await startAuthority({ delayMs: 400 });
	const note = (encf: string) => ecf({ type: "34", encf, price: "10.00", reference: { encf: "E310000000001" } });
	const sentAt = Date.now();
	setSystemTime(sentAt);
	await slow.submit(ecf());
	const early = await slow.submit(note("E340000000001"));
	setSystemTime(sentAt + 400);
	const late = await slow.submit(note("E340000000002"));
	setSystemTime(sentAt + 800);
	expect((await slow.result(early)).mensajes[0]?.codigo).toBe(614);
	expect((await slow.result(late)).codigo).toBe("1");
	await slow.stop();
});
