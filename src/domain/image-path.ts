const SEGMENT = /^[\p{L}\p{N}_~-][\p{L}\p{N} ._~-]*$/u;

/** Whether the segments are a relative path of an image: none is empty, hidden, or leads upwards. */
export const isImagePath = (segments: readonly string[]): boolean =>
  segments.length > 0 && segments.every((segment) => SEGMENT.test(segment));
