import { expect, test } from "bun:test";
import { sendToReceiver, signedSeed, TOKEN } from "../../support/peer";
import { sharedService } from "../../support/service";

const SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

test("a signed seed gives a token for an hour, as JSON or XML", async () => {
	const { url } = await sharedService();
	const json = await sendToReceiver(url, await signedSeed(url), { path: TOKEN });
	const body = (await json.json()) as { token: string; expira: string; expedido: string };
	expect(body).toEqual({
		token: expect.any(String),
		expira: expect.stringMatching(SECONDS),
		expedido: expect.stringMatching(SECONDS),
	});
	expect(Date.parse(body.expira) - Date.parse(body.expedido)).toBe(3_600_000);
	const xml = await sendToReceiver(url, await signedSeed(url), { path: TOKEN, accept: "application/xml" });
	expect(xml.headers.get("content-type")).toBe("application/xml; charset=utf-8");
	expect(await xml.text()).toMatch(
		/<RespuestaAutenticacion><token>[\w.-]+<\/token><expira>[^<]*Z<\/expira><expedido>[^<]*Z<\/expedido><\/RespuestaAutenticacion>$/,
	);
});
