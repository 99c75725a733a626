/**
 * Calls S3: one object or the bucket, in bounded time, with errors that say which call it was and whether S3 has answered at all.
 */
import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";

export type S3Place = {
	readonly bucket: string;
	/** First segments of every key; empty for the bucket's root. */
	readonly prefix: string;
	/** Absent: Amazon's own for the region. */
	readonly endpoint: string | undefined;
};

/** How the client says that it has found none anywhere. */
export const NO_CREDENTIALS = "CredentialsProviderError";

/** A call that did not succeed. Whoever wrote does not know what came of it, except that nothing was confirmed. */
export class S3CallError extends Error {
	/** Its code may be a socket's, as the database's failures have them: whoever tried is to wait as for a store that is away. */
	readonly isOutside = true;

	constructor(
		readonly call: string,
		/** What S3 calls it, or the socket. */
		readonly code: string,
		/** Absent without an answer. */
		readonly httpStatus: number | undefined,
		cause: unknown,
	) {
		super(`S3 has not done ${call}: ${code}${httpStatus === undefined ? ", no answer" : ` (${httpStatus})`}`, {
			cause,
		});
		this.name = "S3CallError";
	}

	/** True when asking again cannot help until somebody changes a setting. */
	get isRefusal(): boolean {
		const status = this.httpStatus ?? 0;
		if (this.code === NO_CREDENTIALS) return true;
		// What the bucket's region or its address is wrong in is answered with a redirect for good.
		if (status === 301 || status === 308) return true;
		return status >= 400 && status < 500 && status !== 408 && status !== 429;
	}
}

export type S3Calls = {
	readonly client: S3Client;
	readonly pageMax: number;
	readonly openTimeoutMs: number;
	/** Runs a call by name. Throws S3CallError. */
	readonly run: <T>(call: string, send: (options: { readonly abortSignal: AbortSignal }) => Promise<T>) => Promise<T>;
};

export type S3Limits = {
	readonly attemptsMax: number;
	readonly connectTimeoutMs: number;
	/** For one attempt. */
	readonly answerTimeoutMs: number;
	/** For a call with all its attempts. */
	readonly callTimeoutMs: number;
	/** For the first look at the bucket, which a start waits for. */
	readonly openTimeoutMs: number;
	readonly socketsMax: number;
	/** Versions of one page of a list; S3 gives a thousand at most. */
	readonly pageMax: number;
};

const LIMITS: S3Limits = {
	attemptsMax: 3,
	connectTimeoutMs: 3_000,
	answerTimeoutMs: 8_000,
	callTimeoutMs: 20_000,
	openTimeoutMs: 3_000,
	socketsMax: 128,
	pageMax: 1_000,
};

/** Credentials and region are found as every client of AWS finds them: variables, shared files, the machine's role. */
export function openS3Calls(place: S3Place, limits: Partial<S3Limits> = {}): S3Calls {
	const { attemptsMax, connectTimeoutMs, answerTimeoutMs, callTimeoutMs, openTimeoutMs, socketsMax, pageMax } = {
		...LIMITS,
		...limits,
	};
	const config: S3ClientConfig = {
		maxAttempts: attemptsMax,
		requestHandler: {
			connectionTimeout: connectTimeoutMs,
			requestTimeout: answerTimeoutMs,
			throwOnRequestTimeout: true,
			httpAgent: { maxSockets: socketsMax },
			httpsAgent: { maxSockets: socketsMax },
		},
		// Stores that are not Amazon's know no other checksums than the one that is sent with an object.
		requestChecksumCalculation: "WHEN_REQUIRED",
		responseChecksumValidation: "WHEN_REQUIRED",
	};
	// Another store takes any region, and a bucket's name as part of its host only where names are made for it.
	const elsewhere: S3ClientConfig =
		place.endpoint === undefined
			? {}
			: { endpoint: place.endpoint, forcePathStyle: true, region: process.env.AWS_REGION ?? "us-east-1" };
	return {
		client: new S3Client({ ...config, ...elsewhere }),
		pageMax,
		openTimeoutMs,
		async run(call, send) {
			try {
				return await send({ abortSignal: AbortSignal.timeout(callTimeoutMs) });
			} catch (error) {
				throw new S3CallError(call, nameOf(error), statusOf(error), error);
			}
		},
	};
}

/** S3's or the socket's code; an answer that is not S3's has none. */
function nameOf(error: unknown): string {
	const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
	const names = [code, name].filter((one): one is string => typeof one === "string" && one !== "");
	return names.find((one) => one !== "Error") ?? "an answer that is not S3's";
}

function statusOf(error: unknown): number | undefined {
	const metadata = (error as { $metadata?: { httpStatusCode?: unknown } } | null)?.$metadata;
	return typeof metadata?.httpStatusCode === "number" ? metadata.httpStatusCode : undefined;
}
