/** The operations with which people manage how they sign in. Each change is one transaction with its audit entry and its mail. */
import { type Static, Type } from "@sinclair/typebox";
import type { Sql, Tx } from "../../platform/database";
import {
	type Call,
	idFrom,
	json,
	jsonBody,
	lineOf,
	NEEDS_SESSION,
	type Operation,
	type Person,
	PRIVATE_NO_STORE,
	pathParameter,
	personOf,
	readJson,
	readQuery,
} from "../../platform/operation";
import { type Message, msg, Problem } from "../../platform/problem";
import type { Envelope } from "../../platform/secrets";
import { type Clock, type Environment, isSandbox, newId } from "../../platform/values";
import { actorOf, recordAudit } from "../audit-log";
import {
	checkTotp,
	contextOfTotp,
	deletePasskey,
	deleteTotp,
	digestOfRecoveryCode,
	type FactorChange,
	findUser,
	findWeakness,
	fromBase32,
	hashPassword,
	insertPasskey,
	keepChallenge,
	listPasskeys,
	lockUser,
	makeRecoveryCodes,
	makeRegistrationOptions,
	makeTotpSecret,
	PASSWORD_LENGTH_MAX,
	PASSWORD_LENGTH_MIN,
	PasskeyRegistration,
	type PasskeyRow,
	queueAccountMail,
	RECOVERY_CODES,
	type RelyingParty,
	replaceRecoveryCodes,
	savePassword,
	saveTotp,
	takeChallenge,
	toBase32,
	toTotpUri,
	type User,
	verifyRegistration,
} from "../users";

export type FactorsDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly environment: Environment;
	readonly envelope: Envelope;
	readonly party: RelyingParty;
	readonly consoleUrl: string;
	/** The companies that memberships open. */
	readonly listCompanies: (
		memberships: Person["memberships"],
		limit: number,
	) => Promise<readonly { readonly name: string }[]>;
	/** Ends the person's other sessions. */
	readonly endSessions: (tx: Tx, userId: string, now: Date, exceptId: string) => Promise<unknown>;
	/** Drops what this process knows of a person. */
	readonly forget: (of: { readonly userId: string }) => void;
	/** Wakes the outbox. */
	readonly wake: () => void;
};

const PASSKEYS_MAX = 20;
/** Companies whose names a password must not contain. */
const COMPANIES_MAX = 500;
const TAG = "Console";

const PasskeyRecord = Type.Object({
	id: Type.String(),
	label: Type.String(),
	isBackedUp: Type.Boolean({ description: "Whether copies exist, as in a password manager." }),
	createdAt: Type.String(),
	lastUsedAt: Type.Union([Type.String(), Type.Null()]),
});
type PasskeyRecord = Static<typeof PasskeyRecord>;

const PasskeyRequest = Type.Object(
	{ label: lineOf(60, "How the person calls it, such as the device."), credential: PasskeyRegistration },
	{ additionalProperties: false },
);
const PasswordRequest = Type.Object(
	{
		password: Type.String({
			maxLength: 1_024,
			description: `${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters, without the e-mail address and the names of companies.`,
		}),
	},
	{ additionalProperties: false },
);
const TotpRequest = Type.Object(
	{
		secret: Type.String({ maxLength: 64, description: "As `POST /v1/me/totp` gave it." }),
		code: Type.String({ maxLength: 16, description: "The code that the app shows now." }),
	},
	{ additionalProperties: false },
);

