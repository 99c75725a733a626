/** The process that generates load; `load.ts` explains closed and open loops. */
import { answerQuestions } from "./answer";
import { type Answer, type Connection, openConnection } from "./http-connection";
import type { LoadPlan, LoadQuestion, LoadResult, RequestTemplate } from "./load";

/** Time limit for answers after the end of a run. */
const ANSWERS_TIMEOUT_MS = 120_000;
const NUMBER_DIGITS = 10;
const UUID_LENGTH = 36;
const UUID_MARK = "{{uuid}}";
const NUMBER_MARK = "{{number}}";

/** The bytes are reused by the next call of the same template. */
type Render = (number: number) => Uint8Array;

/** Records of a run's requests, in order. */
type Notes = {
	readonly startedAt: number[];
	readonly delaysMs: number[];
	readonly refused: Record<number, number>;
	refusedWithoutRetryAfter: number;
};

answerQuestions<LoadQuestion, LoadResult>(async (question) => {
	const { plan } = question;
	const renders = plan.requests.map((template) => prepare(template, new URL(plan.url).host));
	const render = (index: number) => {
		const renderOne = renders[index % renders.length];
		if (!renderOne) throw new Error("a load needs a request");
		return renderOne((plan.firstNumber ?? 1) + index);
	};
	const run = createRun(plan);
	const connections = await Promise.all(
		Array.from({ length: plan.connections }, () => openConnection(new URL(plan.url), run.fail)),
	);
	const cpuBefore = process.cpuUsage();
	const startedAt = performance.now();
	try {
		const made = question.kind === "closed" ? closedLoop(question, connections) : openLoop(question, connections);
		const seconds = await run.within(made(render, run));
		const { user, system } = process.cpuUsage(cpuBefore);
		const busy = (user + system) / 1_000 / (performance.now() - startedAt);
		const tookSeconds = (performance.now() - startedAt) / 1_000;
		return { ...summarise(run.notes, seconds, busy), tookSeconds };
	} finally {
		for (const connection of connections) connection.close();
	}
});

type Run = {
	readonly notes: Notes;
	readonly fail: (error: Error) => void;
	/** Records the delay of an expected answer or counts a refusal; false for any other answer, which ends the run. */
	readonly check: (answer: Answer, delayMs: () => number | undefined) => boolean;
	readonly within: <T>(work: Promise<T>) => Promise<T>;
};

type Loop = (render: (index: number) => Uint8Array, run: Run) => Promise<number>;

/** Sends from every free connection at once. Returns the measured seconds. */
function closedLoop(question: LoadQuestion & { kind: "closed" }, connections: readonly Connection[]): Loop {
	const { until } = question;
	const requestsMax = "requests" in until ? until.requests : Number.POSITIVE_INFINITY;
	return (render, run) =>
		new Promise((done) => {
			const startedAt = performance.now();
			const deadline = "seconds" in until ? startedAt + until.seconds * 1_000 : Number.POSITIVE_INFINITY;
			let next = 0;
			let open = 0;
			const send = (connection: Connection): void => {
				const sentAt = performance.now();
				if (next >= requestsMax || sentAt >= deadline) {
					if (open === 0) done((Math.min(deadline, sentAt) - startedAt) / 1_000);
					return;
				}
				open++;
				run.notes.startedAt.push(sentAt);
				connection.send(render(next++), (answer) => {
					open--;
					const answeredAt = performance.now();
					// An answer after the end belongs to no measured second.
					if (run.check(answer, () => (answeredAt <= deadline ? answeredAt - sentAt : undefined))) send(connection);
				});
			};
			for (const connection of connections) send(connection);
		});
}

/** Sends due requests from free connections; without one, a request waits and its delay grows. */
function openLoop(question: LoadQuestion & { kind: "open" }, connections: readonly Connection[]): Loop {
	const { ratePerSecond, seconds } = question;
	const total = Math.max(1, Math.floor(ratePerSecond * seconds));
	const gapMs = 1_000 / ratePerSecond;
	return (render, run) =>
		new Promise((done) => {
			const startedAt = performance.now();
			const dueAt = (index: number) => startedAt + index * gapMs;
			const idle = [...connections];
			let sent = 0;
			let answered = 0;
			for (let index = 0; index < total; index++) run.notes.startedAt.push(dueAt(index));
			const sendDue = (): void => {
				while (sent < total && dueAt(sent) <= performance.now()) {
					// In turn: the server closes unused connections.
					const connection = idle.shift();
					if (!connection) return;
					const index = sent++;
					connection.send(render(index), (answer) => {
						if (!run.check(answer, () => performance.now() - dueAt(index))) return;
						idle.push(connection);
						if (++answered === total) done(seconds);
						else sendDue();
					});
				}
			};
			const look = (): void => {
				sendDue();
				if (sent < total) setTimeout(look, Math.max(0, dueAt(sent) - performance.now()));
			};
			look();
		});
}

