/** Who issues and under which numbers, as tests have set it, over the authority's own services. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Authority, bodyOf, type Result, sharedIdentity, startAuthority } from "../support/authority";
import { daysFromToday, ecf, summary } from "../support/documents";
import { sign } from "../support/signer";

let authority: Authority;
beforeAll(async () => {
	authority = await startAuthority();
});
afterAll(() => authority.stop());

const signed = async (xml: string) => sign(xml, await sharedIdentity());

/** Sends to any environment and returns the verdict. */
async function fateOf(xml: string, environment = "testecf") {
	const document = await signed(xml);
	const issuer = /<RNCEmisor>(\d+)</.exec(xml)?.[1] ?? "";
	const encf = /<eNCF>(.*?)</.exec(xml)?.[1] ?? "";
	const headers = await authority.bearer();
	const path = `/${environment}/recepcion/api/facturaselectronicas`;
	const { trackId } = await bodyOf<{ trackId: string }>(
		authority.post(path, `${issuer}${encf}.xml`, document, { headers }),
	);
	const result = `/${environment}/consultaresultado/api/consultas/estado?trackid=${trackId}`;
	const reported = await bodyOf<Result>(authority.get(result));
	return [reported.codigo, reported.secuenciaUtilizada, ...reported.mensajes.map(({ codigo }) => String(codigo))];
}

const range = (over: object) =>
	authority.steer("ranges", {
		...{ environment: "ecf", rnc: "990000052", type: "31", first: 1, last: 100, expiresOn: "31-12-2028" },
		...over,
	});

describe("an issuer", () => {
	test.each(["unknown", "inactive", "not-electronic"])(
		"that is %s is rejected, its number still free",
		async (standing) => {
			await authority.steer("taxpayers", { rnc: "990000131", standing });
			expect(await fateOf(ecf({ issuer: "990000131" }))).toEqual(["2", false, "0"]);
		},
	);

	test("whose application for certification is closed is rejected there, and there alone", async () => {
		await authority.steer("taxpayers", { rnc: "990000131", standing: "not-in-certification" });
		expect(await fateOf(ecf({ issuer: "990000131" }), "certecf")).toEqual(["2", true, "1209"]);
		expect(await fateOf(ecf({ issuer: "990000131" }))).toEqual(["1", true, "0"]);
	});
});

test("a buyer whom the authority does not know is a condition: 1385", async () => {
	await authority.steer("taxpayers", { rnc: "40200000004", standing: "unknown" });
	expect(await fateOf(ecf({ encf: "E310000000100", buyer: "40200000004" }))).toEqual(["4", true, "1385"]);
});

describe("numbers", () => {
	test("beyond the range of the test environment are a condition there: 75", async () => {
		expect(await fateOf(ecf({ encf: "E310010000000" }))).toEqual(["1", true, "0"]);
		expect(await fateOf(ecf({ encf: "E310010000001" }))).toEqual(["4", true, "75"]);
		expect(await fateOf(ecf({ encf: "E310010000001" }), "ecf")).toEqual(["1", true, "0"]);
		const large = { type: "32", price: "300000.00" };
		expect(await fateOf(ecf({ ...large, encf: "E320050000000" }))).toEqual(["1", true, "0"]);
	});

	test("outside an issuer's ranges are rejected and stay free; on a summary a condition", async () => {
		await range({});
		await range({ first: 200, last: 300 });
		const own = { issuer: "990000052" };
		expect(await fateOf(ecf({ ...own, encf: "E310000000250" }), "ecf")).toEqual(["1", true, "0"]);
		expect(await fateOf(ecf({ ...own, encf: "E310000000150" }), "ecf")).toEqual(["2", false, "135"]);
		await range({ type: "32", expiresOn: null });
		const document = await signed(summary({ ...own, encf: "E320000000101" }));
		const path = "/ecf/recepcionfc/api/recepcion/ecf";
		const answer = await authority.post(path, "990000052E320000000101.xml", document, {
			headers: await authority.bearer(),
		});
		expect(await answer.json()).toMatchObject({ codigo: 4, mensajes: [{ codigo: "75" }] });
	});

	test("carry the expiry of their range, and end with it", async () => {
		const own = { issuer: "990000052" };
		expect(await fateOf(ecf({ ...own, encf: "E310000000003", expiresOn: "31-12-2029" }), "ecf")).toEqual([
			"2",
			true,
			"0",
		]);
		await range({ type: "33", expiresOn: daysFromToday(-1) });
		expect(await fateOf(ecf({ ...own, type: "33" }), "ecf")).toEqual(["2", false, "135"]);
	});
});

test("in the certification environment every number that was sent is spent", async () => {
	const encf = "E310000000400";
	expect(await fateOf(ecf({ encf }).replace("<TipoPago>1", "<TipoPago>9"), "certecf")).toEqual(["2", true, "64"]);
	expect(await fateOf(ecf({ encf }), "certecf")).toEqual(["2", true, "1209"]);
	expect(await fateOf(ecf({ encf }), "testecf")).toEqual(["1", true, "0"]);
});
