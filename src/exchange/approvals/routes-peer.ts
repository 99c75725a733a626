/** The service that every electronic issuer has for its buyers' words. Source: the authority's description, services of a receiver. */
import { type Call, type Operation, PUBLIC } from "../../platform/operation";
import { checkPeerIsSigner, checkPeerToken, PEER_TAG, type PeerTokenDeps, peerBody, readPeerXml } from "../reception";
import { type ReceiveDeps, receiveApproval } from "./receive-approval";

export type PeerApprovalDeps = ReceiveDeps & PeerTokenDeps;

/** An approval has less than 2 KiB, its signature some more. */
const BODY_BYTES_MAX = 64 * 1024;

const EXAMPLE =
	"<ACECF><DetalleAprobacionComercial><Version>1.0</Version><RNCEmisor>101010101</RNCEmisor><eNCF>E310000004321</eNCF>" +
	"<FechaEmision>19-11-2026</FechaEmision><MontoTotal>1180.00</MontoTotal><RNCComprador>131880681</RNCComprador><Estado>1</Estado>" +
	"<FechaHoraAprobacionComercial>20-11-2026 10:50:00</FechaHoraAprobacionComercial></DetalleAprobacionComercial>" +
	"<Signature>…</Signature></ACECF>";

export function peerApprovalOperation(deps: PeerApprovalDeps): Operation {
	return {
		id: "receiveApproval",
		method: "POST",
		path: "/fe/aprobacioncomercial/api/ecf",
		tag: PEER_TAG,
		summary: "Take a buyer's commercial approval",
		description:
			"A signed ACECF on an accepted document of a company here. 200 when it is taken, or was before; 400 when it is not, another decision on the " +
			"same document included. Letters of the path may be large or small. Wants `Authorization: Bearer` as the reception of documents does.",
		...{ credentials: PUBLIC, limit: "peer" },
		body: { ...peerBody("The signed ACECF.", EXAMPLE), limitBytes: BODY_BYTES_MAX },
		answers: { 200: { description: "Taken; the body is empty.", mediaType: "text/plain", alsoMediaTypes: ["*/*"] } },
		problems: ["malformed-json", "validation-error", "unauthorised"],
		handle: (call) => take(deps, call),
	};
}

async function take(deps: PeerApprovalDeps, call: Call): Promise<Response> {
	const peer = await checkPeerToken(deps, call);
	const bytes = await readPeerXml(call);
	await receiveApproval(deps, bytes, (subject) => checkPeerIsSigner(peer, subject));
	return new Response("", { status: 200, headers: { "content-type": "text/plain; charset=utf-8" } });
}
