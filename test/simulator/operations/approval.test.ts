import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Authority, sharedIdentity, startAuthority } from "../support/authority";
import { type ApprovalParts, approval, BUYER, ecf, ISSUER, summary } from "../support/documents";
import { makeIdentity, sign } from "../support/signer";

const PATH = "/testecf/aprobacioncomercial/api/aprobacioncomercial";
const APPROVED = { mensaje: [], estado: "Aprobación Comercial Aprobada.", codigo: "01" };

let authority: Authority;
beforeAll(async () => {
	authority = await startAuthority();
});
afterAll(() => authority.stop());

const signed = async (xml: string) => sign(xml, await sharedIdentity());
const post = async (xml: string, fileName: string, headers: Record<string, string> = {}) =>
	authority.post(PATH, fileName, xml, { headers: { ...(await authority.bearer()), ...headers } });
const send = async (parts: ApprovalParts, headers?: Record<string, string>) =>
	post(await signed(approval(parts)), `${parts.buyer ?? BUYER}${parts.encf}.xml`, headers);

async function expectRefusal(response: Response, text: string): Promise<void> {
	expect(response.status).toBe(400);
	expect(await response.json()).toEqual({
		mensaje: [expect.stringContaining(text)],
		estado: "Aprobacion Comercial Rechazada.",
		codigo: "02",
	});
}

let last = 0;
/** An accepted e-CF with a number of its own. */
async function accepted(parts: Parameters<typeof ecf>[0] = {}): Promise<string> {
	const encf = `E${parts.type ?? "31"}${String(++last).padStart(10, "0")}`;
	await authority.submit(ecf({ encf, ...parts }));
	return encf;
}

describe("an approval is taken in", () => {
	test("of an accepted e-CF; the same bytes again get the same answer, and stand once", async () => {
		const encf = await accepted();
		const xml = await signed(approval({ encf }));
		for (const _ of [1, 2]) {
			const response = await post(xml, `${BUYER}${encf}.xml`);
			expect([response.status, await response.json()]).toEqual([200, APPROVED]);
		}
		const all = await (await authority.call("/_simulator/approvals")).json();
		expect((all as { encf: string }[]).filter((one) => one.encf === encf)).toHaveLength(1);
	});

	test("also when the buyer rejects the document, with a reason", async () => {
		const encf = await accepted();
		expect((await send({ encf, state: "2", reason: "Mercancía incompleta" })).status).toBe(200);
	});

	test("as XML where XML is accepted", async () => {
		const encf = await accepted();
		const text = await (await send({ encf }, { accept: "application/xml" })).text();
		expect(text).toContain("<RespuestaAprobacionComercial><estado>Aprobación Comercial Aprobada.</estado>");
	});
});

describe("an approval is refused", () => {
	test("of a document that was never sent, or in another environment", async () => {
		await expectRefusal(await send({ encf: "E310009999999" }), "Factura no encontrada");
		const encf = await accepted();
		const xml = await signed(approval({ encf }));
		const headers = await authority.bearer();
		const elsewhere = await authority.post(PATH.replace("testecf", "ecf"), `${BUYER}${encf}.xml`, xml, { headers });
		await expectRefusal(elsewhere, "Factura no encontrada");
	});

	test("of a type without approvals, and of a note on such a document", async () => {
		const large = await accepted({ type: "32", price: "300000.00" });
		await expectRefusal(await send({ encf: large, total: "354000.00" }), "para este tipo de e-CF");
		const note = await accepted({ type: "34", reference: { encf: large } });
		await expectRefusal(await send({ encf: note }), "para el e-CF Referenciado");
		await authority.send(await signed(summary({ encf: "E320000000099" })), "fc");
		await expectRefusal(await send({ encf: "E320000000099" }), "para este tipo de e-CF");
	});

	test("of a rejected document, or when its figures are others", async () => {
		const rejected = await accepted({ buyer: "000000002" });
		await expectRefusal(await send({ encf: rejected, buyer: "000000002" }), "No se encuentra un e-CF válido");
		const encf = await accepted();
		for (const other of [{ total: "118.01" }, { issueDate: "01-01-2026" }, { buyer: "990000052" }]) {
			await expectRefusal(await send({ encf, ...other }), "No se encuentra un e-CF válido");
		}
	});

	test("when the buyer has said something else before", async () => {
		const encf = await accepted();
		await send({ encf });
		await expectRefusal(await send({ encf, state: "2", reason: "No" }), "No se encuentra un e-CF válido");
	});

	test("when its structure or its name is wrong", async () => {
		const encf = await accepted();
		await expectRefusal(await send({ encf, state: "2" }), "La estructura del archivo no es válida.");
		await expectRefusal(await send({ encf, total: "118" }), "La estructura del archivo no es válida.");
		await expectRefusal(
			await post(await signed(approval({ encf })), `${ISSUER}${encf}.xml`),
			"El archivo no es válido.",
		);
		await expectRefusal(await post("no XML", `${BUYER}${encf}.xml`), "El archivo no es un XML.");
	});

	test("when its signature is broken, or its signer is no delegate of the buyer", async () => {
		const encf = await accepted();
		const broken = (await signed(approval({ encf }))).replace("118.00", "118.01");
		await expectRefusal(await post(broken, `${BUYER}${encf}.xml`), "La firma no es válida.");
		const outsider = await makeIdentity();
		await authority.delegate({ thumbprint: outsider.thumbprint, rnc: BUYER, delegated: false });
		await expectRefusal(
			await post(await sign(approval({ encf }), outsider), `${BUYER}${encf}.xml`),
			`no está delegado para el RNC ${BUYER}`,
		);
	});

	test("when the service fails inside, as a fault has it, and then it may come again", async () => {
		const encf = await accepted();
		await authority.fault("approval", "code-004");
		await expectRefusal(await send({ encf }), "Favor intentar nuevamente");
		expect((await send({ encf })).status).toBe(200);
	});

	test("without a token", async () => {
		expect((await authority.post(PATH, "x.xml", "x")).status).toBe(401);
	});
});
