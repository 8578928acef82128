import type { Config } from '../config/config.ts';

/** The settings whose names begin with this prefix. */
export type SettingsOf<Prefix extends string> = Pick<
  Config,
  Extract<keyof Config, `${Prefix}_${string}`>
>;
