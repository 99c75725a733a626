/** Public look-ups: the directory of receivers and the status of the services. */
import { AMBIENTS, type Ambient, type Availability, SERVICES } from "../availability";
import { COUNTERPART, counterpartUrl } from "../counterpart/identity";
import { type Answer, jsonAnswer, negotiatedAnswer } from "../http/answer";
import type { Call, Route } from "../http/call";
import type { Receiver } from "../store";
import { type Context, refuseQuery } from "./context";

const ROOT = "DirectorioElectronico";

export function directoryRoutes(context: Context): Route[] {
	const route = (action: string, handle: Route["handle"]): Route => ({
		method: "GET",
		path: `/{env}/consultadirectorio/api/consultas/${action}`,
		environments: ["testecf", "ecf"],
		access: "token",
		operation: "directory",
		handle,
	});
	return [
		route("listado", (call) => negotiatedAnswer(call.header("accept"), 200, ROOT, listAll(call, context).map(toEntry))),
		route("obtenerdirectorioporrnc", (call) => reportOne(call, context)),
	];
}

function reportOne(call: Call, context: Context): Answer {
	const rnc = call.query("rnc");
	if (!rnc) return refuseQuery("RNC", "El RNC es requerido.", context.realistic);
	if (!/^([0-9]{9}|[0-9]{11})$/.test(rnc)) {
		return refuseQuery("RNC", "La longitud del RNC no es válida.", context.realistic);
	}
	const accept = call.header("accept");
	const [found] = listAll(call, context).filter((receiver) => receiver.rnc === rnc);
	if (!found) return negotiatedAnswer(accept, 200, ROOT, []);
	const entry = toEntry(found);
	return negotiatedAnswer(accept, 200, ROOT, context.realistic && call.environment === "testecf" ? [entry] : entry);
}

function listAll(call: Call, { store }: Context): Receiver[] {
	const entered = store.directory.list(call.environment);
	return call.environment === "testecf" ? [ownEntry(call), ...entered] : entered;
}

function ownEntry(call: Call): Receiver {
	const url = counterpartUrl(call);
	const { rnc, name } = COUNTERPART;
	return {
		environment: "testecf",
		rnc,
		name,
		receptionUrl: url,
		approvalUrl: url,
		authenticationUrl: url,
	};
}

function toEntry({ name, rnc, receptionUrl, approvalUrl, authenticationUrl }: Receiver): Record<string, string> {
	const entry = { nombre: name, rnc, urlRecepcion: receptionUrl, urlAceptacion: approvalUrl };
	return authenticationUrl === null ? entry : { ...entry, urlOpcional: authenticationUrl };
}

/** Numbers of the environments in `verificarestado`. */
const BY_NUMBER: Readonly<Record<string, Ambient>> = {
	"1": "PreCertificacion",
	"2": "Produccion",
	"3": "Certificacion",
};

export function statusRoutes({ realistic }: Context, availability: Availability): Route[] {
	const route = (action: string, handle: Route["handle"]): Route => ({
		method: "GET",
		path: `/api/estatusservicios/${action}`,
		access: "status-key",
		operation: "service-status",
		handle,
	});
	return [
		route("obtenerestatus", () => jsonAnswer(200, listServices(availability))),
		route("obtenerventanasmantenimiento", () => jsonAnswer(200, { ventanaMantenimientos: availability.windows() })),
		route("verificarestado", (call: Call) => {
			const ambient = BY_NUMBER[call.query("ambiente") ?? ""];
			if (!ambient) return refuseQuery("ambiente", "El ambiente no es válido.", realistic);
			const isMaintained = availability.isMaintained(ambient, new Date());
			return jsonAnswer(200, { estado: isMaintained ? "No Disponible" : "Disponible" });
		}),
	];
}

function listServices(availability: Availability) {
	return AMBIENTS.flatMap((ambiente) =>
		SERVICES.map((servicio) => ({
			servicio,
			estatus: availability.isUp(ambiente, servicio) ? "Disponible" : "No Disponible",
			ambiente,
		})),
	);
}
