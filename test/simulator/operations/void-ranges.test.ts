/** Void of ranges: what is checked, what is answered, and that a voided number is gone. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Authority, bodyOf, type Receipt, sharedIdentity, startAuthority } from "../support/authority";
import { ecf, ISSUER } from "../support/documents";
import { sign } from "../support/signer";

const PATH = "/testecf/anulacionrangos/api/operaciones/anularrango";

let authority: Authority;
beforeAll(async () => {
	authority = await startAuthority();
});
afterAll(() => authority.stop());

type Line = { no?: number; type?: string; ranges: [number, number][]; count?: number };
const encf = (number: number, type = "31") => `E${type}${String(number).padStart(10, "0")}`;
const sizeOf = (ranges: readonly (readonly [number, number])[]) =>
	ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);

function anecf(lines: readonly Line[], over: { count?: number; root?: string } = {}): string {
	const { root = "ANECF", count = sizeOf(lines.flatMap(({ ranges }) => ranges)) } = over;
	const body = lines.map(({ no, type = "31", ranges, count: own }, i) => {
		const table = ranges.map(
			([from, to]) =>
				`<Secuencias><SecuenciaeNCFDesde>${encf(from, type)}</SecuenciaeNCFDesde>` +
				`<SecuenciaeNCFHasta>${encf(to, type)}</SecuenciaeNCFHasta></Secuencias>`,
		);
		return (
			`<Anulacion><NoLinea>${no ?? i + 1}</NoLinea><TipoeCF>${type}</TipoeCF><TablaRangoSecuenciasAnuladaseNCF>${table.join("")}` +
			`</TablaRangoSecuenciasAnuladaseNCF><CantidadeNCFAnulados>${own ?? sizeOf(ranges)}</CantidadeNCFAnulados></Anulacion>`
		);
	});
	return (
		`<${root}><Encabezado><Version>1.0</Version><RncEmisor>${ISSUER}</RncEmisor><CantidadeNCFAnulados>${count}` +
		"</CantidadeNCFAnulados><FechaHoraAnulacioneNCF>20-11-2026 12:00:00</FechaHoraAnulacioneNCF></Encabezado>" +
		`<DetalleAnulacion>${body.join("")}</DetalleAnulacion></${root}>`
	);
}

type Answer = { rnc: string; codigo: string; nombre: string; mensajes: string[] };
async function send(signed: string): Promise<{ status: number; body: Answer }> {
	const response = await authority.post(PATH, "anulacion.xml", signed, { headers: await authority.bearer() });
	return { status: response.status, body: await bodyOf<Answer>(response) };
}
const voidThese = async (...given: Parameters<typeof anecf>) =>
	send(await sign(anecf(...given), await sharedIdentity()));

test("free numbers are voided, and the same bytes get the same answer", async () => {
	const signed = await sign(
		anecf([
			{ ranges: [[1, 5]] },
			{
				type: "32",
				ranges: [
					[1, 1],
					[7, 9],
				],
			},
		]),
		await sharedIdentity(),
	);
	const first = await send(signed);
	expect(first).toEqual({
		...{
			status: 200,
			body: { rnc: ISSUER, codigo: "1", nombre: "", mensajes: ["Las secuencias fueron anuladas correctamente."] },
		},
	});
	expect(await send(signed)).toEqual(first);
});

test("a voided number is rejected for ever, its neighbour is not", async () => {
	await voidThese([{ ranges: [[101, 103]] }]);
	const verdict = async (number: number) => {
		const signed = await sign(ecf({ encf: encf(number) }), await sharedIdentity());
		const { trackId } = await bodyOf<Receipt>(authority.send(signed));
		return authority.result(trackId ?? "");
	};
	expect(await verdict(103)).toMatchObject({ codigo: "2", secuenciaUtilizada: true, mensajes: [{ codigo: 1209 }] });
	expect(await verdict(104)).toMatchObject({ codigo: "1" });
});

test("used and voided numbers are left out and listed; with nothing left it is refused", async () => {
	await authority.submit(ecf({ encf: encf(203) }));
	await voidThese([{ ranges: [[206, 207]] }]);
	const partly = await voidThese([{ ranges: [[201, 210]] }]);
	expect(partly.status).toBe(200);
	expect(partly.body.mensajes).toEqual([
		...[
			"Las secuencias fueron anuladas correctamente. Con excepción de las secuencias del detalle",
			encf(203),
			`${encf(206)}-${encf(207)}`,
		],
	]);
	const again = await voidThese([{ ranges: [[201, 210]] }], { count: 10 });
	expect(again.status).toBe(200);
	const other = await voidThese([{ ranges: [[202, 204]] }]);
	expect(other.status).toBe(400);
	expect(other.body.mensajes[0]).toBe("No fue posible anular las siguientes secuencias");
});

test.each<[string, Parameters<typeof anecf>, string]>([
	["another document", [[{ ranges: [[1, 2]] }], { root: "ANULA" }], "tipo de comprobante"],
	["lines that are not numbered one after another", [[{ no: 2, ranges: [[301, 302]] }]], "NoLinea"],
	["a range that runs backwards", [[{ ranges: [[309, 301]], count: 9 }], { count: 9 }], "mayor"],
	["a line's count that is wrong", [[{ ranges: [[301, 302]], count: 3 }]], "CantidadeNCFAnulados"],
	[
		"a sequence that begins at zero",
		[[{ ranges: [[0, 2]] }]],
		`No fue posible anular las siguientes secuencias: ${encf(0)}`,
	],
	[
		"numbers that stand in two of its sequences",
		[
			[
				{
					ranges: [
						[306, 315],
						[301, 310],
					],
				},
			],
		],
		`No fue posible anular las siguientes secuencias: ${encf(306)}-${encf(310)}`,
	],
	[
		"numbers that stand in two of its lines, one within the other",
		[[{ ranges: [[301, 310]] }, { ranges: [[302, 304]] }]],
		`No fue posible anular las siguientes secuencias: ${encf(302)}-${encf(304)}`,
	],
	["the header's count that is wrong", [[{ ranges: [[301, 302]] }], { count: 3 }], "CantidadeNCFAnulados"],
])("%s is refused", async (_, given, word) => {
	const { status, body } = await voidThese(...given);
	expect(status).toBe(400);
	expect(body.mensajes[0]).toContain(word);
});

test("of two types the same numbers, and ranges that touch, are voided", async () => {
	const touching: Line["ranges"] = [
		[506, 510],
		[501, 505],
	];
	const { status, body } = await voidThese([{ ranges: touching }, { type: "32", ranges: touching }]);
	expect([status, body.mensajes]).toEqual([200, ["Las secuencias fueron anuladas correctamente."]]);
});

test.each(["1", "1.00"])("a version written as %s is no structure", async (version) => {
	const xml = anecf([{ ranges: [[601, 602]] }]).replace("<Version>1.0", `<Version>${version}`);
	const { status, body } = await send(await sign(xml, await sharedIdentity()));
	expect([status, body.mensajes[0]]).toEqual([400, expect.stringContaining("El campo Version")]);
});

test("a changed document and one that is no XML are refused", async () => {
	const signed = await sign(anecf([{ ranges: [[401, 402]] }]), await sharedIdentity());
	expect((await send(signed.replaceAll(encf(402), encf(403)).replaceAll(">2<", ">3<"))).body.mensajes[0]).toContain(
		"firma",
	);
	expect((await send("no xml")).body.mensajes[0]).toContain("XML");
});
