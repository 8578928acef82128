/** The name of a setting in the code: `CLAIM_LIFETIME_SECONDS` is `claimLifetimeSeconds`. */
type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Lowercase<Word>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;

export const camelCase = <Name extends string>(name: Name) =>
  name
    .toLowerCase()
    .replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<Name>;

/** Settings, or columns, under their names in the code. */
export type InCamelCase<Settings> = {
  readonly [Name in keyof Settings as Name extends string
    ? CamelCase<Name>
    : never]: Settings[Name];
};

export const inCamelCase = <Settings extends object>(settings: Settings) =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [camelCase(name), value]),
  ) as InCamelCase<Settings>;
