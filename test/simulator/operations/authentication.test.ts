import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Authority, bodyOf, sharedIdentity, startAuthority } from "../support/authority";
import { makeIdentity, sign } from "../support/signer";

const SEED = "/testecf/autenticacion/api/autenticacion/semilla";
const VALIDATE = "/testecf/autenticacion/api/autenticacion/validarsemilla";
const RESULT = "/testecf/consultaresultado/api/consultas/estado?trackid=x";

let authority: Authority;
beforeAll(async () => {
	authority = await startAuthority();
});
afterAll(() => authority.stop());

const signedSeed = async () => {
	const seed = await (await authority.call(SEED)).text();
	return sign(seed.replace(/>\s+</g, "><"), await sharedIdentity());
};

describe("the seed", () => {
	test("has a value, a date of UTC-4 and the two usual namespaces", async () => {
		const response = await authority.call(SEED);
		expect(response.headers.get("content-type")).toContain("xml");
		const text = await response.text();
		expect(text).toMatch(/<SemillaModel xmlns:xsi="[^"]+" xmlns:xsd="[^"]+">/);
		expect(text).toMatch(/<valor>[A-Za-z0-9+/=]{168}<\/valor>/);
		expect(text).toMatch(/<fecha>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}-04:00<\/fecha>/);
	});

	test("is given whatever the letter case of the path", async () => {
		expect((await authority.call("/TestECF/Autenticacion/API/Autenticacion/Semilla")).status).toBe(200);
	});

	test("counts once", async () => {
		const signed = await signedSeed();
		expect((await authority.post(VALIDATE, "a.xml", signed)).status).toBe(200);
		const second = await authority.post(VALIDATE, "a.xml", signed);
		expect(second.status).toBe(400);
		expect(await second.json()).toBe("La semilla no es válida o ha expirado.");
	});

	test("counts only in the environment that gave it", async () => {
		const path = VALIDATE.replace("testecf", "certecf");
		expect((await authority.post(path, "a.xml", await signedSeed())).status).toBe(400);
	});

	test("is refused when it was never given", async () => {
		const xml = "<SemillaModel><valor>x</valor><fecha>2026-01-01T00:00:00.0000000-04:00</fecha></SemillaModel>";
		const response = await authority.post(VALIDATE, "a.xml", await sign(xml, await sharedIdentity()));
		expect(response.status).toBe(400);
	});

	test("is refused when it was altered after signing, and stays good for the true one", async () => {
		const signed = await signedSeed();
		const altered = signed.replace(/<fecha>..../, "<fecha>1999");
		expect((await authority.post(VALIDATE, "a.xml", altered)).status).toBe(400);
		expect((await authority.post(VALIDATE, "a.xml", signed)).status).toBe(200);
	});

	test.each([
		["another element", (seed: string) => seed.replace("</fecha>", "</fecha><otro>1</otro>")],
		["its value twice", (seed: string) => seed.replace(/<valor>.*<\/valor>/, "$&$&")],
		["its date first", (seed: string) => seed.replace(/(<valor>.*<\/valor>)(<fecha>.*<\/fecha>)/, "$2$1")],
	])("is refused with %s, which its schema does not have", async (_, change) => {
		const seed = (await (await authority.call(SEED)).text()).replace(/>\s+</g, "><");
		const response = await authority.post(VALIDATE, "a.xml", await sign(change(seed), await sharedIdentity()));
		expect([response.status, await response.json()]).toEqual([400, "El archivo no es una semilla."]);
		expect((await authority.post(VALIDATE, "a.xml", await sign(seed, await sharedIdentity()))).status).toBe(200);
	});

	test("is refused unsigned, as another document, and as no document", async () => {
		const seed = await (await authority.call(SEED)).text();
		const other = await sign("<Otro><valor>x</valor></Otro>", await sharedIdentity());
		for (const body of [seed, other, "nothing"]) {
			expect((await authority.post(VALIDATE, "a.xml", body)).status).toBe(400);
		}
	});

	test("is refused when it is too old", async () => {
		const strict = await startAuthority({ seedSeconds: 0 });
		expect((await strict.login()).status).toBe(400);
		await strict.stop();
	});
});

describe("the token", () => {
	test("is JSON with both times in UTC, an hour apart", async () => {
		const body = await bodyOf<{ expira: string; expedido: string }>(authority.login());
		expect(body.expira).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
		expect(Date.parse(body.expira) - Date.parse(body.expedido)).toBe(3_600_000);
		expect(Math.abs(Date.parse(body.expedido) - Date.now())).toBeLessThan(60_000);
	});

	test("is XML when XML is accepted", async () => {
		const response = await authority.post(VALIDATE, "a.xml", await signedSeed(), {
			headers: { accept: "application/xml" },
		});
		expect(await response.text()).toMatch(
			/<RespuestaAutenticacion><token>[^<]+<\/token><expira>[^<]+<\/expira><expedido>[^<]+<\/expedido>/,
		);
	});

	test("names the holder of the certificate", async () => {
		const holder = await makeIdentity({ cedula: "40200000004" });
		const { token } = await bodyOf<{ token: string }>(authority.login(holder));
		const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
		expect(claims["http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name"]).toBe("40200000004");
	});

	test("is given for a seed signed in either profile", async () => {
		const identity = await sharedIdentity();
		expect((await authority.login(identity, "xmldsig")).status).toBe(200);
		expect((await authority.login(identity, "xades-bes")).status).toBe(200);
	});

	test("is not given to a certificate that is not delegated, nor to one that has expired", async () => {
		const outsider = await makeIdentity({ cedula: "22300123456" });
		await authority.delegate({ thumbprint: outsider.thumbprint, delegated: false });
		const refused = await authority.login(outsider);
		expect(refused.status).toBe(400);
		expect(await refused.json()).toBe(
			"El RNC 22300123456 del certificado no está delegado para realizar transaciones.",
		);
		const expired = await makeIdentity({ notAfter: new Date(Date.now() - 60_000) });
		expect((await authority.login(expired)).status).toBe(400);
	});

	test("is required: without it, or with a false one, the answer is an empty 401", async () => {
		const { authorization = "" } = await authority.bearer();
		const wrong = [undefined, "Bearer x.y.z", `Basic ${authorization.slice(7)}`, `${authorization}x`];
		for (const value of wrong) {
			const response = await authority.call(RESULT, value === undefined ? {} : { headers: { authorization: value } });
			expect(response.status).toBe(401);
			expect(await response.text()).toBe("");
		}
		const accepted = await authority.call(RESULT, {
			headers: { authorization: authorization.replace("Bearer", "bearer") },
		});
		expect(accepted.status).toBe(200);
	});

	test("is refused once it has expired", async () => {
		const brief = await startAuthority({ tokenSeconds: 0 });
		expect((await brief.get(RESULT)).status).toBe(401);
		await brief.stop();
	});
});
