/** Most bytes of a PKCS#12 container. Stands by itself: who only reads an upload needs nothing of what opens it. */
export const PKCS12_BYTES_MAX = 64 * 1024;
