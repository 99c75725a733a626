import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { toAuthorityDate } from "../../../src/platform/values";
import { type Authority, startAuthority } from "../support/authority";

let authority: Authority;
beforeAll(async () => {
	authority = await startAuthority();
});
afterAll(() => authority.stop());
afterEach(() => authority.steer("services", {}, "DELETE"));

const get = (action: string, headers: Record<string, string> = { authorization: "Apikey anything" }) =>
	authority.call(`/api/EstatusServicios/${action}`, { headers });
const stateOf = async (number: number) => (await get(`VerificarEstado?ambiente=${number}`)).json();

test("by default all is up and nothing is maintained", async () => {
	const list = (await (await get("ObtenerEstatus")).json()) as unknown[];
	expect(list).toHaveLength(27);
	expect(list).toContainEqual({ servicio: "Autenticación", estatus: "Disponible", ambiente: "Produccion" });
	expect(await (await get("obtenerventanasmantenimiento")).json()).toEqual({ ventanaMantenimientos: [] });
	for (const number of [1, 2, 3]) expect(await stateOf(number)).toEqual({ estado: "Disponible" });
});

test("a service that is declared down is reported so, in its environment alone", async () => {
	await authority.steer("services", { ambiente: "Produccion", servicio: "Recepción", isUp: false });
	const list = await (await get("obtenerestatus")).json();
	expect(list).toContainEqual({ servicio: "Recepción", estatus: "No Disponible", ambiente: "Produccion" });
	expect(list).toContainEqual({ servicio: "Recepción", estatus: "Disponible", ambiente: "Certificacion" });
});

test("an environment within a window of maintenance is not available, the others are", async () => {
	const today = toAuthorityDate(new Date());
	const morning = { horaInicio: "12:00 AM", horaFin: "12:00 PM", dias: [today] };
	const evening = { horaInicio: "12:00 PM", horaFin: "11:59 PM", dias: ["01-01-2020", today] };
	const elsewhere = { ambiente: "Certificacion", horaInicio: "12:00 AM", horaFin: "11:59 PM", dias: ["01-01-2020"] };
	for (const window of [morning, evening]) await authority.steer("maintenance", { ambiente: "Produccion", ...window });
	await authority.steer("maintenance", elsewhere);
	const reported = (await (await get("obtenerventanasmantenimiento")).json()) as { ventanaMantenimientos: unknown[] };
	expect(reported.ventanaMantenimientos).toEqual([
		{ ambiente: "Produccion", ...morning },
		{ ambiente: "Produccion", ...evening },
		elsewhere,
	]);
	expect(await stateOf(2)).toEqual({ estado: "No Disponible" });
	expect(await stateOf(1)).toEqual({ estado: "Disponible" });
	expect(await stateOf(3)).toEqual({ estado: "Disponible" });
});

test("without a key, with a token or an unknown environment, it is refused", async () => {
	expect((await get("obtenerestatus", {})).status).toBe(401);
	expect((await get("obtenerestatus", await authority.bearer())).status).toBe(401);
	expect((await get("verificarestado?ambiente=9")).status).toBe(400);
	expect((await get("verificarestado")).status).toBe(400);
});
