/** Rows of a download at most; people split a longer one by its dates. */
export const DOWNLOAD_ROWS = 20_000;
