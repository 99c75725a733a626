/** The minimum of a delivery: one thread that posts signed bodies over kept connections and reads the answers. */
import { Agent, request } from "node:http";
import { answerQuestions } from "./answer";

export type BarePost = {
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
};

export type BarePosts = { readonly posts: readonly BarePost[]; readonly inFlight: number };
export type BarePosted = { readonly perSecond: number; readonly cpuMicros: number };

const agent = new Agent({ keepAlive: true, maxFreeSockets: 256 });

answerQuestions<BarePosts, BarePosted>(async ({ posts, inFlight }) => {
	const cpuBefore = process.cpuUsage();
	const startedAt = performance.now();
	let next = 0;
	const work = async () => {
		for (;;) {
			const one = posts[next++];
			if (!one) return;
			await post(one);
		}
	};
	await Promise.all(Array.from({ length: inFlight }, work));
	const { user, system } = process.cpuUsage(cpuBefore);
	return {
		perSecond: (posts.length * 1_000) / (performance.now() - startedAt),
		cpuMicros: (user + system) / posts.length,
	};
});

/** Resolves on the answer, or when none can come. */
function post({ url, headers, body }: BarePost): Promise<void> {
	return new Promise((done) => {
		const call = request(url, { method: "POST", agent, headers }, (response) => {
			response.on("end", done);
			response.resume();
		});
		call.on("error", () => done());
		call.end(body);
	});
}
