/**
 * Calls S3 in bounded time, with errors that name the call and say whether S3 answered.
 */
import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";

export type S3Place = {
	readonly bucket: string;
	/** First segments of every key; empty for the bucket's root. */
	readonly prefix: string;
	/** Absent: Amazon's endpoint of the region. */
	readonly endpoint: string | undefined;
};

/** The client's error code if it found no credentials. */
export const NO_CREDENTIALS = "CredentialsProviderError";

/** A call that did not succeed. After a write, only this is certain: nothing was confirmed. */
export class S3CallError extends Error {
	/** The code may be a socket's, as in failures of the database. The caller waits as for an unavailable store. */
	readonly isOutside = true;

	constructor(
		readonly call: string,
		/** The code of S3 or of the socket. */
		readonly code: string,
		/** Absent if there was no answer. */
		readonly httpStatus: number | undefined,
		cause: unknown,
	) {
		super(`S3 has not done ${call}: ${code}${httpStatus === undefined ? ", no answer" : ` (${httpStatus})`}`, {
			cause,
		});
		this.name = "S3CallError";
	}

	/** True if a repeat cannot help until a setting changes. */
	get isRefusal(): boolean {
		const status = this.httpStatus ?? 0;
		if (this.code === NO_CREDENTIALS) return true;
		// S3 answers a wrong region or address with a permanent redirect.
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
	/** For the first check of the bucket, which a start waits for. */
	readonly openTimeoutMs: number;
	readonly socketsMax: number;
	/** Versions per page of a list; S3 allows at most a thousand. */
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

/** Finds credentials and region as every AWS client does: in variables, shared files, or the machine's role. */
export function createS3Calls(place: S3Place, limits: Partial<S3Limits> = {}): S3Calls {
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
		// Other stores than Amazon's support only the checksum that is sent with an object.
		requestChecksumCalculation: "WHEN_REQUIRED",
		responseChecksumValidation: "WHEN_REQUIRED",
	};
	// Another store accepts any region, and rarely supports the bucket's name as part of its host.
	const otherStore: S3ClientConfig =
		place.endpoint === undefined
			? {}
			: { endpoint: place.endpoint, forcePathStyle: true, region: process.env.AWS_REGION ?? "us-east-1" };
	return {
		client: new S3Client({ ...config, ...otherStore }),
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

/** The code of S3 or of the socket. An answer that is not from S3 has none. */
function nameOf(error: unknown): string {
	const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
	const names = [code, name].filter((one): one is string => typeof one === "string" && one !== "");
	return names.find((one) => one !== "Error") ?? "an answer that is not S3's";
}

function statusOf(error: unknown): number | undefined {
	const metadata = (error as { $metadata?: { httpStatusCode?: unknown } } | null)?.$metadata;
	return typeof metadata?.httpStatusCode === "number" ? metadata.httpStatusCode : undefined;
}
