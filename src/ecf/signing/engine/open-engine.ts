import { createPublicKey, verify } from "node:crypto";
import type { EngineChoice } from "../settings";
import { bunEngine, FreedKeyError, type RsaEngine, type RsaPair } from "./engine";
import { createOpensslEngine, OPENSSL_LIBRARY, openOpenssl } from "./openssl-engine";

export type OpenedEngine = {
	readonly engine: RsaEngine;
	/** Why OpenSSL is not used although it was allowed. */
	readonly fallback?: EngineFallback;
};
/** `missing`: there is no library. `unfit`: it loads, but it is another library, another version, or fails the self-test. */
export type EngineFallback = { readonly kind: "missing" | "unfit"; readonly reason: string };

/** OpenSSL if it is available and passes the self-test, otherwise the runtime's own engine. Never throws because of the library. */
export function openEngine(choice: EngineChoice, library: string = OPENSSL_LIBRARY): OpenedEngine {
	if (choice === "bun") return { engine: bunEngine };
	try {
		const engine = createOpensslEngine(openOpenssl(library));
		proveEngine(engine);
		return { engine };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		const kind = /cannot open shared object|no such file/i.test(reason) ? "missing" : "unfit";
		return { engine: bunEngine, fallback: { kind, reason } };
	}
}

/** A key for this test only; it protects nothing. */
const PKCS8_BASE64 = [
	"MIIEvwIBADANBgkqhkiG9w0BAQEFAASCBKkwggSlAgEAAoIBAQC4tRlzBqMsjtnoVSuZUT4yd1W2LVMDP+WrAJ+HifaE2Pz4LWvegAK/oVXtqF",
	"KVfpzydgDOSE4gtlwj1vRqyV7oXN1z4tW6cFJVFPB9udQlNBF29uDEm2Zgry5w/taiSV2vEuXV1n9Pa/CDqf6FGJqGUEnQzSsMwfinGZRdMcWj",
	"RaWwPYRbenbxtxxulgY4RQcjseKHrrGzKjVADnO96ozV/5mwMuMvZElxlRHw575XZDPcQM/2/sCu3vt79LVmnG1bjITDgeFdglaBLPhoFcGaEl",
	"8NYST4LVZhWxr5Pfb7cPgnskG0ADYinAf65j1rXc5g/fL+PsWzHgMnOI5gTVU1AgMBAAECggEAGmzOV0Z70cQeKL8GncihvVaVTJrvZWee0/gi",
	"2qFCQ39HsbnN1Oc7fW73fCi4p+qVSZrYQqrVgpiUVgxKq3xjt5qRlCK/sQygustkHJiZYTkxxnNLdNVGsE5ftoq+6jjUzldFynIFhLdMkYmggC",
	"ok8VJLPTQdFJYrnLxsHWkhfVobJMqopXjJahpv9m6pVkKmjw4kMeO3Uvmk3W02ptjOr39hhzis3SiuJy7L1Ix6+ah49gJc11rSRezI8QIVmjaI",
	"KtMGZhSgJiFnNU8NDPqcGXMuqS94VapAuFSMZYGOHmAWj8GeG/sPMUccijkaEOF1ZqeRRqOYChePZAXO46R4AQKBgQDnAXsH7EweqK3KhoT/9h",
	"VaB84n0aAfwpZ8Xe9URZT5jAnDRor51kiiLnwZiCwmTCj71W0z93KvRLMqTsAO7bldMLIN60IWzupW7y73+ocSNAnGwVSG4ihXiCY/Ku47la7r",
	"F9kQWF1sdn3IeV3OoxzJvUGiw/GuI0MsbkJHQiUnRQKBgQDMsTjx8jMuRJAI7VitATQhtDmzuHZKjIJ4eMgTkGBYhdzolKBfk+7I53Cya5Bblu",
	"6yY5GQz7hdaHMOZbJJFdNFbWMrBPHcLLHYgahQC33WKxO7WFUYREGLcmaIF1Kw6izyau3Ik72RatqYJvLo1Ju2qC/dYewlKvN7Gj1oD6YdMQKB",
	"gQDgSLG5OZWWVtOVxRGwqq6EYPup8X90FquhSFqsCXrg5zQ7YmxgscqHnHZlG68x59QK3mdOgzvYK+2AcEFMvUax0iuuE/Jwzqj7ivKhVZ568A",
	"dl8CMvarkcc1YfEoGHXIcePmND2WerfUgWsq9/hyLWRGhLrc8i8Z2wr8SuBuynuQKBgQCgzoGsIdhvetGlEcFeeNmZuNq0BDB6NJSzTD/yjrQC",
	"F3gLB+hN7gvjrV7t7G8GZTa00mAjYey3BT2Oi/paTFkj6+HChCn2DO7S5llyOPTs8f6YabbAT68mfANs2tXNwsr4z2Rq9RYyTb3ZVo/ytkR2ZP",
	"7lbu5z7KBHj7+6JsEboQKBgQDX8YeDH/nDlmmWp5Cuo0doWTMjhyzXWQ0W+Qxy3D3F61ABeSiHy/TDWvQAe2ploXPzpBo4q21ZFcaEDvBXiWUN",
	"0Yp0+9m596/m67JwZZYZKfmfkY3zQCKghv2iDT3K2QSRY3UdYkwC3ujzQV2gEy4un4Bqd788LkjfX1nUTWgZeQ==",
].join("");
const SPKI_BASE64 = [
	"MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAuLUZcwajLI7Z6FUrmVE+MndVti1TAz/lqwCfh4n2hNj8+C1r3oACv6FV7ahSlX6c8n",
	"YAzkhOILZcI9b0asle6Fzdc+LVunBSVRTwfbnUJTQRdvbgxJtmYK8ucP7WokldrxLl1dZ/T2vwg6n+hRiahlBJ0M0rDMH4pxmUXTHFo0WlsD2E",
	"W3p28bccbpYGOEUHI7Hih66xsyo1QA5zveqM1f+ZsDLjL2RJcZUR8Oe+V2Qz3EDP9v7Art77e/S1ZpxtW4yEw4HhXYJWgSz4aBXBmhJfDWEk+C",
	"1WYVsa+T32+3D4J7JBtAA2IpwH+uY9a13OYP3y/j7Fsx4DJziOYE1VNQIDAQAB",
].join("");

