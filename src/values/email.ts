/** The form of an e-mail address, for schemas: what can be written to, without quoting and comments. */
export const EMAIL_PATTERN = "^[^@\\s<>\"',;]{1,64}@[A-Za-z0-9.-]{1,63}\\.[A-Za-z]{2,}$";
