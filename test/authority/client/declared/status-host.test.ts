/** The status host against the simulator, and against hosts with unusable answers. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createStatusHost } from "../../../../src/authority/client";
import { createLog } from "../../../../src/platform/telemetry";
import { type Simulator, startSimulator } from "../../../../src/simulator";

const folder = mkdtempSync(join(tmpdir(), "sello-status-host-"));
let simulator: Simulator;
beforeAll(async () => {
	const databasePath = join(folder, "simulator.sqlite");
	simulator = await startSimulator({ host: "127.0.0.1", port: 0, databasePath, delayMs: 0 });
});
afterAll(async () => {
	await simulator.stop();
	rmSync(folder, { recursive: true });
});

const open = (url: string, key: string | undefined) =>
	createStatusHost({ url, key, log: createLog("silent", "test"), connectTimeoutMs: 5_000, answerTimeoutMs: 5_000 });

const steer = (what: string, body: unknown) =>
	fetch(`${simulator.url}/_simulator/${what}`, { method: "POST", body: JSON.stringify(body) });

test("declared states of services, environments and maintenance are read", async () => {
	await steer("services", { ambiente: "Produccion", servicio: "Recepción", isUp: false });
	await steer("maintenance", {
		...{ ambiente: "Certificacion", horaInicio: "9:00 AM", horaFin: "12:00 PM", dias: ["06-08-2020"] },
	});
	const host = open(simulator.url, "granted");
	const services = (await host.services()) ?? [];
	expect(services).toHaveLength(27);
	expect(services.filter(({ status }) => status === "No Disponible")).toEqual([
		{ segment: "ecf", title: "Recepción", status: "No Disponible" },
	]);
	expect(await host.environment("ecf")).toBe("Disponible");
	expect(await host.windows()).toEqual([
		{ segment: "certecf", from: new Date("2020-08-06T13:00:00Z"), to: new Date("2020-08-06T16:00:00Z") },
	]);
});

test("without the key nothing is known, which is not an outage", async () => {
	const host = open(simulator.url, undefined);
	expect(await host.services()).toBeUndefined();
	expect(await host.environment("ecf")).toBeUndefined();
	expect(await host.windows()).toBeUndefined();
});

test.each<[string, () => Response]>([
	["an error", () => new Response("Service Unavailable", { status: 503 })],
	["a page", () => new Response("<html><h1>Mantenimiento</h1></html>")],
	["nothing", () => new Response("")],
	["an unknown word", () => Response.json({ estado: "Quizás" })],
])("a host that answers with %s gives no state", async (_, answer) => {
	const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
	try {
		const host = open(`http://127.0.0.1:${server.port}`, "granted");
		expect(await host.environment("testecf")).toBeUndefined();
		expect(await host.services()).toBeUndefined();
		expect(await host.windows()).toBeUndefined();
	} finally {
		await server.stop(true);
	}
});
