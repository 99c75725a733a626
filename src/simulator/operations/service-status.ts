/** The declared state of the services, on the status host: what is up, when it is maintained. It wants a key, and any will do. */
import { AMBIENTS, type Ambient, type Availability, SERVICES } from "../availability";
import { jsonAnswer } from "../http/answer";
import type { Call, Route } from "../http/call";
import type { Context } from "./context";
import { refuseQuery } from "./read-number";

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
