/** A plain address at a host with a domain: the mail server's own users are nobody that a company writes to. */
export const MAILABLE_PATTERN =
	"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\\.)+[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])$";

/** The form of an e-mail address, for schemas: what can be written to, without quoting and comments. */
export const EMAIL_PATTERN = "^[^@\\s<>\"',;]{1,64}@[A-Za-z0-9.-]{1,63}\\.[A-Za-z]{2,}$";
