import type { Database } from "bun:sqlite";

export type SeenCertificate = {
	/** SHA-256 of the DER bytes, lower-case hex. */
	readonly thumbprint: string;
	readonly der: Uint8Array;
	readonly subject: string;
};

/** Absence of a member means every certificate or every issuer. */
export type Delegation = { readonly thumbprint?: string; readonly rnc?: string; readonly delegated: boolean };

/** The certificates that signed something here, and whom they may sign for. */
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

		/** The most particular word wins: certificate and issuer, certificate, issuer; without any, it is delegated. */
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
