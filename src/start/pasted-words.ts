const DEFAULT_DATA_DIRECTORY = '.data';

/** A path quoted as one word of a shell. */
export const quoted = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

/** What stands before a command so that it uses a data folder: nothing for the usual one. */
export const folderWords = (dataDirectory: string): readonly string[] =>
  dataDirectory === DEFAULT_DATA_DIRECTORY ? [] : [`DATA_DIR=${quoted(dataDirectory)}`];
