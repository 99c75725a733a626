/** The archives of the client libraries, which npm, pip and Composer install from this service. */
export { ARCHIVE_FOLDERS, type Library, nameArchive, readArchiveName } from "./archives";
export { downloadOperations } from "./operations";
