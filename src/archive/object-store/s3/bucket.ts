import { GetBucketVersioningCommand, GetObjectLockConfigurationCommand } from "@aws-sdk/client-s3";
import { memoize, withTimeout } from "../../../platform/concurrency";
import type { Log } from "../../../platform/telemetry";
import { UnsafeBucketError } from "../archive";
import { NO_CREDENTIALS, S3CallError, type S3Calls } from "./calls";

/**
 * Returns a function to await before every write. It checks once whether the bucket has Object Lock and versions. If S3 answers now that it has
 * not, or refuses, this throws UnsafeBucketError.
 * Gap: if S3 does not answer, the archive opens and checks before its first write. Invoices are accepted in the meantime, and wait. A start does
 * not wait for as long as a call may take, since the whole service, and a signal that ends it, would wait too.
 */
export async function createBucketCheck(
	calls: S3Calls,
	bucket: string,
	log?: Pick<Log, "warn">,
): Promise<() => Promise<void>> {
	const check = memoize(() => checkBucket(calls, bucket));
	await calls.client.config.region().catch((error) => {
		throw new UnsafeBucketError(bucket, "no region is known; set AWS_REGION", error);
	});
	const first = check();
	try {
		await inTime(first, calls.openTimeoutMs);
	} catch (error) {
		if (!(error instanceof S3CallError)) throw error;
		if (error.isRefusal) throw new UnsafeBucketError(bucket, describeRefusal(error), error);
		log?.warn(
			{ event: "archive.bucket_unavailable", err: error },
			"the archive's bucket does not answer; nothing is archived until it confirms Object Lock",
		);
		// A refusal that comes too late to stop the start.
		first.catch((late: unknown) => {
			const isRefused = late instanceof S3CallError && late.isRefusal;
			if (isRefused || late instanceof UnsafeBucketError)
				log?.warn(
					{ event: "archive.bucket_refused", err: late },
					"the archive's bucket is unsafe; nothing can be archived",
				);
		});
	}
	return check;
}

/** Stops waiting after a time; the call itself continues. */
function inTime(answer: Promise<void>, timeoutMs: number): Promise<void> {
	return withTimeout(answer, timeoutMs, () => {
		throw new S3CallError("GetObjectLockConfiguration", `silence for ${timeoutMs} ms`, undefined, undefined);
	});
}

async function checkBucket({ client, run }: S3Calls, bucket: string): Promise<void> {
	const Bucket = bucket;
	const [lock, versioning] = await Promise.all([
		run("GetObjectLockConfiguration", (options) =>
			client.send(new GetObjectLockConfigurationCommand({ Bucket }), options),
		).catch((error) => {
			if (error instanceof S3CallError && error.code === "ObjectLockConfigurationNotFoundError") return undefined;
			throw error;
		}),
		run("GetBucketVersioning", (options) => client.send(new GetBucketVersioningCommand({ Bucket }), options)),
	]);
	if (lock?.ObjectLockConfiguration?.ObjectLockEnabled !== "Enabled") {
		throw new UnsafeBucketError(
			bucket,
			"it has no Object Lock; make a bucket with Object Lock enabled, versions come with it",
		);
	}
	if (versioning.Status !== "Enabled") throw new UnsafeBucketError(bucket, "versioning is not enabled; enable it");
}

function describeRefusal({ code, httpStatus, call }: S3CallError): string {
	if (code === "NoSuchBucket") return "there is no such bucket; make one with Object Lock enabled";
	if (code === NO_CREDENTIALS) return "no credentials were found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
	return `S3 answered ${call} with ${code} (${httpStatus}); check the credentials, their region and what they may do`;
}
