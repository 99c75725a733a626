/** Which services are up, when they are maintained, and the directory of electronic receivers. */
import { jsonAnswer, negotiatedAnswer } from "../http/answer";
import type { Route } from "../http/call";
import { refusal } from "../http/wire-forms";
import type { Context } from "./context";

const SERVICES = [
	"Autenticación",
	"Recepción",
	"Consulta Resultado",
	"Consulta Estado",
	"Consulta Directorio",
	"Consulta TrackIds",
	"Aprobación Comercial",
	"Anulación Rangos",
	"Recepción FC",
];
const ENVIRONMENT_NAMES = ["PreCertificacion", "Produccion", "Certificacion"];

/** Nobody is in the simulator's directory, and nothing of it is ever under maintenance. */
export function availabilityRoutes({ realistic }: Context): Route[] {
	const directory = (action: string): Route => ({
		method: "GET",
		path: `/{env}/consultadirectorio/api/consultas/${action}`,
		environments: ["testecf", "ecf"],
		access: "token",
		handle: (call) => negotiatedAnswer(call.header("accept"), 200, "DirectorioElectronico", []),
	});
	return [
		directory("listado"),
		directory("obtenerdirectorioporrnc"),
		{
			method: "GET",
			path: "/api/estatusservicios/obtenerestatus",
			access: "status-key",
			handle: () =>
				jsonAnswer(
					200,
					ENVIRONMENT_NAMES.flatMap((ambiente) =>
						SERVICES.map((servicio) => ({ servicio, estatus: "Disponible", ambiente })),
					),
				),
		},
		{
			method: "GET",
			path: "/api/estatusservicios/obtenerventanasmantenimiento",
			access: "status-key",
			handle: () => jsonAnswer(200, { ventanaMantenimientos: [] }),
		},
		{
			method: "GET",
			path: "/api/estatusservicios/verificarestado",
			access: "status-key",
			handle: (call) => {
				if (/^[123]$/.test(call.query("ambiente") ?? "")) return jsonAnswer(200, { estado: "Disponible" });
				return refusal(400, "framework", { code: "ambiente", text: "El ambiente no es válido." }, realistic);
			},
		},
	];
}
