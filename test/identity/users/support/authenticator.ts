/** An authenticator in software: ES256, one credential, as Web Authentication describes its answers. */
import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";

const FLAGS = { present: 0x01, verified: 0x04, backupEligible: 0x08, backedUp: 0x10, attested: 0x40 } as const;

type Context = { readonly rpId: string; readonly origin: string; readonly challenge: string };

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest();

/** CBOR of the few values that authenticators send. Source: RFC 8949, 3. */
function toCbor(value: number | string | Buffer | ReadonlyMap<number | string, unknown>): Buffer {
	const head = (major: number, length: number) => {
		if (length < 24) return Buffer.from([(major << 5) | length]);
		return length < 256
			? Buffer.from([(major << 5) | 24, length])
			: Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
	};
	if (typeof value === "number") return value >= 0 ? head(0, value) : head(1, -1 - value);
	if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
	if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
	const members = [...(value as ReadonlyMap<number | string, never>)].flatMap(([key, one]) => [
		toCbor(key),
		toCbor(one),
	]);
	return Buffer.concat([head(5, members.length / 2), ...members]);
}

export function createAuthenticator() {
	const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
	const { x = "", y = "" } = publicKey.export({ format: "jwk" });
	const credentialId = randomBytes(32);
	let counter = 0;
	let userHandle = "";

	const clientData = (type: string, { challenge, origin }: Context) =>
		Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
	const authenticatorData = (rpId: string, flags: number, rest = Buffer.alloc(0)) => {
		const count = Buffer.alloc(4);
		count.writeUInt32BE(counter);
		return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, rest]);
	};
	const envelope = () => {
		const id = credentialId.toString("base64url");
		return { id, rawId: id, type: "public-key" as const, clientExtensionResults: {} };
	};

	return {
		credentialId,
		/** `userId` is what the options name: base64url. */
		register(context: Context, userId: string, { isVerified = true } = {}) {
			userHandle = userId;
			const key = toCbor(
				new Map<number, number | Buffer>([
					[1, 2],
					[3, -7],
					[-1, 1],
					[-2, Buffer.from(x, "base64url")],
					[-3, Buffer.from(y, "base64url")],
				]),
			);
			const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, credentialId.length]), credentialId, key]);
			const flags = FLAGS.present | FLAGS.attested | (isVerified ? FLAGS.verified : 0);
			const object = new Map<string, unknown>([
				["fmt", "none"],
				["attStmt", new Map()],
				["authData", authenticatorData(context.rpId, flags, attested)],
			]);
			return {
				...envelope(),
				response: {
					clientDataJSON: clientData("webauthn.create", context).toString("base64url"),
					attestationObject: toCbor(object).toString("base64url"),
					transports: ["internal"],
				},
			};
		},
		/** Counts up by `step` before. */
		assert(context: Context, { isVerified = true, step = 1 } = {}) {
			counter += step;
			const client = clientData("webauthn.get", context);
			const data = authenticatorData(context.rpId, FLAGS.present | (isVerified ? FLAGS.verified : 0));
			const key = createPrivateKey({ key: privateKey.export({ format: "jwk" }), format: "jwk" });
			return {
				...envelope(),
				response: {
					clientDataJSON: client.toString("base64url"),
					authenticatorData: data.toString("base64url"),
					signature: sign("sha256", Buffer.concat([data, sha256(client)]), key).toString("base64url"),
					userHandle,
				},
			};
		},
	};
}