function createRun(plan: LoadPlan): Run {
	const notes: Notes = { startedAt: [], delaysMs: [], refused: {}, refusedWithoutRetryAfter: 0 };
	let answers = 0;
	let fail = (_error: Error): void => {};
	const failed = new Promise<never>((_, reject) => (fail = reject));
	// A connection may be lost after the run has ended.
	failed.catch(() => undefined);
	return {
		notes,
		fail: (error) => fail(error),
		check(answer, delayMs) {
			answers++;
			const { status } = answer;
			if (status === plan.expectedStatus) {
				const delay = delayMs();
				if (delay !== undefined) notes.delaysMs.push(delay);
				return true;
			}
			if (plan.refusals?.includes(status)) {
				notes.refused[status] = (notes.refused[status] ?? 0) + 1;
				if (!answer.hasHeader("retry-after")) notes.refusedWithoutRetryAfter++;
				return true;
			}
			fail(new Error(`expected status ${plan.expectedStatus}, got ${answer.status}: ${answer.text().slice(0, 500)}`));
			return false;
		},
		async within(work) {
			let timer: ReturnType<typeof setTimeout> | undefined;
			let last = -1;
			const stalled = new Promise<never>((_, reject) => {
				timer = setInterval(() => {
					if (answers === last) reject(new Error(`no answer for ${ANSWERS_TIMEOUT_MS} ms`));
					last = answers;
				}, ANSWERS_TIMEOUT_MS);
			});
			try {
				return await Promise.race([work, failed, stalled]);
			} finally {
				clearInterval(timer);
			}
		},
	};
}

/** Encodes a request once, so that only its placeholders are written each time: encoding it anew would take a sixth of the load's time. */
function prepare(template: RequestTemplate, host: string): Render {
	const { method, path, headers, body = "" } = template;
	const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`);
	if (body !== "") lines.push(`content-length: ${Buffer.byteLength(fillIn(body))}`);
	const text = `${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
	const whole = Buffer.from(fillIn(text));
	const uuidsAt = findPlaces(text, UUID_MARK);
	const numbersAt = findPlaces(text, NUMBER_MARK);
	return (number) => {
		for (const at of uuidsAt) whole.write(crypto.randomUUID(), at, UUID_LENGTH, "latin1");
		for (const at of numbersAt) whole.write(String(number).padStart(NUMBER_DIGITS, "0"), at, NUMBER_DIGITS, "latin1");
		return whole;
	};
}

function fillIn(text: string): string {
	return text.replaceAll(UUID_MARK, "-".repeat(UUID_LENGTH)).replaceAll(NUMBER_MARK, "0".repeat(NUMBER_DIGITS));
}

/** Positions of the placeholders once all are filled in. Units: bytes. */
function findPlaces(text: string, mark: string): number[] {
	const pieces = text.split(mark);
	return pieces.slice(1).map((_, i) => Buffer.byteLength(fillIn(pieces.slice(0, i + 1).join(mark))));
}

function summarise(
	{ startedAt, delaysMs, refused, refusedWithoutRetryAfter }: Notes,
	seconds: number,
	generatorBusy: number,
): Omit<LoadResult, "tookSeconds"> {
	const sorted = Float64Array.from(delaysMs).sort();
	// Nearest rank: the smallest delay that this share of all does not exceed.
	const percentile = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
	return {
		answered: sorted.length,
		perSecond: sorted.length / seconds,
		p50Ms: percentile(0.5),
		p99Ms: percentile(0.99),
		maxMs: percentile(1),
		refused,
		refusedWithoutRetryAfter,
		generatorBusy,
		startedAtMs: Float64Array.from(startedAt, (at) => performance.timeOrigin + at),
	};
}
