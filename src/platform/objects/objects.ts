/** Files that several hosts share, by name: in a folder, or in a bucket. */
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newId } from "../values";
import { readObjectsAddress } from "./settings";

export type Objects = {
	/** Copies a file to the store, where it appears complete. */
	readonly put: (name: string, path: string) => Promise<void>;
	readonly putContent: (name: string, content: string | Uint8Array) => Promise<void>;
	/** Copies an object to a file; false if there is none. */
	readonly get: (name: string, path: string) => Promise<boolean>;
	/** Undefined if there is none. */
	readonly getBytes: (name: string) => Promise<Uint8Array | undefined>;
	readonly getText: (name: string) => Promise<string | undefined>;
	readonly list: () => Promise<string[]>;
	readonly remove: (name: string) => Promise<void>;
};

/** `name` is a folder or an address, see `readObjectsAddress`. S3's credentials and region are those of the environment. */
export function openObjects(name: string): Objects {
	const address = readObjectsAddress(name);
	return address.kind === "folder" ? openFolder(address.path) : openBucket(address);
}

const TEMPORARY = ".tmp";

function openFolder(path: string): Objects {
	const write = async (name: string, content: Blob | string | Uint8Array): Promise<void> => {
		await mkdir(path, { recursive: true, mode: 0o700 });
		const temporary = join(path, `${newId()}${TEMPORARY}`);
		try {
			if (content instanceof Blob) await Bun.write(temporary, content, { mode: 0o600 });
			else await writeFile(temporary, content, { mode: 0o600 });
			await rename(temporary, join(path, name));
		} finally {
			await rm(temporary, { force: true });
		}
	};
	return {
		put: (name, from) => write(name, Bun.file(from)),
		putContent: write,
		get: async (name, to) => {
			const file = Bun.file(join(path, name));
			if (!(await file.exists())) return false;
			await Bun.write(to, file, { mode: 0o600 });
			return true;
		},
		getBytes: (name) => readFile(join(path, name)).catch(ignoreMissing),
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
}): Objects {
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
		putContent: async (name, content) => void (await client.write(keyOf(name), content)),
		get: async (name, to) => {
			const copied = await Bun.write(to, client.file(keyOf(name)), { mode: 0o600 }).catch(ignoreMissing);
			return copied !== undefined;
		},
		getBytes: (name) => client.file(keyOf(name)).bytes().catch(ignoreMissing),
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
