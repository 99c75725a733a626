/**
 * The directory of electronic receivers. In the free tests the authority lists its own issuer–receiver simulator there.
 *
 * Quirk: the query for one taxpayer answers a list of one here and a bare object there; the simulator does the former in the test
 * environment, the latter in production.
 */

import { COUNTERPART, counterpartUrl } from "../counterpart/identity";
import { type Answer, negotiatedAnswer } from "../http/answer";
import type { Call, Route } from "../http/call";
import type { Receiver } from "../store";
import type { Context } from "./context";
import { refuseQuery } from "./read-number";

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
		route("obtenerdirectorioporrnc", (call) => tellOne(call, context)),
	];
}

function tellOne(call: Call, context: Context): Answer {
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
