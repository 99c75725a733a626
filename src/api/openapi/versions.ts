/** Version of the invoicing contract, and of the identity-validation area inside it. */
export const INVOICING_VERSION = "0.1.0-dev";
export const IDENTITY_VERSION = "1.1.1";
