/** Who may call: certificates whose holders have authenticated, and the seeds that they signed. */
import type { Database } from "bun:sqlite";

export type SeenCertificate = {
	/** SHA-256 of the DER bytes, lower-case hex. */
	readonly thumbprint: string;
	readonly der: Uint8Array;
	readonly subject: string;
};

/** A missing member means every certificate or every issuer. */
export type Delegation = { readonly thumbprint?: string; readonly rnc?: string; readonly delegated: boolean };

/** The certificates that have signed something, and whom they may sign for. */
export type CertificateStore = ReturnType<typeof createCertificateStore>;

export function createCertificateStore(database: Database) {
	return {
		find(thumbprint: string): SeenCertificate | null {
			return database
				.query<SeenCertificate, [string]>("SELECT thumbprint, der, subject FROM certificates WHERE thumbprint = ?")
				.get(thumbprint);
		},

		remember({ thumbprint, der, subject }: SeenCertificate, firstSeenAt: Date): void {
			database
				.query(
					`INSERT OR IGNORE INTO certificates (thumbprint, der, subject, first_seen_at)
					VALUES ($thumbprint, $der, $subject, $firstSeenAt)`,
				)
				.run({ thumbprint, der, subject, firstSeenAt: firstSeenAt.getTime() });
		},

		list(): { thumbprint: string; subject: string; firstSeenAt: number }[] {
			return database
				.query<{ thumbprint: string; subject: string; firstSeenAt: number }, []>(
					"SELECT thumbprint, subject, first_seen_at AS firstSeenAt FROM certificates ORDER BY first_seen_at, thumbprint",
				)
				.all();
		},

		setDelegation(delegation: Delegation): void {
			database
				.query(
					`INSERT INTO delegations (thumbprint, rnc, delegated) VALUES ($thumbprint, $rnc, $delegated)
					ON CONFLICT (thumbprint, rnc) DO UPDATE SET delegated = excluded.delegated`,
				)
				.run({
					thumbprint: delegation.thumbprint ?? "",
					rnc: delegation.rnc ?? "",
					delegated: delegation.delegated ? 1 : 0,
				});
		},

		/** The most specific entry wins: certificate and issuer, certificate, issuer. Without any, the certificate is delegated. */
		isDelegated(thumbprint: string, rnc: string): boolean {
			const row = database
				.query<{ delegated: number }, { thumbprint: string; rnc: string }>(
					`SELECT delegated FROM delegations WHERE thumbprint IN ($thumbprint, '') AND rnc IN ($rnc, '')
					ORDER BY thumbprint <> '' DESC, rnc <> '' DESC LIMIT 1`,
				)
				.get({ thumbprint, rnc });
			return row === null || row.delegated === 1;
		},
	};
}

export type Seed = {
	readonly value: string;
	readonly environment: string;
	/** As printed in the document, `yyyy-MM-ddTHH:mm:ss.fffffff-04:00`. */
	readonly date: string;
	readonly issuedAt: number;
};

export type SeedStore = ReturnType<typeof createSeedStore>;

export function createSeedStore(database: Database) {
	return {
		insert(seed: Seed): void {
			database
				.query(
					"INSERT INTO seeds (value, environment, date, issued_at) VALUES ($value, $environment, $date, $issuedAt)",
				)
				.run(seed);
		},

		/** Marks the seed as used; false if it was not issued here, is too old or was used before. */
		spend(seed: { value: string; environment: string; date: string; now: number; issuedAfter: number }): boolean {
			const { changes } = database
				.query(
					`UPDATE seeds SET used_at = $now WHERE value = $value AND environment = $environment AND date = $date
					AND used_at IS NULL AND issued_at > $issuedAfter`,
				)
				.run(seed);
			return changes === 1;
		},
	};
}
