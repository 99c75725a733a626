/** Files for download: the whole registry, deltas and the till's file. */
export { DOWNLOAD_KINDS, type DownloadFile, type DownloadSet, type OpenSet } from "./download-set";
export { deleteGrant, findGrant, putGrant } from "./grants-store";
export type { MakeDownloadsJob } from "./make-files";
export { type Downloads, makeDownloads, openDownloads } from "./open-downloads";
