/** The service that every electronic issuer has for its buyers' words. Source: the authority's description, services of a receiver. */
import { type Call, type Operation, PUBLIC } from "../operation";
import { checkPeerIsSigner, checkPeerToken, type PeerTokenDeps, peerBody, readPeerXml } from "../reception";
import { type ReceiveDeps, receiveApproval } from "./receive-approval";

export type PeerApprovalDeps = ReceiveDeps & PeerTokenDeps;

export function peerApprovalOperation(deps: PeerApprovalDeps): Operation {
	return {
		id: "receiveApproval",
		method: "POST",
		path: "/fe/aprobacioncomercial/api/ecf",
		tag: "Peers",
		summary: "Take a buyer's commercial approval",
		description:
			"A signed ACECF on an accepted document of a company here. 200 when it is taken, or was before; 400 when it is not, another decision on the " +
			"same document included. The path may be written in any letters.",
		credentials: PUBLIC,
		body: peerBody("The signed ACECF.", "<ACECF>…</ACECF>"),
		answers: { 200: { description: "Taken; the body is empty.", mediaType: "text/plain" } },
		problems: ["validation-error", "unauthorised"],
		handle: (call) => take(deps, call),
	};
}

async function take(deps: PeerApprovalDeps, call: Call): Promise<Response> {
	const peer = await checkPeerToken(deps, call);
	const bytes = await readPeerXml(call);
	await receiveApproval(deps, bytes, (subject) => checkPeerIsSigner(peer, subject));
	return new Response("", { status: 200, headers: { "content-type": "text/plain; charset=utf-8" } });
}
