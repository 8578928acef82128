/**
 * Whether two values are equal; a missing value contradicts nothing. `canonical` normalises values
 * with several notations.
 */
export function agree(
  theirs: string | null | undefined,
  ours: string | undefined,
  canonical: (value: string) => string | undefined = (value) => value.toLowerCase(),
): boolean {
  return theirs == null || ours === undefined || canonical(theirs) === canonical(ours);
}
