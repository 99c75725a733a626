/** What methods return besides JSON: pages of a list, and files. */

/** Larger files are passed on as they arrive, and are not repeated when they break. */
const BUFFERED_BYTES_MAX = 8 * 1024 * 1024;

/** A page, and with `for await` every item of it and of those that follow. Nothing is requested before one of both. */
export class PageResult<Page, Item> implements PromiseLike<Page>, AsyncIterable<Item> {
	readonly #read: (after: string | undefined) => Promise<Page>;
	readonly #items: string;
	#first: Promise<Page> | undefined;

	constructor(read: (after: string | undefined) => Promise<Page>, items: string) {
		this.#read = read;
		this.#items = items;
	}

	// biome-ignore lint/suspicious/noThenProperty: awaiting the list gives its page.
	then<A = Page, B = never>(
		done?: ((page: Page) => A | PromiseLike<A>) | null,
		failed?: ((error: unknown) => B | PromiseLike<B>) | null,
	): Promise<A | B> {
		this.#first ??= this.#read(undefined);
		return this.#first.then(done, failed);
	}

	catch<B>(failed: (error: unknown) => B | PromiseLike<B>): Promise<Page | B> {
		return this.then(undefined, failed);
	}

	finally(ended: () => void): Promise<Page> {
		return this.then().finally(ended);
	}

	async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
		for (let page = await this.then(); ; ) {
			const { next, partial, [this.#items]: items } = page as Record<string, unknown>;
			yield* items as Item[];
			if (typeof next !== "string" || partial !== true) return;
			page = await this.#read(next);
		}
	}
}

/** The bytes of an answer. */
export class FileResult {
	readonly contentType: string;
	readonly headers: Headers;
	readonly #content: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

	private constructor(answer: Response, content: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>) {
		this.contentType = answer.headers.get("content-type") ?? "";
		this.headers = answer.headers;
		this.#content = content;
	}

	static async read(answer: Response): Promise<FileResult> {
		const length = answer.headers.get("content-length");
		const isLarge = length !== null && Number(length) > BUFFERED_BYTES_MAX && answer.body !== null;
		return new FileResult(answer, isLarge ? answer.body : new Uint8Array(await answer.arrayBuffer()));
	}

	/** A file of more than 8 MiB can be read once. */
	async bytes(): Promise<Uint8Array<ArrayBuffer>> {
		if (this.#content instanceof Uint8Array) return this.#content;
		return new Uint8Array(await new Response(this.#content).arrayBuffer());
	}

	async text(): Promise<string> {
		return new TextDecoder().decode(await this.bytes());
	}

	stream(): ReadableStream<Uint8Array> {
		const content = this.#content;
		return content instanceof Uint8Array ? new Blob([content]).stream() : content;
	}

	/** Writes the file to a path. Not in browsers. */
	async save(path: string): Promise<void> {
		// Not a literal, so that bundlers for browsers leave it alone.
		const module: string = "node:fs/promises";
		const { writeFile } = (await import(module)) as { writeFile: (path: string, content: unknown) => Promise<void> };
		await writeFile(path, this.#content);
	}
}
