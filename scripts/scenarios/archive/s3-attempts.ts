/**
 * Attempts on one locked version through S3 itself, with the service's own credentials and all rights of the bucket's owner: overwrite,
 * remove,
 * shorten or loosen its lock, take the bucket's protection away.
 */
import {
	CopyObjectCommand,
	DeleteBucketCommand,
	DeleteObjectCommand,
	DeleteObjectsCommand,
	PutBucketLifecycleConfigurationCommand,
	PutBucketVersioningCommand,
	PutObjectCommand,
	PutObjectLegalHoldCommand,
	PutObjectLockConfigurationCommand,
	PutObjectRetentionCommand,
	type S3Client,
} from "@aws-sdk/client-s3";

export type S3Attempt = {
	readonly name: string;
	/** What it tries: to change or remove the version, or to shorten its retention. */
	readonly aim: "change" | "retention";
	/** Returns S3's answer. Throws if S3 refuses. */
	readonly carryOut: () => Promise<string>;
};

export type LockedVersion = {
	readonly bucket: string;
	/** The key in the bucket, with the archive's prefix. */
	readonly path: string;
	readonly versionId: string;
	readonly retainUntil: Date;
};

const MINUTE_MS = 60_000;

export function listS3Attempts(client: S3Client, { bucket, path, versionId, retainUntil }: LockedVersion): S3Attempt[] {
	const object = { Bucket: bucket, Key: path };
	const version = { ...object, VersionId: versionId };
	const other = Buffer.from("other bytes");
	const soon = new Date(Date.now() + MINUTE_MS);
	const earlier = new Date(retainUntil.getTime() - MINUTE_MS);
	const change = (name: string, send: () => Promise<unknown>) => attempt("change", name, send);
	const retention = (name: string, send: () => Promise<unknown>) => attempt("retention", name, send);
	const retain = (Mode: "COMPLIANCE" | "GOVERNANCE", RetainUntilDate: Date, BypassGovernanceRetention: boolean) => () =>
		client.send(
			new PutObjectRetentionCommand({ ...version, BypassGovernanceRetention, Retention: { Mode, RetainUntilDate } }),
		);
	return [
		change("other bytes under the key", () => client.send(new PutObjectCommand({ ...object, Body: other }))),
		change("one byte under the key", () => client.send(new PutObjectCommand({ ...object, Body: "x" }))),
		change("another object copied over the key", async () => {
			const Key = `${path}.other`;
			await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: other }));
			return client.send(new CopyObjectCommand({ ...object, CopySource: `${bucket}/${Key}` }));
		}),
		change("the version copied over itself without a lock", () =>
			client.send(
				new CopyObjectCommand({
					...object,
					CopySource: `${bucket}/${path}?versionId=${encodeURIComponent(versionId)}`,
					MetadataDirective: "REPLACE",
				}),
			),
		),
		change("the key deleted", () => client.send(new DeleteObjectCommand(object))),
		change("the version deleted", () => client.send(new DeleteObjectCommand(version))),
		change("the version deleted past governance", () =>
			client.send(new DeleteObjectCommand({ ...version, BypassGovernanceRetention: true })),
		),
		change("the version deleted among others", () =>
			client.send(
				new DeleteObjectsCommand({
					Bucket: bucket,
					BypassGovernanceRetention: true,
					Delete: { Objects: [{ Key: path, VersionId: versionId }] },
				}),
			),
		),
		change("versions expired by the bucket's lifecycle", () =>
			client.send(
				new PutBucketLifecycleConfigurationCommand({
					Bucket: bucket,
					LifecycleConfiguration: {
						Rules: [
							{
								ID: "gone",
								Status: "Enabled",
								Filter: { Prefix: "" },
								Expiration: { Days: 1 },
								NoncurrentVersionExpiration: { NoncurrentDays: 1 },
							},
						],
					},
				}),
			),
		),
		change("versioning suspended", () =>
			client.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status: "Suspended" } })),
		),
		change("the bucket deleted", () => client.send(new DeleteBucketCommand({ Bucket: bucket }))),
		retention("the date brought forward by a minute", retain("COMPLIANCE", earlier, false)),
		retention("the date brought forward to a minute from now", retain("COMPLIANCE", soon, false)),
		retention("the date brought forward past governance", retain("COMPLIANCE", soon, true)),
		retention("governance in place of compliance", retain("GOVERNANCE", retainUntil, false)),
		retention("governance in place of compliance, past governance", retain("GOVERNANCE", soon, true)),
		retention("no retention at all", () =>
			client.send(new PutObjectRetentionCommand({ ...version, BypassGovernanceRetention: true, Retention: {} })),
		),
		retention("a legal hold put on and taken off", async () => {
			await client.send(new PutObjectLegalHoldCommand({ ...version, LegalHold: { Status: "ON" } }));
			return client.send(new PutObjectLegalHoldCommand({ ...version, LegalHold: { Status: "OFF" } }));
		}),
		retention("a rule of one day for the whole bucket", () =>
			client.send(
				new PutObjectLockConfigurationCommand({
					Bucket: bucket,
					ObjectLockConfiguration: {
						ObjectLockEnabled: "Enabled",
						Rule: { DefaultRetention: { Mode: "GOVERNANCE", Days: 1 } },
					},
				}),
			),
		),
	];
}

function attempt(aim: S3Attempt["aim"], name: string, send: () => Promise<unknown>): S3Attempt {
	return {
		name,
		aim,
		async carryOut() {
			await send();
			return "taken";
		},
	};
}
