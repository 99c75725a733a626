/** Runs the jobs of the scenario with the TypeScript library. SDK_MODULE names a built library in place of the sources. */
import { json } from "node:stream/consumers";
import type * as Library from "../../../src/sdk/typescript";

type Job = {
	readonly client: Library.ClientOptions;
	readonly call: string;
	readonly args: readonly unknown[];
	readonly options: Readonly<Record<string, unknown>>;
	readonly take?: number;
	readonly repeat?: number;
};

const path: string = process.env.SDK_MODULE ?? "../../../src/sdk/typescript/index.ts";
const library: typeof Library = await import(path);

/** What is needed of a result that may be a list or a file. */
type Returned = AsyncIterable<unknown> & Partial<Library.FileResult>;
type Resources = Readonly<Record<string, Readonly<Record<string, (...given: unknown[]) => Returned>>>>;

function call({ client, call, args, options }: Job, clock: Library.Clock): () => unknown {
	if (call === "buildInvoice") return () => library.buildInvoice(args[0] as Library.InvoiceInput);
	if (call === "webhooks.verify") {
		const verify = library.Sello.webhooks.verify as (...given: readonly unknown[]) => unknown;
		return () => verify(...args, options);
	}
	const sello = new library.Sello({ ...client, clock }) as unknown as Resources;
	const [resource = "", verb = ""] = call.split(".");
	return () => sello[resource]?.[verb]?.(...args, options);
}

async function show(returned: unknown, take: number | undefined): Promise<unknown> {
	if (take !== undefined) {
		const items: unknown[] = [];
		for await (const item of returned as AsyncIterable<unknown>) {
			items.push(item);
			if (items.length === take) break;
		}
		return items;
	}
	const value = await (returned as Promise<unknown>);
	const { bytes, contentType } = (value ?? {}) as Returned;
	if (typeof bytes !== "function") return value;
	const content = Buffer.from(await bytes.call(value as Library.FileResult));
	return { contentType, size: content.length, head: content.subarray(0, 5).toString("latin1") };
}

function toError(error: unknown): Readonly<Record<string, unknown>> {
	const name = error instanceof library.SelloError ? error.name.replace(/Error$/, "") : "";
	const { message, ...members } = error as Error & Readonly<Record<string, unknown>>;
	return {
		...members,
		class: name === "" || name === "Sello" ? "Other" : name,
		...("detail" in members ? {} : { detail: message }),
	};
}

async function run(job: Job): Promise<unknown> {
	const waits: number[] = [];
	let aheadMs = 0;
	const clock: Library.Clock = {
		now: () => Date.now() + aheadMs,
		sleep: async (ms) => {
			waits.push(ms);
			aheadMs += ms;
		},
	};
	try {
		const make = call(job, clock);
		let value: unknown;
		for (let n = 0; n < (job.repeat ?? 1); n++) value = await show(make(), job.take);
		return { value: value ?? null, waits };
	} catch (error) {
		return { error: toError(error), waits };
	}
}

const { jobs } = (await json(process.stdin)) as { jobs: readonly Job[] };
const results: unknown[] = [];
for (const job of jobs) results.push(await run(job));
process.stdout.write(JSON.stringify(results));
