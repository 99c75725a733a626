/** Measures one engine's sides of `sign`: a service process has one engine, and code that uses two is slower. */
import { bunEngine, openEngine } from "../src/ecf/signing";
import { answerQuestions } from "./answer";
import { type Measured, measureInTurn, type Rounds, type Side } from "./measure";
import { openOurs, openRaw, openXadesjs } from "./sign-sides";

export type SignQuestion = {
	/** `bun`: the runtime's engine, with xadesjs. `auto`: OpenSSL's if available, with the runtime's bare operation. */
	readonly engine: "bun" | "auto";
	/** Base64. */
	readonly certificateDer: string;
	readonly pkcs8Der: string;
	readonly rounds: Rounds;
};

export type SignAnswer = {
	readonly engine: string;
	/** By side: `xadesjs`, `<engine> raw`, `<engine> signature`, `<engine> whole`. */
	readonly measured: Readonly<Record<string, Measured>>;
	/** One signature of each document and path, in base64. */
	readonly samples: readonly string[];
};

answerQuestions<SignQuestion, SignAnswer>(async ({ engine: choice, rounds, ...base64 }) => {
	const made = { certificateDer: fromBase64(base64.certificateDer), pkcs8Der: fromBase64(base64.pkcs8Der) };
	const { engine } = openEngine(choice);
	const isBun = engine === bunEngine;
	const { signature, whole } = openOurs(engine, made);
	const theirs = isBun ? await openXadesjs(made) : undefined;
	const sides: Record<string, Side> = {
		...(theirs ? { xadesjs: theirs.next } : {}),
		[`${bunEngine.name} raw`]: openRaw(bunEngine, made),
		...(isBun ? {} : { [`${engine.name} raw`]: openRaw(engine, made) }),
		[`${engine.name} signature`]: signature.next,
		[`${engine.name} whole`]: whole.next,
	};
	const measured = await measureInTurn(sides, rounds, () => {
		for (const side of [signature, whole]) side.prove();
	});
	const samples = [...signature.all, ...whole.all, ...(theirs ? [theirs.last()] : [])];
	return { engine: engine.name, measured, samples: samples.map((one) => Buffer.from(one).toString("base64")) };
});

function fromBase64(text: string): Uint8Array {
	return Uint8Array.from(Buffer.from(text, "base64"));
}
