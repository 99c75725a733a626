/** Where a fleet's files of the registry are: a folder that all hosts share, or a bucket. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deriveKey } from "../../platform/secrets";
import { newId } from "../../platform/values";
import { readStoreAddress } from "../settings";

export type StoreObjects = {
	/** Copies a file to the store, where it appears complete. */
	readonly put: (name: string, path: string) => Promise<void>;
	readonly putText: (name: string, text: string) => Promise<void>;
	/** Copies an object to a file; false if there is none. */
	readonly get: (name: string, path: string) => Promise<boolean>;
	readonly getText: (name: string) => Promise<string | undefined>;
	readonly list: () => Promise<string[]>;
	readonly remove: (name: string) => Promise<void>;
};

/** `name` is a folder or an address, see `readStoreAddress`. S3's credentials and region are those of the environment. */
export function openStoreObjects(name: string): StoreObjects {
	const address = readStoreAddress(name);
	return address.kind === "folder" ? openFolder(address.path) : openBucket(address);
}

const TEMPORARY = ".tmp";

function openFolder(path: string): StoreObjects {
	const write = async (name: string, content: Blob | string): Promise<void> => {
		await mkdir(path, { recursive: true, mode: 0o700 });
		const temporary = join(path, `${newId()}${TEMPORARY}`);
		try {
			if (typeof content === "string") await writeFile(temporary, content, { mode: 0o600 });
			else await Bun.write(temporary, content, { mode: 0o600 });
			await rename(temporary, join(path, name));
		} finally {
			await rm(temporary, { force: true });
		}
	};
	return {
		put: (name, from) => write(name, Bun.file(from)),
		putText: write,
		get: async (name, to) => {
			const file = Bun.file(join(path, name));
			if (!(await file.exists())) return false;
			await Bun.write(to, file, { mode: 0o600 });
			return true;
		},
		getText: (name) => readFile(join(path, name), "utf8").catch(ignoreMissing),
		list: () => readdir(path).catch(async (error) => (await ignoreMissing(error)) ?? []),
		remove: (name) => rm(join(path, name), { force: true }),
	};
}

function openBucket({
	bucket,
	prefix,
	endpoint,
}: {
	readonly bucket: string;
	readonly prefix: string;
	readonly endpoint: string | undefined;
}): StoreObjects {
	// Gap: keys from the environment alone. The client of the archive also knows roles, but takes too much memory for this.
	const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION } = process.env;
	const client = new Bun.S3Client({
		bucket,
		...(endpoint === undefined ? {} : { endpoint }),
		...(AWS_ACCESS_KEY_ID === undefined ? {} : { accessKeyId: AWS_ACCESS_KEY_ID }),
		...(AWS_SECRET_ACCESS_KEY === undefined ? {} : { secretAccessKey: AWS_SECRET_ACCESS_KEY }),
		...(AWS_SESSION_TOKEN === undefined ? {} : { sessionToken: AWS_SESSION_TOKEN }),
		...(AWS_REGION === undefined ? {} : { region: AWS_REGION }),
	});
	const keyOf = (name: string) => `${prefix}${name}`;
	return {
		put: async (name, from) => void (await client.write(keyOf(name), Bun.file(from))),
		putText: async (name, text) => void (await client.write(keyOf(name), text)),
		get: async (name, to) => {
			const copied = await Bun.write(to, client.file(keyOf(name)), { mode: 0o600 }).catch(ignoreMissing);
			return copied !== undefined;
		},
		getText: (name) => client.file(keyOf(name)).text().catch(ignoreMissing),
		// Few objects exist at a time, so one page has all.
		list: async () => {
			const { contents = [] } = await client.list({ prefix });
			return contents.map(({ key }) => key.slice(prefix.length));
		},
		remove: (name) => client.delete(keyOf(name)),
	};
}

async function ignoreMissing(error: unknown): Promise<undefined> {
	const code = error instanceof Error && "code" in error ? error.code : undefined;
	if (code !== "ENOENT" && code !== "NoSuchKey") throw error;
}

type Signature = {
	/** An object's text: the payload and its signature. */
	readonly sign: (payload: string) => string;
	/** The payload of an object's text; undefined unless this deployment has signed it. */
	readonly open: (text: string) => string | undefined;
};

/** The key derives from the pepper, which only this deployment has. */
export function createSignature(pepper: Uint8Array): Signature {
	const key = deriveKey(pepper, "registry-store");
	const signatureOf = (payload: string) => createHmac("sha256", key).update(payload).digest();
	return {
		sign: (payload) => JSON.stringify({ payload, signature: signatureOf(payload).toString("hex") }),
		open: (text) => {
			try {
				const { payload, signature } = JSON.parse(text) as { readonly payload: string; readonly signature: string };
				const given = Buffer.from(signature, "hex");
				const wanted = signatureOf(payload);
				return given.length === wanted.length && timingSafeEqual(given, wanted) ? payload : undefined;
			} catch {
				return undefined;
			}
		},
	};
}
