/**
 * Invalid tokens, each wrong in one way: unsigned, signed by others, spelt differently, bringing their own keys, expired, of another kind,
 * or
 * genuinely signed over claims that the service would not write. For the last, the service's own key is read from its database.
 */
import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { CompactEncrypt } from "jose";
import { openSigningKeys } from "../../../src/identity/auth";
import { createEnvelope, readKek } from "../../../src/platform/secrets";
import { createLog } from "../../../src/platform/telemetry";
import { newId, systemClock } from "../../../src/platform/values";
import type { Environment } from "./environment";

export type Forge = {
	/** A genuine signature over changed claims; undefined removes a claim. */
	readonly withClaims: (more: Record<string, unknown>) => string;
	/** Forged tokens with the reason to refuse each. */
	readonly list: () => Promise<[string, string][]>;
};

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const encode = (text: string | Uint8Array) => Buffer.from(text).toString("base64url");

/** A forge for variations of one genuine token. */
export async function openForge(
	{ sql, kekFile }: Pick<Environment, "sql" | "kekFile">,
	genuine: string,
): Promise<Forge> {
	const keys = await openSigningKeys({
		...{ sql, envelope: createEnvelope(readKek(kekFile)), clock: systemClock },
		...{ log: createLog("silent", "forge"), onChanged: () => undefined },
	});
	const { kid, privateKey } = keys.signer();
	const publicKey = createPublicKey(privateKey);
	const attacker = generateKeyPairSync("ed25519");
	const [, payload = "", signature = ""] = genuine.split(".");
	const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
	const now = Math.floor(Date.now() / 1_000);

	const seal = (header: string, text: string, key: KeyObject = privateKey) => {
		const input = `${encode(header)}.${encode(text)}`;
		return `${input}.${encode(sign(null, Buffer.from(input), key))}`;
	};
	const header = { alg: "EdDSA", kid, typ: "at+jwt" };
	const withHeader = (more: Record<string, unknown>, key?: KeyObject) =>
		seal(JSON.stringify({ ...header, ...more }), JSON.stringify({ ...claims, jti: newId() }), key);
	const withClaims = (more: Record<string, unknown>) =>
		seal(JSON.stringify(header), JSON.stringify({ ...claims, jti: newId(), ...more }));
	const unsigned = (alg: string) => `${encode(JSON.stringify({ ...header, alg }))}.${payload}.`;
	const hmac = (secret: string | Uint8Array) => {
		const input = `${encode(JSON.stringify({ ...header, alg: "HS256" }))}.${payload}`;
		return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
	};
	const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
	const der = publicKey.export({ type: "spki", format: "der" });
	const aged = (seconds: number, life: number) => ({
		iat: now - seconds,
		nbf: now - seconds,
		exp: now - seconds + life,
	});

	const last = ALPHABET.indexOf(genuine.slice(-1));
	/** These decode to the same bytes as the genuine last character. */
	const respelt = Array.from({ length: 16 }, (_, i) => (last & 0b110000) | i)
		.filter((i) => i !== last)
		.map((i): [string, string] => [
			`its last character as ${ALPHABET.charAt(i)}`,
			genuine.slice(0, -1) + ALPHABET.charAt(i),
		]);

	return {
		withClaims,
		list: async () => [
			["alg none", unsigned("none")],
			["alg None", unsigned("None")],
			["alg NONE", unsigned("NONE")],
			["HS256 with the public key as PEM", hmac(pem)],
			["HS256 with the PEM without its last line end", hmac(pem.trim())],
			["HS256 with the public key as DER", hmac(der)],
			["HS256 with the key's 32 bytes", hmac(der.subarray(-32))],
			["no signature", genuine.split(".").slice(0, 2).join(".")],
			["an empty signature", `${genuine.split(".").slice(0, 2).join(".")}.`],
			["a cut signature", genuine.slice(0, -4)],
			...respelt,
			["padding", `${genuine}==`],
			["a fourth part", `${genuine}.AAAA`],
			["another token's signature", `${withClaims({}).split(".").slice(0, 2).join(".")}.${signature}`],
			["kid with a path", withHeader({ kid: "../../dev/null" })],
			["kid with a quote", withHeader({ kid: `${kid}' or '1'='1` })],
			["kid of 4 kB", withHeader({ kid: "k".repeat(4_000) })],
			["kid as an address", withHeader({ kid: "https://attacker.example/jwks.json" })],
			["no kid", withHeader({ kid: undefined })],
			["an unknown kid", withHeader({ kid: "2026-01-AAAAAAAA" })],
			["a stranger's signature under our kid", withHeader({}, attacker.privateKey)],
			["jku", withHeader({ jku: "https://attacker.example/jwks.json" })],
			["x5u", withHeader({ x5u: "https://attacker.example/chain.pem" })],
			["a jwk of its own", withHeader({ jwk: attacker.publicKey.export({ format: "jwk" }) }, attacker.privateKey)],
			["an unknown crit", withHeader({ crit: ["exp"] })],
			["another typ", withHeader({ typ: "JWT" })],
			["white space in its header", seal(`{ "alg":"EdDSA","kid":"${kid}","typ":"at+jwt"}`, JSON.stringify(claims))],
			["expired a minute and a second ago", withClaims(aged(3_661, 3_600))],
			["expired a year ago", withClaims(aged(31_540_000, 3_600))],
			["nbf in the future", withClaims({ nbf: now + 300 })],
			["iat in the future", withClaims({ iat: now + 300, exp: now + 600 })],
			["no exp", withClaims({ exp: undefined })],
			["exp as text", withClaims({ exp: String(now + 600) })],
			["exp with a fraction", withClaims({ exp: now + 600.5 })],
			["a huge exp", withClaims({ exp: 1e300 })],
			["exp below zero", withClaims({ exp: -1 })],
			["another aud", withClaims({ aud: "other-api" })],
			["another iss", withClaims({ iss: "https://attacker.example" })],
			["no tenant_id", withClaims({ tenant_id: undefined })],
			["tenant_id as a list", withClaims({ tenant_id: [claims.tenant_id] })],
			["tenant_id as an object", withClaims({ tenant_id: { eq: claims.tenant_id } })],
			["tenant_id as a number", withClaims({ tenant_id: 1 })],
			["an empty tenant_id", withClaims({ tenant_id: "" })],
			["Tenant_Id in its place", withClaims({ tenant_id: undefined, Tenant_Id: claims.tenant_id })],
			["another company's tenant_id", withClaims({ tenant_id: newId() })],
			["no environment", withClaims({ environment: undefined })],
			["an unknown environment", withClaims({ environment: "test" })],
			["another environment", withClaims({ environment: "production" })],
			[
				"a claim given twice",
				seal(JSON.stringify(header), JSON.stringify(claims).replace("{", `{"tenant_id":"${newId()}",`)),
			],
			["a payload that is no JSON", seal(JSON.stringify(header), "not json")],
			[
				"encryption",
				await new CompactEncrypt(Buffer.from(genuine))
					.setProtectedHeader({ alg: "dir", enc: "A256GCM" })
					.encrypt(Buffer.alloc(32)),
			],
			["a token inside", seal(JSON.stringify({ ...header, cty: "JWT" }), genuine)],
		],
	};
}
