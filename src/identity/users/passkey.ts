/**
 * Passkeys: discoverable credentials that verify their person. Source: Web Authentication, Level 3.
 *
 * The library needs several megabytes, so it is loaded with the first passkey.
 */
import { randomBytes } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { memoize } from "../../platform/concurrency";

/** The service as authenticators know it. */
export type RelyingParty = {
	/** A domain. Source: Web Authentication, 5.4.2; an IP address is none. */
	readonly id: string;
	readonly name: string;
	/** Of the console's pages. */
	readonly origin: string;
};

export type Passkey = {
	readonly credentialId: Buffer;
	/** COSE. */
	readonly publicKey: Buffer;
	/** Zero for authenticators that do not count. */
	readonly counter: number;
	readonly transports: readonly string[];
	/** Whether copies of it exist, as in a password manager. */
	readonly isBackedUp: boolean;
};

/** How long a person may take to use an authenticator. */
export const CHALLENGE_MS = 5 * 60_000;
const CHALLENGE_BYTES = 32;
/** ES256, EdDSA and RS256 by their COSE numbers: every authenticator has one of them. */
const ALGORITHMS = [-7, -8, -257];

const base64Url = (maxLength: number) =>
	Type.String({ pattern: "^[A-Za-z0-9_-]+$", maxLength, description: "Bytes in base64url." });
/** Members are as Web Authentication defines them. */
const described = { description: "As WebAuthn defines it." };
const CREDENTIAL_ID_LENGTH_MAX = 1_366;
const BYTES_LENGTH_MAX = 16_384;

const shared = {
	id: base64Url(CREDENTIAL_ID_LENGTH_MAX),
	rawId: base64Url(CREDENTIAL_ID_LENGTH_MAX),
	type: Type.Literal("public-key", described),
	authenticatorAttachment: Type.Optional(Type.Union([Type.String({ maxLength: 32 }), Type.Null()], described)),
	clientExtensionResults: Type.Optional(Type.Object({}, { additionalProperties: true, ...described })),
};

/** What `PublicKeyCredential.toJSON()` gives after `navigator.credentials.create()`. */
export const PasskeyRegistration = Type.Object(
	{
		...shared,
		response: Type.Object(
			{
				clientDataJSON: base64Url(BYTES_LENGTH_MAX),
				attestationObject: base64Url(BYTES_LENGTH_MAX),
				transports: Type.Optional(
					Type.Array(Type.String({ pattern: "^[a-z-]{1,32}$" }), { maxItems: 10, ...described }),
				),
			},
			{ additionalProperties: true, ...described },
		),
	},
	{ additionalProperties: true, description: "The result of `navigator.credentials.create()` as JSON." },
);
export type PasskeyRegistration = Static<typeof PasskeyRegistration>;

/** What it gives after `navigator.credentials.get()`. */
export const PasskeyAssertion = Type.Object(
	{
		...shared,
		response: Type.Object(
			{
				clientDataJSON: base64Url(BYTES_LENGTH_MAX),
				authenticatorData: base64Url(BYTES_LENGTH_MAX),
				signature: base64Url(BYTES_LENGTH_MAX),
				userHandle: Type.Optional(Type.Union([base64Url(128), Type.Null()])),
			},
			{ additionalProperties: true, ...described },
		),
	},
	{
		$id: "PasskeyAssertion",
		additionalProperties: true,
		description: "The result of `navigator.credentials.get()` as JSON.",
	},
);
export type PasskeyAssertion = Static<typeof PasskeyAssertion>;

const loadLibrary = memoize(() => import("@simplewebauthn/server"));

/** A new challenge, in base64url as browsers return it. It is kept by its digest and works once. */
export function makeChallenge(): string {
	return randomBytes(CHALLENGE_BYTES).toString("base64url");
}

/** The challenge that a browser answers; undefined for what is no client data. Not verified. */
export function challengeOf({ response }: PasskeyRegistration | PasskeyAssertion): string | undefined {
	try {
		const data: unknown = JSON.parse(Buffer.from(response.clientDataJSON, "base64url").toString());
		const isData = typeof data === "object" && data !== null && "challenge" in data;
		return isData && typeof data.challenge === "string" ? data.challenge : undefined;
	} catch {
		return undefined;
	}
}