/** The signature of `TEXT` by that key. This kind of signature has no randomness. */
const SIGNATURE_BASE64 = [
	"AQMmJOYVtNJtxCkXGY14TzmLzALhcYSA0MNWe5Gmi3RTNB0fFohOm+/5t5+H/3Vo9rUVnXRaHVVaQnL7CrrlDjF2T/TT7TOvE8CcxncwJq9Sxb",
	"mQaXAXMNYj4n4VOdAm3RdaBKxsT0/O3zNRmiJVaTK0OTvdZ3Al4enQPGNa5M/xMIm++Hbtsf/QPdPG0/3C8cktW6iL8X6jr4k+LpcIDFjiWE4O",
	"43eWX1WvdvPyOBJimMpoc9OL9rdJDIYoVUktAfVerip1VJlYaMvIPGK1BMKvZBUdijz13uY/Q6enZI8ASIVKLeXtGxv9CXqjfm4wQxt+wfLlb8",
	"oJUKUnN3JjRw==",
].join("");
const TEXT = new TextEncoder().encode("Sello");
const OTHER_TEXT = new TextEncoder().encode("sello");

/**
 * Signs twice, because contexts are reused. Compares with the known signature, has the runtime verify it, checks that the engine accepts and rejects
 * correctly, and frees the key. Throws an Error that says what failed.
 */
export function proveEngine(engine: RsaEngine): void {
	const spkiDer = Buffer.from(SPKI_BASE64, "base64");
	const pkcs8Der = Buffer.from(PKCS8_BASE64, "base64");
	const pair = engine.importPair({ pkcs8Der, spkiDer });
	// The engine must keep its own copies, or it would sign with zeros.
	pkcs8Der.fill(0);
	const publicKey = createPublicKey({ key: spkiDer, format: "der", type: "spki" });
	try {
		for (const text of [OTHER_TEXT, TEXT, TEXT]) {
			const signature = pair.sign(text);
			if (!verify("sha256", text, publicKey, signature)) throw new Error("its signature does not verify");
			if (!pair.verify(text, signature)) throw new Error("it refuses its own signature");
		}
		const signature = pair.sign(TEXT);
		if (Buffer.from(signature).toString("base64") !== SIGNATURE_BASE64) throw new Error("it signs something else");
		if (pair.verify(OTHER_TEXT, signature)) throw new Error("it accepts the signature of another text");
		signature[0] = (signature[0] ?? 0) ^ 1;
		if (pair.verify(TEXT, signature)) throw new Error("it accepts a changed signature");
	} finally {
		pair.free();
	}
	if (signsStill(pair)) throw new Error("it signs with a key that was freed");
}

function signsStill(pair: RsaPair): boolean {
	try {
		pair.sign(TEXT);
		return true;
	} catch (error) {
		if (error instanceof FreedKeyError) return false;
		throw error;
	}
}
