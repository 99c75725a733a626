/** Calls to receivers of counterparties: address, certificate, and result. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Caller } from "../../../src/authority/client";
import { type SigningIdentity, signReceivedXml } from "../../../src/ecf/signing";
import { createPeerClient } from "../../../src/invoicing/buyer-delivery";
import { toUrl } from "../../../src/invoicing/buyer-delivery/peer-client";
import { type Environment, systemClock } from "../../../src/platform/values";
import { makeIdentity, type PeerReceiver, startPeerReceiver } from "./support/peer-receiver";

let identity: SigningIdentity;
let peer: PeerReceiver;
beforeAll(async () => {
	identity = await makeIdentity();
	peer = await startPeerReceiver(identity);
});
afterAll(() => peer.close());
beforeEach(() => {
	peer.manner = "token-required";
	peer.tokens = 0;
	peer.files.length = 0;
});

const document = {
	rnc: "990000001",
	encf: "E310000000001",
	xml: Buffer.from("<ECF>990000001|E310000000001|101010101</ECF>"),
};
const sender = { certificateId: "one", identity: "one" };

function open(environment: Environment = "sandbox", allow = [peer.host]) {
	return createPeerClient<string>({
		policy: { environment, allow: new Set(allow) },
		signSeed: async (seed) => signReceivedXml(seed, identity, { profile: "xades-bes", signedAt: new Date() }),
		clock: systemClock,
		limits: { totalTimeoutMs: 60_000, connectTimeoutMs: 60_000 },
	});
}

test("one token per certificate serves many documents and approvals", async () => {
	const to = { url: peer.url, authenticationUrl: peer.url };
	const client = open();
	for (let n = 0; n < 3; n++) expect(await client.sendEcf(to, sender, document)).toMatchObject({ httpStatus: 200 });
	// The authority's environment is no part of it.
	const caller: Caller<string> = { ...sender, segment: "testecf" };
	expect(await client.sendApproval(to, caller, document)).toMatchObject({ kind: "answered", httpStatus: 200 });
	expect(peer.tokens).toBe(1);
	await client.sendEcf(to, { certificateId: "two", identity: "two" }, document);
	expect(peer.tokens).toBe(2);
	expect(peer.files.at(-2)?.path).toBe("/base/fe/aprobacioncomercial/api/ecf");
});

test("a declared service path is not appended again", async () => {
	peer.manner = "received";
	const url = `${peer.url}fe/Recepcion/api/ecf`;
	expect(await open().sendEcf({ url }, sender, document)).toMatchObject({ kind: "answered", httpStatus: 200 });
	expect(peer.files.at(-1)?.path).toBe("/base/fe/recepcion/api/ecf");
});

test.each([
	["https://a.example/fe/recepcion/api/ecf/", "/fe/recepcion/api/ecf", "https://a.example/fe/recepcion/api/ecf"],
	[
		"https://a.example/x/FE/Autenticacion",
		"/fe/autenticacion/api/semilla",
		"https://a.example/x/fe/autenticacion/api/semilla",
	],
	[
		"https://a.example/fe/autenticacion/api/semilla",
		"/fe/autenticacion/api/validacioncertificado",
		"https://a.example/fe/autenticacion/api/validacioncertificado",
	],
	[
		"https://a.example/fe/aprobacioncomercial/api",
		"/fe/aprobacioncomercial/api/ecf",
		"https://a.example/fe/aprobacioncomercial/api/ecf",
	],
	// Without an address of its own, approvals go to the reception address.
	[
		"https://a.example/fe/recepcion/api/ecf",
		"/fe/aprobacioncomercial/api/ecf",
		"https://a.example/fe/aprobacioncomercial/api/ecf",
	],
	["https://a.example/fe", "/fe/recepcion/api/ecf", "https://a.example/fe/fe/recepcion/api/ecf"],
	[
		"https://a.example/api/ecf/recepcion",
		"/fe/recepcion/api/ecf",
		"https://a.example/api/ecf/recepcion/fe/recepcion/api/ecf",
	],
	[
		"https://a.example/fe/recepcion/api/ecf/otra",
		"/fe/recepcion/api/ecf",
		"https://a.example/fe/recepcion/api/ecf/otra/fe/recepcion/api/ecf",
	],
])("declared as %s, %s is at %s", (base, path, url) => {
	expect(toUrl(base, path)).toBe(url);
});

test("a token that is refused is fetched anew, once", async () => {
	const to = { url: peer.url, authenticationUrl: peer.url };
	const client = open();
	await client.sendEcf(to, sender, document);
	peer.forget();
	expect(await client.sendEcf(to, sender, document)).toMatchObject({ kind: "answered", httpStatus: 200 });
	expect(peer.tokens).toBe(2);
});

test("nothing is sent without a token", async () => {
	const client = open();
	for (const authenticationUrl of ["http://127.0.0.1:1/", "https://10.0.0.1/", `http://${peer.host}/?a=b`, "x"]) {
		const answer = await client.sendEcf({ url: peer.url, authenticationUrl }, sender, document);
		expect(answer).toMatchObject({ kind: "not-sent", reason: "receiver-auth-failed" });
	}
	expect(peer.files).toEqual([]);
});

test("a receiver that wants a token and has declared no place to get one answers 401", async () => {
	expect(await open().sendEcf({ url: peer.url }, sender, document)).toMatchObject({
		kind: "answered",
		httpStatus: 401,
	});
});

test("outside the sandboxes only https is called, and nothing private anywhere", async () => {
	const cases: [Environment, string][] = [
		["production", "http://fe.cliente.example/"],
		["production", `http://${peer.host}/`],
		["sandbox", "https://127.0.0.1/"],
		["sandbox", "https://169.254.169.254/latest"],
		["sandbox", "https://[::1]/"],
		["sandbox", "https://localhost/"],
		["production", "https://user:word@fe.cliente.example/"],
		["production", "https://fe.cliente.example/?a=b"],
		["production", "file:///etc/passwd"],
	];
	for (const [environment, url] of cases) {
		const answer = await open(environment, []).sendEcf({ url }, sender, document);
		expect({ url, ...answer }).toMatchObject({ url, kind: "not-sent", reason: "receiver-address-refused" });
	}
});
