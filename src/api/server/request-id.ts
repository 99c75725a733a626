/** What a caller may send as `X-Request-Id`; anything else is replaced by an id of ours. */
export const clientRequestId = /^[A-Za-z0-9._-]{8,64}$/;