const EXAMPLE: PasskeyRecord = {
	id: "0192f0c0-7a00-7b11-9c22-334455667788",
	...{ label: "Portátil", isBackedUp: true, createdAt: "2026-11-20T14:00:00.000Z", lastUsedAt: null },
};
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const CHALLENGE = "q2dE0RrUoq1c9Zx3k5bJkPz6n1T0lM8yQ4wVhXsA7uI";
const CREDENTIAL = {
	...{ id: "AbCdEf0123456789", rawId: "AbCdEf0123456789", type: "public-key" as const, clientExtensionResults: {} },
	response: { clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0", attestationObject: "o2NmbXRkbm9uZQ" },
};

/** What every change of a factor has. */
const CHANGES = { tag: TAG, credentials: NEEDS_SESSION, confirms: true, sdk: null } as const;
const READING = ["malformed-json", "validation-error"] as const;

export function factorOperations(deps: FactorsDeps): Operation[] {
	return [
		{
			...{ id: "listPasskeys", sdk: null, method: "GET", path: "/v1/me/passkeys", tag: TAG },
			...{ summary: "List your passkeys", description: "Oldest first.", credentials: NEEDS_SESSION },
			answers: {
				200: {
					description: "The passkeys.",
					schema: Type.Object({ items: Type.Array(PasskeyRecord), count: Type.Integer() }),
					example: { items: [EXAMPLE], count: 1 },
				},
			},
			problems: ["validation-error"],
			handle: async (call) => {
				readQuery(call);
				const rows = await listPasskeys(deps.sql, personOf(call).userId);
				return json(200, { items: rows.map(toRecord), count: rows.length }, PRIVATE_NO_STORE);
			},
		},
		{
			...{ id: "createPasskeyOptions", method: "POST", path: "/v1/me/passkeys/options", ...CHANGES },
			...{ summary: "Begin to add a passkey" },
			description:
				"The options of `navigator.credentials.create()` as JSON. They hold for five minutes and one passkey.",
			answers: {
				200: {
					description: "The options, for `PublicKeyCredential.parseCreationOptionsFromJSON()`.",
					schema: Type.Object({ challenge: Type.String() }, { additionalProperties: true }),
					example: { challenge: CHALLENGE, rp: { id: "api.example", name: "Sello" }, attestation: "none" },
				},
			},
			problems: ["validation-error"],
			handle: async (call) => {
				readQuery(call);
				const user = await userOf(deps.sql, call);
				const challenge = await keepChallenge(deps, user.id);
				const existing = await listPasskeys(deps.sql, user.id);
				return json(200, await makeRegistrationOptions(deps.party, challenge, user, existing), PRIVATE_NO_STORE);
			},
		},
		{
			...{ id: "createPasskey", method: "POST", path: "/v1/me/passkeys", ...CHANGES },
			...{ summary: "Add a passkey", description: `A person has ${PASSKEYS_MAX} passkeys at most.` },
			body: jsonBody(PasskeyRequest, { label: EXAMPLE.label, credential: CREDENTIAL }),
			answers: { 201: { description: "The passkey.", schema: PasskeyRecord, example: EXAMPLE } },
			problems: [...READING, "passkey-invalid"],
			handle: (call) => addPasskey(deps, call),
		},
		{
			...{ id: "deletePasskey", method: "DELETE", path: "/v1/me/passkeys/{id}", ...CHANGES },
			...{ summary: "Remove a passkey", description: "The only way in stays: add another one first." },
			parameters: [pathParameter("id", "The passkey's id.", EXAMPLE.id)],
			answers: { 204: { description: "The passkey no longer signs you in." } },
			problems: ["validation-error", "not-found", "forbidden"],
			handle: (call) => removePasskey(deps, call),
		},
		{
			...{ id: "putPassword", method: "PUT", path: "/v1/me/password", ...CHANGES },
			...{ summary: "Set your password" },
			description:
				"Replaces the former one and ends your other sessions. Outside the sandboxes it signs you in only together with the code of an app.",
			body: jsonBody(PasswordRequest, { password: "caballo-pila-grapa-correcto" }),
			answers: { 204: { description: "The password is set." } },
			problems: [...READING, "password-weak"],
			handle: (call) => setPassword(deps, call),
		},
		{
			...{ id: "createTotp", method: "POST", path: "/v1/me/totp", ...CHANGES },
			...{ summary: "Begin to use an authenticator app" },
			description: "A new secret for the app. Nothing changes before `PUT /v1/me/totp` confirms it with a code.",
			answers: {
				200: {
					description: "The secret, also as the text of a QR code.",
					schema: Type.Object({ secret: Type.String(), uri: Type.String() }),
					example: { secret: SECRET, uri: `otpauth://totp/Sello:ana%40farmacia.do?secret=${SECRET}&issuer=Sello` },
				},
			},
			problems: ["validation-error"],
			handle: async (call) => {
				readQuery(call);
				const { email } = await userOf(deps.sql, call);
				const secret = makeTotpSecret();
				const uri = toTotpUri({ secret, account: email, issuer: deps.party.name });
				return json(200, { secret: toBase32(secret), uri }, PRIVATE_NO_STORE);
			},
		},
		{
			...{ id: "putTotp", method: "PUT", path: "/v1/me/totp", ...CHANGES },
			...{
				summary: "Use an authenticator app",
				description: "From then on your password needs its codes. A former app no longer works.",
			},
			body: jsonBody(TotpRequest, { secret: SECRET, code: "287082" }),
			answers: { 204: { description: "The app is in use." } },
			problems: READING,
			handle: (call) => setTotp(deps, call),
		},
		{
			...{ id: "deleteTotp", method: "DELETE", path: "/v1/me/totp", ...CHANGES },
			...{
				summary: "Stop using the authenticator app",
				description: "The only way in stays: outside the sandboxes add a passkey first.",
			},
			answers: { 204: { description: "Codes of the app are no longer asked for." } },
			problems: ["validation-error", "not-found", "forbidden"],
			handle: (call) => removeTotp(deps, call),
		},
		{
			...{ id: "createRecoveryCodes", method: "POST", path: "/v1/me/recovery-codes", ...CHANGES },
			...{ summary: "Make new recovery codes" },
			description:
				"Shown only in this answer. Each works once, together with a mailed recovery link. Former codes no longer work.",
			answers: {
				201: {
					description: `${RECOVERY_CODES} codes.`,
					schema: Type.Object({ codes: Type.Array(Type.String()) }),
					example: { codes: ["7K2M-9QXR-04TB-HV6D", "B3WZ-1N8C-YF5J-20GE"] },
				},
			},
			problems: ["validation-error"],
			handle: (call) => makeCodes(deps, call),
		},
	];
}

async function userOf(sql: Sql | Tx, call: Call): Promise<User> {
	const user = await findUser(sql, personOf(call).userId);
	if (!user) throw new Problem("session-expired");
	return user;
}

const toRecord = ({ id, label, isBackedUp, createdAt, lastUsedAt }: PasskeyRow): PasskeyRecord => ({
	...{ id, label, isBackedUp, createdAt: createdAt.toISOString(), lastUsedAt: lastUsedAt?.toISOString() ?? null },
});

const done = (): Response => new Response(null, { status: 204, headers: PRIVATE_NO_STORE });

type Change = {
	readonly mail: FactorChange;
	readonly action: string;
	readonly subject?: string;
	/** In the transaction, with the person as the database has it. */
	readonly write: (tx: Tx, user: User, now: Date) => Promise<void>;
};

async function change(deps: FactorsDeps, call: Call, { mail, action, subject, write }: Change): Promise<void> {
	const { sql, clock } = deps;
	const now = clock.now();
	const { userId } = personOf(call);
	await sql.begin(async (tx) => {
		await lockUser(tx, userId);
		const user = await userOf(tx, call);
		await write(tx, user, now);
		await recordAudit(tx, { at: now, actor: actorOf(call), action, subject: subject ?? userId, details: {} });
		const { email, language } = user;
		await queueAccountMail(tx, deps, { to: email, language, mail: { kind: "factor", change: mail, at: now } });
	});
	deps.forget({ userId });
	deps.wake();
}

function refuse(pointer: string, code: string, detail: Message): Problem {
	return new Problem("validation-error", { faults: [{ pointer, code, detail }] });
}

async function addPasskey(deps: FactorsDeps, call: Call): Promise<Response> {
	const { label, credential } = await readJson<Static<typeof PasskeyRequest>>(call, Number.POSITIVE_INFINITY);
	const { userId } = personOf(call);
	const challenge = await takeChallenge(deps, credential, userId);
	const passkey = challenge && (await verifyRegistration(deps.party, challenge, credential));
	if (!passkey) throw new Problem("passkey-invalid");
	const id = newId();
	const createdAt = deps.clock.now();
	const row = { ...passkey, id, userId, label, createdAt, lastUsedAt: null };
	await change(deps, call, {
		...{ mail: "passkey-added", action: "user.passkey-add", subject: id },
		write: async (tx, user) => {
			if (user.passkeys >= PASSKEYS_MAX)
				throw refuse("", "too-many-passkeys", msg`A person has ${PASSKEYS_MAX} passkeys at most. Remove one first.`);
			if (!(await insertPasskey(tx, row))) throw new Problem("passkey-invalid");
		},
	});
	return json(201, toRecord(row), PRIVATE_NO_STORE);
}

async function removePasskey(deps: FactorsDeps, call: Call): Promise<Response> {
	const id = idFrom(call);
	readQuery(call);
	await change(deps, call, {
		...{ mail: "passkey-removed", action: "user.passkey-remove", subject: id },
		write: async (tx, user) => {
			if (!(await deletePasskey(tx, user.id, id))) throw new Problem("not-found");
			requireWayIn(deps, { ...user, passkeys: user.passkeys - 1 });
		},
	});
	return done();
}

async function setPassword(deps: FactorsDeps, call: Call): Promise<Response> {
	const { password } = await readJson<Static<typeof PasswordRequest>>(call);
	const { sessionId, memberships } = personOf(call);
	const { email } = await userOf(deps.sql, call);
	const companyNames = (await deps.listCompanies(memberships, COMPANIES_MAX)).map(({ name }) => name);
	const weakness = findWeakness(password, { email, companyNames });
	if (weakness) throw new Problem("password-weak", { detail: weakness });
	const hash = await hashPassword(password);
	await change(deps, call, {
		...{ mail: "password-set", action: "user.password-set" },
		write: async (tx, user, now) => {
			await savePassword(tx, user.id, hash, now);
			await deps.endSessions(tx, user.id, now, sessionId);
		},
	});
	return done();
}

/** Source: RFC 4226, 4: a shared secret has at least 128 bits. */
const SECRET_BYTES_MIN = 16;

async function setTotp(deps: FactorsDeps, call: Call): Promise<Response> {
	const { secret: text, code } = await readJson<Static<typeof TotpRequest>>(call);
	const secret = fromBase32(text);
	if (!secret || secret.length < SECRET_BYTES_MIN)
		throw refuse("/secret", "invalid-secret", msg`Is not the secret of an app.`);
	await change(deps, call, {
		...{ mail: "totp-set", action: "user.totp-set" },
		write: async (tx, user, now) => {
			const step = checkTotp(secret, code, now.getTime());
			if (step === undefined) throw refuse("/code", "wrong-code", msg`Is not the code that the app shows now.`);
			await saveTotp(tx, user.id, { sealedSecret: deps.envelope.seal(secret, contextOfTotp(user.id)), step, at: now });
		},
	});
	return done();
}

async function removeTotp(deps: FactorsDeps, call: Call): Promise<Response> {
	readQuery(call);
	await change(deps, call, {
		...{ mail: "totp-removed", action: "user.totp-remove" },
		write: async (tx, user) => {
			if (user.totpAt === null) throw new Problem("not-found");
			await deleteTotp(tx, user.id);
			requireWayIn(deps, { ...user, totpAt: null });
		},
	});
	return done();
}

/** Throws: forbidden where a change would leave the person without any way in. */
function requireWayIn({ environment }: FactorsDeps, user: Pick<User, "passkeys" | "passwordHash" | "totpAt">): void {
	const hasPassword = user.passwordHash !== null && (isSandbox(environment) || user.totpAt !== null);
	if (user.passkeys > 0 || hasPassword) return;
	throw new Problem("forbidden", { detail: msg`This is your only way to sign in. Add another one first.` });
}

async function makeCodes(deps: FactorsDeps, call: Call): Promise<Response> {
	readQuery(call);
	const codes = makeRecoveryCodes();
	await change(deps, call, {
		...{ mail: "codes-made", action: "user.recovery-codes" },
		write: (tx, user) =>
			replaceRecoveryCodes(
				tx,
				user.id,
				codes.flatMap((code) => digestOfRecoveryCode(code) ?? []),
			),
	});
	return json(201, { codes }, PRIVATE_NO_STORE);
}
