/** Buyers that send decisions from their own programs. */
import { type Identity, identities } from "../../../../scripts/attacks/identities";
import { plainSignature, seal } from "../../../../scripts/attacks/seal";
import { isoToAuthorityDate } from "../../../../src/platform/values";
import { getPeerToken, type Sending, sendToReceiver } from "../../../support/peer";
import type { TestService } from "../../../support/service";
import type { Sold } from "./words";

export const PATH = "/fe/aprobacioncomercial/api/ecf";

export type Said = {
	readonly state?: "1" | "2";
	readonly reason?: string;
	readonly identity?: Identity;
	/** Attributes of the root. */
	readonly declarations?: string;
	/** Changes the text before it is signed. */
	readonly edit?: (content: string) => string;
};

export function acecfOf(sold: Omit<Sold, "docId">, { state = "1", reason = "No es lo pedido" }: Said = {}): string {
	return [
		"<DetalleAprobacionComercial><Version>1.0</Version>",
		`<RNCEmisor>${sold.issuerRnc}</RNCEmisor><eNCF>${sold.encf}</eNCF>`,
		`<FechaEmision>${isoToAuthorityDate(sold.issueDate)}</FechaEmision><MontoTotal>${sold.total}</MontoTotal>`,
		`<RNCComprador>${sold.buyerRnc}</RNCComprador><Estado>${state}</Estado>`,
		state === "2" ? `<DetalleMotivoRechazo>${reason}</DetalleMotivoRechazo>` : "",
		"<FechaHoraAprobacionComercial>21-11-2026 08:00:00</FechaHoraAprobacionComercial></DetalleAprobacionComercial>",
	].join("");
}

export function signedAcecf(sold: Omit<Sold, "docId">, said: Said = {}): string {
	const { identity = identities.good, declarations = "", edit = (content) => content } = said;
	return seal(`<ACECF${declarations}>${edit(acecfOf(sold, said))}${plainSignature(identity)}</ACECF>`, { identity });
}

const tokens = new Map<string, Promise<string>>();

/** A token of the genuine identity at a service, fetched once. */
export function tokenAt({ url }: TestService): Promise<string> {
	const known = tokens.get(url) ?? getPeerToken(url);
	tokens.set(url, known);
	return known;
}

export async function sendAcecf(
	service: TestService,
	xml: string | Uint8Array,
	sending: Sending = {},
): Promise<Response> {
	return sendToReceiver(service.url, xml, { path: PATH, token: await tokenAt(service), ...sending });
}
