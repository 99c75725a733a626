/**
 * What a verification asks of public-key arithmetic. The examination puts its questions and goes on with the answers, so one examination serves a
 * server, whose engine answers at once, and a browser, whose engine lets one wait.
 */
export type Question =
	/** Has this key (SubjectPublicKeyInfo, DER) made the signature, by RSASSA-PKCS1-v1_5 with SHA-256? */
	| {
			readonly kind: "signed";
			readonly publicKey: Uint8Array;
			readonly signed: Uint8Array;
			readonly signature: Uint8Array;
	  }
	/** Has this key signed the certificate (DER), by the algorithm that the certificate names? */
	| { readonly kind: "issued"; readonly publicKey: Uint8Array; readonly certificate: Uint8Array };

/** Work that ends with a result and has questions on its way. */
export type Examination<Result> = Generator<Question, Result, boolean>;
