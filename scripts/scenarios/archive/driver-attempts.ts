/** Attempts through the store's own driver: other bytes under a key, invalid keys, taken names. */
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import type { Attempt, Target } from "./attempts";
import type { Environment } from "./environment";

export function listDriverAttempts({ archive, archiveFolder }: Environment, { objectKey }: Target): Attempt[] {
	const own = () => archive.get(objectKey);
	const write = (key: string, bytes: Uint8Array) => archive.putOnce(key, bytes, { retainUntil: new Date() });
	const forgeries: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
		"one bit": (bytes) => bytes.with(bytes.length >> 1, (bytes[bytes.length >> 1] ?? 0) ^ 1),
		"the last byte gone": (bytes) => bytes.subarray(0, -1),
		"half of it": (bytes) => bytes.subarray(0, bytes.length >> 1),
		nothing: () => new Uint8Array(),
		"twice as long": (bytes) => Buffer.concat([bytes, bytes]),
		"other bytes": (bytes) => new Uint8Array(createHash("sha512").update(bytes).digest()),
	};
	const keys = [
		`./${objectKey}`,
		`../archive/${objectKey}`,
		`${archiveFolder}/${objectKey}`,
		`${dirname(objectKey)}/../${objectKey.split("/").slice(1).join("/")}`,
		`${objectKey}/`,
		`${objectKey}/more`,
		`${objectKey}\0`,
		`/${objectKey}`,
		objectKey.replaceAll("/", "\\"),
		objectKey.replaceAll("/", "//"),
		`.temporary/${objectKey}`,
		dirname(objectKey),
		"",
	];
	const put = (name: string, carry: () => Promise<unknown>): Attempt => ({
		...{ name, way: "driver", aim: "change" },
		carryOut: async () => {
			await carry();
			return "taken";
		},
	});
	return [
		...Object.entries(forgeries).map(([name, forge]) =>
			put(`${name} under a key that is taken`, async () => write(objectKey, forge(await own()))),
		),
		...keys.map((key) => put(`an object under ${JSON.stringify(key)}`, () => write(key, Buffer.from("x")))),
		put("the same bytes again", async () => write(objectKey, await own())),
		put("two writers of other bytes at once", () =>
			Promise.all(["a", "b"].map((text) => write(objectKey, Buffer.from(text)))),
		),
	];
}
