import { describe, expect, test } from "bun:test";
import {
	challengeOf,
	makeAssertionOptions,
	makeChallenge,
	makeRegistrationOptions,
	type Passkey,
	verifyAssertion,
	verifyRegistration,
} from "../../../src/identity/users/passkey";
import { newId } from "../../../src/platform/values";
import { createAuthenticator } from "./support/authenticator";

const PARTY = { id: "localhost", name: "Sello", origin: "http://localhost:3000" };
const USER = { id: newId(), email: "ana@farmacia.do", name: "Ana Pérez" };
const contextOf = (challenge: string) => ({ rpId: PARTY.id, origin: PARTY.origin, challenge });

async function registered() {
	const authenticator = createAuthenticator();
	const challenge = makeChallenge();
	const { user } = await makeRegistrationOptions(PARTY, challenge, USER, []);
	const passkey = await verifyRegistration(PARTY, challenge, authenticator.register(contextOf(challenge), user.id));
	return { authenticator, passkey: { ...(passkey as Passkey), userId: USER.id } };
}

describe("the registration of a passkey", () => {
	test("asks for a discoverable credential, once for each authenticator", async () => {
		const { passkey } = await registered();
		const challenge = makeChallenge();
		const options = await makeRegistrationOptions(PARTY, challenge, USER, [passkey]);
		expect(options).toMatchObject({
			challenge,
			rp: { id: "localhost", name: "Sello" },
			user: { name: USER.email, displayName: USER.name },
			attestation: "none",
			authenticatorSelection: { residentKey: "required", userVerification: "required" },
			excludeCredentials: [{ id: passkey.credentialId.toString("base64url"), transports: ["internal"] }],
		});
		expect(Buffer.from(options.user.id, "base64url").length).toBe(16);
	});

	test("gives a passkey", async () => {
		const { authenticator, passkey } = await registered();
		expect(passkey).toMatchObject({ credentialId: authenticator.credentialId, counter: 0, isBackedUp: false });
	});

	test.each([
		["another challenge", { challenge: makeChallenge() }, {}],
		["another origin", { origin: "http://localhost:3001" }, {}],
		["another relying party", { rpId: "localhost.example" }, {}],
		["an unverified person", {}, { isVerified: false }],
	])("is refused for %s", async (_, changed, options) => {
		const challenge = makeChallenge();
		const registration = createAuthenticator().register({ ...contextOf(challenge), ...changed }, "AAAA", options);
		expect(await verifyRegistration(PARTY, challenge, registration)).toBeUndefined();
	});

	test("is refused for rubbish", async () => {
		const registration = createAuthenticator().register(contextOf("AAAA"), "AAAA");
		const response = { clientDataJSON: "AAAA", attestationObject: "AAAA" };
		expect(await verifyRegistration(PARTY, "AAAA", { ...registration, response })).toBeUndefined();
		expect(challengeOf({ ...registration, response })).toBeUndefined();
		expect(challengeOf(registration)).toBe("AAAA");
	});
});

describe("the use of a passkey", () => {
	test("offers each credential or none, and counts", async () => {
		const { authenticator, passkey } = await registered();
		const challenge = makeChallenge();
		expect(makeAssertionOptions(PARTY, challenge, [passkey])).toMatchObject({
			...{ challenge, rpId: "localhost", userVerification: "required" },
			allowCredentials: [{ id: passkey.credentialId.toString("base64url") }],
		});
		expect(makeAssertionOptions(PARTY, challenge).allowCredentials).toEqual([]);
		const used = await verifyAssertion(PARTY, challenge, authenticator.assert(contextOf(challenge)), passkey);
		expect(used).toMatchObject({ counter: 1, credentialId: passkey.credentialId });
	});

	test.each([
		["another challenge", { challenge: makeChallenge() }, {}],
		["another origin", { origin: "https://localhost:3000" }, {}],
		["another relying party", { rpId: "sello.example" }, {}],
		["an unverified person", {}, { isVerified: false }],
	])("is refused for %s", async (_, changed, options) => {
		const { authenticator, passkey } = await registered();
		const challenge = makeChallenge();
		const assertion = authenticator.assert({ ...contextOf(challenge), ...changed }, options);
		expect(await verifyAssertion(PARTY, challenge, assertion, passkey)).toBeUndefined();
	});

	test("is refused for a copy that counts from where it was copied", async () => {
		const { authenticator, passkey } = await registered();
		const challenge = makeChallenge();
		const assertion = authenticator.assert(contextOf(challenge), { step: 3 });
		expect(await verifyAssertion(PARTY, challenge, assertion, { ...passkey, counter: 3 })).toBeUndefined();
		expect(await verifyAssertion(PARTY, challenge, assertion, { ...passkey, counter: 2 })).toBeDefined();
	});

	test("is refused for another person's or another credential", async () => {
		const [one, other] = [await registered(), await registered()];
		const challenge = makeChallenge();
		const assertion = one.authenticator.assert(contextOf(challenge));
		expect(await verifyAssertion(PARTY, challenge, assertion, { ...one.passkey, userId: newId() })).toBeUndefined();
		expect(await verifyAssertion(PARTY, challenge, assertion, other.passkey)).toBeUndefined();
	});
});
