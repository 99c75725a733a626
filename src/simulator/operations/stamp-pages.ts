/** The pages that the QR codes of printed documents lead to. */
import { type Answer, htmlAnswer } from "../http/answer";
import type { Call, Route } from "../http/call";
import { escapeXml } from "../http/to-xml";
import type { Reception } from "../store";
import type { Context } from "./context";

export function stampRoutes(context: Context): Route[] {
	const page = (host: Reception["host"], path: string): Route => ({
		method: "GET",
		path,
		access: "open",
		handle: (call) => showStamp(call, host, context),
	});
	return [page("main", "/{env}/consultatimbre"), page("fc", "/{env}/consultatimbrefc")];
}

function showStamp(call: Call, host: Reception["host"], { store }: Context): Answer {
	const number = {
		environment: call.environment,
		rnc: call.query("rncemisor") ?? "",
		encf: (call.query("encf") ?? "").toUpperCase(),
	};
	const known = store.receptions.findVisible({ ...number, now: Date.now() });
	const found = known && known.host === host && isOf(known, call) ? known : undefined;
	if (!found) return page([["e-NCF", number.encf]], "No encontrado");
	const issuer: Line[] = [
		["RNC Emisor", found.rnc],
		["Razón social emisor", found.issuerName],
	];
	const state = found.verdict === 2 ? "Rechazado" : "Aceptado";
	if (host === "fc") return page([...issuer, ["e-NCF", found.encf]], state);
	const rest: Line[] = [
		["RNC Comprador", found.buyerRnc],
		["Razón social comprador", found.buyerName],
		["e-NCF", found.encf],
		["Fecha de emisión", found.issueDate],
		["Total de ITBIS", found.totalItbis],
		["Monto total", found.total],
	];
	return page([...issuer, ...rest], state);
}

/** All that the QR code says of the document is true of it. */
function isOf(reception: Reception, call: Call): boolean {
	const total = call.query("montototal");
	if (total !== undefined && Number(total) !== Number(reception.total)) return false;
	const stated: [string, string | null][] = [
		["codigoseguridad", reception.securityCode],
		["rnccomprador", reception.buyerRnc],
		["fechaemision", reception.issueDate],
		["fechafirma", reception.signedAt],
	];
	return stated.every(([name, truth]) => {
		const value = call.query(name);
		return value === undefined || value === truth;
	});
}

type Line = readonly [string, string | null];

function page(lines: readonly Line[], state: string): Answer {
	const rows = [...lines, ["Estado", state] as const].map(
		([name, value]) => `<tr><th>${name}</th><td>${escapeXml(value ?? "")}</td></tr>`,
	);
	return htmlAnswer(200, "Consulta timbre electrónico", `<table>${rows.join("")}</table>`);
}
