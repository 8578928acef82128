import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { type StaticAsset, staticAsset } from './static-assets.ts';

/** The place of an import at the beginning of a line; comments do not begin so. */
const IMPORT = /^((?:import|export)\b[^'"`;]*?\bfrom\s*)['"]([^'"]+)['"]/gm;

/**
 * Reads a module for browsers with all modules that it imports, from packages as well: each import
 * names the path of its asset, so that pages need neither a bundler nor an inline import map. The
 * module itself comes first.
 */
export function readModules(entry: string, basePath: string): [StaticAsset, ...StaticAsset[]] {
  const read = new Map<string, StaticAsset>();
  const readOne = (file: string): StaticAsset => {
    const known = read.get(file);
    if (known) return known;
    const { resolve } = createRequire(file);
    const text = readFileSync(file, 'utf8').replaceAll(
      IMPORT,
      (_, before: string, name: string) => `${before}'${readOne(resolve(name)).path}'`,
    );
    const asset = staticAsset(basename(file), Buffer.from(text), basePath);
    read.set(file, asset);
    return asset;
  };
  return [readOne(entry), ...read.values()];
}
