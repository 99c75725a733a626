/** Queries: by trackId, by number, all trackIds of a number, and of a summary. */
import { type Answer, negotiatedAnswer } from "../http/answer";
import type { Call, Route } from "../http/call";
import { queryMessages, receptionTime, refusal, stateText } from "../http/wire-forms";
import type { Reception } from "../store";
import { type Context, readNumber, refuseQuery, type Wanted } from "./context";

/** Not offered in the certification environment. */
const TEST_AND_PRODUCTION = ["testecf", "ecf"];

export function queryRoutes(context: Context): Route[] {
	return [
		{
			method: "GET",
			path: "/{env}/consultaresultado/api/consultas/estado",
			access: "token",
			operation: "result",
			handle: (call) => reportResult(call, context),
		},
		{
			method: "GET",
			path: "/{env}/consultaestado/api/consultas/estado",
			environments: TEST_AND_PRODUCTION,
			access: "token",
			operation: "state",
			handle: (call) => reportState(call, context),
		},
		{
			method: "GET",
			path: "/{env}/consultatrackids/api/trackids/consulta",
			environments: TEST_AND_PRODUCTION,
			access: "token",
			operation: "track-ids",
			handle: (call) => listTrackIds(call, context),
		},
		{
			method: "GET",
			path: "/{env}/consultarfce/api/consultas/consulta",
			access: "token",
			operation: "summary-query",
			handle: (call) => reportSummary(call, context),
		},
	];
}

function reportResult(call: Call, { store, realistic }: Context): Answer {
	const trackId = call.query("trackid");
	if (!trackId) return refuseQuery("trackid", "El campo trackid es requerido.", realistic);
	const known =
		call.pretence === "not-found" ? undefined : store.receptions.findByTrackId(call.environment, trackId.toLowerCase());
	const found = known && known.readableAt <= Date.now() ? known : undefined;
	const code = found ? codeNow(found, call.pretence) : 0;
	const isDecided = code === 1 || code === 2 || code === 4;
	const body = {
		trackId,
		codigo: String(code),
		estado: stateText(code),
		rnc: found?.rnc ?? "",
		encf: found?.encf ?? "",
		secuenciaUtilizada: isDecided && found?.sequenceConsumed === true,
		fechaRecepcion: found ? receptionTime(found.receivedAt, realistic) : "",
		mensajes: queryMessages(isDecided && found ? found.messages : [], realistic),
	};
	return negotiatedAnswer(call.header("accept"), 200, "RespuestaConsultaTrackId", body);
}

/** 3 until the verdict may be reported. */
function codeNow(reception: Reception, pretence: Call["pretence"]): number {
	const isVisible = reception.visibleAt !== null && reception.visibleAt <= Date.now();
	return pretence === "in-process" || !isVisible ? 3 : reportedCode(reception.verdict ?? 3, pretence);
}

/** The verdict, or its opposite under a fault. */
function reportedCode(verdict: number, pretence: Call["pretence"]): number {
	if (pretence !== "contradicted") return verdict;
	if (verdict === 1 || verdict === 4) return 2;
	return verdict === 2 ? 1 : verdict;
}

function reportState(call: Call, { store, realistic }: Context): Answer {
	const number = readNumber(call, { rnc: "rncemisor", encf: "ncfelectronico" }, realistic);
	if ("status" in number) return number;
	const found = call.pretence === "not-found" ? undefined : store.receptions.findVisible(number);
	const known = found && agrees(found.buyerRnc, call.query("rnccomprador")) ? found : undefined;
	const reception = known && agrees(known.securityCode, call.query("codigoseguridad")) ? known : undefined;
	if (!mayAsk(call, number, store, reception)) return notAuthorised(realistic);
	// A condition shows only on a consumer summary; elsewhere it is reported as accepted.
	const verdict = reception?.verdict === 4 && reception.host === "main" ? 1 : (reception?.verdict ?? 0);
	const code = reportedCode(verdict, call.pretence);
	const body = {
		codigo: realistic ? code : String(code),
		estado: stateText(code),
		rncEmisor: number.rnc,
		ncfElectronico: number.encf,
		montoTotal: Number(reception?.total ?? 0),
		totalITBIS: Number(reception?.totalItbis ?? 0),
		fechaEmision: reception?.issueDate ?? null,
		fechaFirma: reception?.signedAt ?? null,
		rncComprador: reception?.buyerRnc ?? null,
		codigoSeguridad: reception?.securityCode ?? null,
		idExtranjero: reception?.foreignBuyer ?? null,
	};
	return negotiatedAnswer(call.header("accept"), 200, "RespuestaConsultaEstado", body);
}

function listTrackIds(call: Call, { store, realistic }: Context): Answer {
	const number = readNumber(call, { rnc: "rncemisor", encf: "encf" }, realistic);
	if ("status" in number) return number;
	if (!mayAsk(call, number, store, undefined)) return notAuthorised(realistic);
	const all = call.pretence === "not-found" ? [] : store.receptions.listTracked(number);
	const accept = call.header("accept");
	if (all.length === 0) {
		const nothing = { trackId: "", estado: "TrackId no encontrado.", fechaRecepcion: "" };
		return negotiatedAnswer(accept, 404, "TrackingDetalle", nothing);
	}
	const list = all.map((reception) => ({
		trackId: reception.trackId,
		estado: stateText(codeNow(reception, call.pretence)),
		fechaRecepcion: receptionTime(reception.receivedAt, realistic),
	}));
	return negotiatedAnswer(accept, 200, "TrackingDetalle", list);
}

function reportSummary(call: Call, { store, realistic }: Context): Answer {
	const number = readNumber(call, { rnc: "rnc_emisor", encf: "encf" }, realistic);
	if ("status" in number) return number;
	if (!mayAsk(call, number, store, undefined)) return notAuthorised(realistic);
	const known = call.pretence === "not-found" ? undefined : store.receptions.findVisible(number);
	const isAsked = known?.host === "fc" && agrees(known.securityCode, call.query("cod_seguridad_ecf"));
	const found = isAsked ? known : undefined;
	const code = reportedCode(found?.verdict ?? 0, call.pretence);
	const body = {
		rnc: number.rnc,
		encf: number.encf,
		secuenciaUtilizada: found?.sequenceConsumed === true,
		codigo: String(code),
		estado: stateText(code),
		mensajes: queryMessages(found?.messages ?? [], realistic),
	};
	return negotiatedAnswer(call.header("accept"), 200, "RespuestaConsultaRFCE", body);
}

/** A filter that is not sent matches everything. */
function agrees(known: string | null, asked: string | undefined): boolean {
	return !asked || known === asked;
}

/** The issuer has delegated the caller or, for a known document, its buyer has. */
function mayAsk(call: Call, number: Wanted, store: Context["store"], known: Reception | undefined): boolean {
	if (store.certificates.isDelegated(call.thumbprint, number.rnc)) return true;
	return !!known?.buyerRnc && store.certificates.isDelegated(call.thumbprint, known.buyerRnc);
}

function notAuthorised(realistic: boolean): Answer {
	const text =
		"El RNC del token no está autorizado a consultar este e-NCF, favor verificar que se encuentre delegado por el emisor y volver a intentarlo.";
	return refusal(400, "message", { code: "0", text }, realistic);
}
