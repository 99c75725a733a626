/** Another taxpayer's receiver on a loopback port: keeps what it gets, signs its acknowledgements, and misbehaves as configured. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { bunEngine, type SigningIdentity, signReceivedXml, toSigningIdentity } from "../../../../src/ecf/signing";
import { createEphemeralIdentity } from "../../../../src/ecf/signing/ephemeral-identity";

export type Manner =
	| "received"
	| "duplicate"
	| "another-buyer"
	| "another-document"
	| "unsigned"
	| "forged"
	| "rubbish"
	| "huge"
	| "silent"
	| "redirect"
	| "broken"
	| "token-required";

export type PeerReceiver = {
	readonly host: string;
	readonly url: string;
	/** How it answers from now on. */
	manner: Manner;
	/** The files that came, by path. */
	readonly files: { readonly path: string; readonly file: string }[];
	/** Tokens that it has given. */
	tokens: number;
	/** Requests to where a redirect would lead. */
	led: number;
	/** Makes every token void. */
	readonly forget: () => void;
	readonly close: () => void;
};

const SEED = "<SemillaModel>\n <valor>una semilla</valor>\n <fecha>2026-11-20T10:00:00-04:00</fecha>\n</SemillaModel>";

const reply = (status: number, text: string, headers: Record<string, string> = {}) => ({
	...{ status, text },
	headers: { "content-type": "application/xml", ...headers },
});

export async function makeIdentity(): Promise<SigningIdentity> {
	const made = await createEphemeralIdentity({
		holderName: "PERSONA DE PRUEBA",
		holderDocument: "00100000009",
		notBefore: new Date(Date.now() - 86_400_000),
		notAfter: new Date(Date.now() + 86_400_000),
	});
	return toSigningIdentity(made, bunEngine);
}

export async function startPeerReceiver(identity: SigningIdentity): Promise<PeerReceiver> {
	const valid = new Set<string>();
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("end", () => {
			const path = request.url ?? "";
			const body = Buffer.concat(chunks).toString();
			const file = /\r\n\r\n(.*)\r\n--/s.exec(body)?.[1] ?? "";
			const reply = answer(path, file, request.headers.authorization, response);
			if (reply) response.writeHead(reply.status, reply.headers).end(reply.text);
		});
	});

	/** Undefined: the connection is left as it is, or has been cut. */
	function answer(path: string, file: string, authorization: string | undefined, response: ServerResponse) {
		if (path === "/led") peer.led++;
		if (path.endsWith("/semilla")) return reply(200, SEED);
		if (path.endsWith("/validacioncertificado")) {
			return file.includes("<SignatureValue>") ? reply(200, giveToken()) : reply(400, "sin firma");
		}
		if (peer.manner === "token-required" && !valid.has(/^Bearer (.+)$/.exec(authorization ?? "")?.[1] ?? "")) {
			return reply(401, "");
		}
		peer.files.push({ path, file });
		switch (peer.manner) {
			case "silent":
				return undefined;
			case "broken":
				response.writeHead(200, { "content-length": "1000" }).write("<ARECF>");
				response.destroy();
				return undefined;
			case "rubbish":
				return reply(200, "<html><body>Bienvenido</body></html>");
			case "huge":
				return reply(200, "<ARECF>".padEnd(10 * 1024 * 1024, " "));
			case "redirect":
				return reply(307, "", { location: `http://${peer.host}/led` });
			default:
				return reply(200, acknowledge(file, peer.manner));
		}
	}

	function giveToken(): string {
		const token = `token-${++peer.tokens}`;
		valid.add(token);
		const now = Date.now();
		return JSON.stringify({ token, expira: new Date(now + 3_600_000), expedido: new Date(now) });
	}

	function acknowledge(file: string, manner: Manner): string {
		const [issuerRnc = "", encf = "", buyerRnc = ""] = file.replace(/<\/?ECF>/g, "").split("|");
		const motive = manner === "duplicate" ? 3 : manner === "another-buyer" ? 4 : undefined;
		const result = manner === "another-document" ? "E310000000099" : encf;
		const state =
			motive === undefined
				? "<Estado>0</Estado>"
				: `<Estado>1</Estado><CodigoMotivoNoRecibido>${motive}</CodigoMotivoNoRecibido>`;
		const xml = `<ARECF><DetalleAcusedeRecibo><Version>1.0</Version><RNCEmisor>${issuerRnc}</RNCEmisor><RNCComprador>${buyerRnc}</RNCComprador><eNCF>${result}</eNCF>${state}<FechaHoraAcuseRecibo>20-11-2026 10:00:00</FechaHoraAcuseRecibo></DetalleAcusedeRecibo></ARECF>`;
		if (manner === "unsigned") return xml;
		const signed = Buffer.from(signReceivedXml(xml, identity, { profile: "xmldsig", signedAt: new Date() })).toString();
		return manner === "forged" ? signed.replace("10:00:00", "11:00:00") : signed;
	}

	await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
	const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
	const peer: PeerReceiver = {
		...{ host, url: `http://${host}/base/`, manner: "received" as Manner, files: [], tokens: 0, led: 0 },
		forget: () => valid.clear(),
		close: () => {
			server.close();
			server.closeAllConnections();
		},
	};
	return peer;
}