/** Options of `navigator.credentials.create()`, for `PublicKeyCredential.parseCreationOptionsFromJSON()`. */
export async function makeRegistrationOptions(
	party: RelyingParty,
	challenge: string,
	user: { readonly id: string; readonly email: string; readonly name: string },
	existing: readonly Pick<Passkey, "credentialId" | "transports">[],
) {
	const { generateRegistrationOptions } = await loadLibrary();
	return generateRegistrationOptions({
		rpID: party.id,
		rpName: party.name,
		userID: handleOf(user.id),
		userName: user.email,
		userDisplayName: user.name,
		challenge: toBytes(challenge),
		timeout: CHALLENGE_MS,
		attestationType: "none",
		excludeCredentials: existing.map(toDescriptor),
		authenticatorSelection: { residentKey: "required", userVerification: "required" },
		supportedAlgorithmIDs: ALGORITHMS,
	});
}

/**
 * Options of `navigator.credentials.get()`. Without credentials, the person chooses one for the service. They are written without the library,
 * because every sign-in page asks for them.
 */
export function makeAssertionOptions(
	{ id: rpId }: RelyingParty,
	challenge: string,
	allowed: readonly Pick<Passkey, "credentialId" | "transports">[] = [],
) {
	const allowCredentials = allowed.map((one) => ({ ...toDescriptor(one), type: "public-key" as const }));
	return { rpId, challenge, timeout: CHALLENGE_MS, userVerification: "required" as const, allowCredentials };
}

/** The new passkey; undefined if anything about it is wrong. The caller has taken the challenge. */
export async function verifyRegistration(
	party: RelyingParty,
	challenge: string,
	registration: PasskeyRegistration,
): Promise<Passkey | undefined> {
	const { verifyRegistrationResponse } = await loadLibrary();
	try {
		const { clientDataJSON, attestationObject } = registration.response;
		const { verified, registrationInfo } = await verifyRegistrationResponse({
			response: { ...sharedOf(registration), response: { clientDataJSON, attestationObject } },
			expectedChallenge: challenge,
			expectedOrigin: party.origin,
			expectedRPID: party.id,
			requireUserVerification: true,
			supportedAlgorithmIDs: ALGORITHMS,
		});
		if (!verified) return undefined;
		const { credential, credentialBackedUp } = registrationInfo;
		return {
			credentialId: Buffer.from(credential.id, "base64url"),
			publicKey: Buffer.from(credential.publicKey),
			counter: credential.counter,
			transports: registration.response.transports ?? [],
			isBackedUp: credentialBackedUp,
		};
	} catch {
		// The library throws for every difference.
		return undefined;
	}
}

/** The passkey after its use; undefined if the assertion is not its own. The caller has taken the challenge and found the passkey by its id. */
export async function verifyAssertion(
	party: RelyingParty,
	challenge: string,
	assertion: PasskeyAssertion,
	passkey: Passkey & { readonly userId: string },
): Promise<Passkey | undefined> {
	const { userHandle } = assertion.response;
	if (userHandle != null && !toBytes(userHandle).equals(handleOf(passkey.userId))) return undefined;
	const { verifyAuthenticationResponse } = await loadLibrary();
	try {
		const { clientDataJSON, authenticatorData, signature } = assertion.response;
		const { verified, authenticationInfo } = await verifyAuthenticationResponse({
			response: { ...sharedOf(assertion), response: { clientDataJSON, authenticatorData, signature } },
			expectedChallenge: challenge,
			expectedOrigin: party.origin,
			expectedRPID: party.id,
			requireUserVerification: true,
			credential: {
				id: passkey.credentialId.toString("base64url"),
				publicKey: Uint8Array.from(passkey.publicKey),
				counter: passkey.counter,
			},
		});
		if (!verified) return undefined;
		const { newCounter, credentialBackedUp } = authenticationInfo;
		return { ...passkey, counter: newCounter, isBackedUp: credentialBackedUp };
	} catch {
		return undefined;
	}
}

/** The user's id as authenticators keep it: 16 bytes that say nothing about the person. */
function handleOf(userId: string): Buffer<ArrayBuffer> {
	return Buffer.from(userId.replaceAll("-", ""), "hex");
}

const toBytes = (text: string): Buffer<ArrayBuffer> => Buffer.from(text, "base64url");

function toDescriptor({ credentialId, transports }: Pick<Passkey, "credentialId" | "transports">) {
	return { id: credentialId.toString("base64url"), transports: [...transports] };
}

function sharedOf({ id, rawId }: PasskeyRegistration | PasskeyAssertion) {
	return { id, rawId, type: "public-key", clientExtensionResults: {} } as const;
}
