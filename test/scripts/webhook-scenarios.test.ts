import { expect, test } from "bun:test";
import { listForms } from "../../scripts/scenarios/webhooks/address-forms";
import { findSigners, isServiceSignature, isStandardSignature } from "../../scripts/scenarios/webhooks/verify";
import { signDelivery, signStandard } from "../../src/events/webhooks";
import { checkOutboundUrl } from "../../src/platform/egress";

test("the scenarios' verifier accepts only the example of Standard Webhooks", () => {
	const body = Buffer.from('{"test": 2432232314}');
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
	const verify = (signature: string, changed = body) =>
		isStandardSignature(signature, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", changed, secret);
	const signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
	expect(verify(signature)).toBe(true);
	expect(verify(signature.replace("g0", "g1"))).toBe(false);
	expect(verify(signature, Buffer.from('{"test": 2432232315}'))).toBe(false);
	expect(verify("")).toBe(false);
});

test("the scenarios' verifier accepts the service's signature under its secret", () => {
	const body = Buffer.from('{"event":"invoice.accepted"}');
	const [first, second] = [`whsec_${"QUFB".repeat(11)}`, `whsec_${"QkJC".repeat(11)}`];
	expect(isServiceSignature(signDelivery(first, body, 1_795_185_000), body, first)).toBe(true);
	expect(isServiceSignature(signDelivery(first, body, 1_795_185_000), body, second)).toBe(false);
	const headers = {
		"x-service-signature": signDelivery(first, body, 1_795_185_000),
		"x-service-signature-next": signDelivery(second, body, 1_795_185_000),
		"webhook-id": "an-id",
		"webhook-timestamp": "1795185000",
		"webhook-signature": [first, second].map((secret) => signStandard(secret, "an-id", body, 1_795_185_000)).join(" "),
	};
	const secrets = [
		{ name: "first", secret: first },
		{ name: "second", secret: second },
	];
	expect(findSigners(headers, body, secrets)).toEqual({ main: "first", next: "second", standard: ["first", "second"] });
	expect(findSigners(headers, body, secrets.slice(0, 1))).toEqual({
		...{ main: "first", next: null, standard: ["first", null] },
	});
});

test("there are eighty forms of addresses, all different, and a sandbox refuses each", () => {
	const forms = listForms(40_000);
	expect(new Set(forms).size).toBe(forms.length);
	expect(forms.length).toBeGreaterThanOrEqual(80);
	for (const form of forms)
		expect([form, checkOutboundUrl(form, { environment: "sandbox", allow: new Set() }) !== undefined]).toEqual([
			form,
			true,
		]);
});
