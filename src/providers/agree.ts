/**
 * Whether two values are one; a value that is not given contradicts nothing. `canonical` gives one
 * form to what may be written in several.
 */
export function agree(
  theirs: string | null | undefined,
  ours: string | undefined,
  canonical: (value: string) => string | undefined = (value) => value.toLowerCase(),
): boolean {
  return theirs == null || ours === undefined || canonical(theirs) === canonical(ours);
}
