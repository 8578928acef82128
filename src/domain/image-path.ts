const SEGMENT = /^[\p{L}\p{N}_~-][\p{L}\p{N} ._~-]*$/u;

/** Whether the segments form a relative path of an image: none is empty, hidden or "..". */
export const isImagePath = (segments: readonly string[]): boolean =>
  segments.length > 0 && segments.every((segment) => SEGMENT.test(segment));
