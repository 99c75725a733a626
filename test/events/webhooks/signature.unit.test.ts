import { expect, test } from "bun:test";
import fc from "fast-check";
import { signDelivery, verifySignature } from "../../../src/events/webhooks";
import { signStandard } from "../../../src/events/webhooks/signature";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const body = Buffer.from('{"event":"invoice.accepted","note":"ñ"}');

test("the signature is the hex HMAC-SHA256 of time and body under the secret as shown", () => {
	// Made with: printf '%s' '1795185000.{…}' | openssl dgst -sha256 -hmac 'whsec_…'
	const digest = "680ab37cf5eb545c94811e071f79c989582c5dd5db5e54deb5ebbd398f209416";
	expect(signDelivery(secret, body, 1795185000)).toBe(`t=1795185000,v1=${digest}`);
});

test("what is signed verifies, for 300 seconds either way and not one more", () => {
	fc.assert(
		fc.property(fc.uint8Array(), fc.string(), fc.integer({ min: 1_000_000, max: 4_000_000_000 }), (bytes, key, t) => {
			const header = signDelivery(key, bytes, t);
			for (const skew of [-300, 0, 300]) expect(verifySignature(key, header, bytes, t + skew)).toBe(true);
			for (const skew of [-301, 301]) expect(verifySignature(key, header, bytes, t + skew)).toBe(false);
		}),
	);
});

test("another bit of the body, secret, time or form does not verify", () => {
	const t = 1795185000;
	const header = signDelivery(secret, body, t);
	const digest = header.slice(header.indexOf("v1=") + 3);
	for (let bit = 0; bit < body.length * 8; bit++) {
		const changed = Buffer.from(body);
		changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
		expect(verifySignature(secret, header, changed, t)).toBe(false);
	}
	expect(verifySignature(secret.slice("whsec_".length), header, body, t)).toBe(false);
	const forms = ["", "t=,v1=", `v1=${digest},t=${t}`, `t=${t}`, `v1=${digest}`, `t=${t},v1=${digest.toUpperCase()}`];
	forms.push(
		`t=${t},v1=${digest.slice(2)}`,
		`t=${t},v1=${digest},v1=${digest}`,
		`t=${t + 1},v1=${digest}`,
		` ${header}`,
	);
	for (const form of forms) expect([form, verifySignature(secret, form, body, t)]).toEqual([form, false]);
});

test("the second signature is that of Standard Webhooks", () => {
	// The test vector of the Standard Webhooks libraries.
	const signature = signStandard(
		secret,
		"msg_p5jXN8AQM9LWM0D4loKWxJek",
		Buffer.from('{"test": 2432232314}'),
		1614265330,
	);
	expect(signature).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});
