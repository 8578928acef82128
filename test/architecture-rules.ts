import { posix } from 'node:path';

/** What everything that answers requests may import. */
const HTTP = [
  ...['http', 'pages', 'operations', 'repairs', 'database', 'domain', 'crypto', 'workflows'],
  ...['foundation', 'rendering', 'tracing'],
];

/**
 * Who may import whom (docs/architecture.md, "Layers"). A place is found by the first pattern that fits. `of` are
 * the places whose values and types it may import, `typesOf` those of which only types, `packages`
 * the packages and Node.js modules. Everything that is not listed is forbidden.
 */
const PLACES = {
  domain: { path: /^src\/domain\//, of: ['domain'], packages: /^libphonenumber-js\b/ },
  crypto: { path: /^src\/crypto\//, of: ['crypto', 'domain'], packages: /^node:/ },
  database: { path: /^src\/db\//, of: ['database', 'domain', 'tracing'] },
  /** What staff may repair: asked for by people, carried out by activities. */
  repairs: {
    path: /^src\/repairs\//,
    of: ['repairs', 'database', 'domain', 'crypto', 'workflows'],
    typesOf: ['foundation'],
    packages: /^(zod$|node:)/,
  },
  providers: {
    path: /^src\/providers\//,
    of: ['providers', 'domain', 'tracing'],
    typesOf: ['foundation'],
  },
  operations: {
    path: /^src\/operations\//,
    of: ['operations', 'database', 'domain', 'crypto', 'workflows', 'foundation'],
  },
  http: { path: /^src\/(http|openapi|docs-site|partner|merchant|callbacks)\//, of: [...HTTP] },
  /** The two sites know nothing of each other: both stand on the pages beside them. */
  portal: { path: /^src\/pages\/portal\//, of: ['portal', ...HTTP] },
  staff: { path: /^src\/pages\/staff\//, of: ['staff', ...HTTP] },
  /** The pipeline, session, forms and layout of both sites, and the pages of the own account. */
  pages: { path: /^src\/pages\//, of: [...HTTP] },
  workflows: {
    path: /^workflows\//,
    of: ['workflows', 'domain'],
    typesOf: ['activities'],
    packages: /^@temporalio\/(workflow|common)$/,
  },
  activities: {
    path: /^activities\//,
    of: ['activities', 'database', 'domain', 'providers', 'crypto', 'repairs'],
    typesOf: ['workflows', 'foundation'],
  },
  migrations: { path: /^migrations\//, of: [] },
  sandbox: {
    path: /^src\/sandbox(\/|\.ts$)/,
    of: ['sandbox', 'domain', 'foundation', 'rendering'],
  },
  local: { path: /^src\/(local\/|start\.ts$|demo\.ts$)/, of: 'everything' },
  assembly: {
    path: /^src\/((admin|runtime\/worker)\/|\w[\w-]*\.ts$)/,
    of: [
      ...[
        'assembly',
        'portal',
        'staff',
        'pages',
        'http',
        'operations',
        'repairs',
        'database',
        'domain',
        'crypto',
        'providers',
        'foundation',
        'rendering',
        'tracing',
      ],
      ...['workflows', 'activities'],
    ],
  },
  /** A package of its own: integrators have nothing else of this project. */
  client: { path: /^clients\/typescript\/src\//, of: ['client'], packages: /^node:/ },
  /** What people read. It knows nothing of where it is shown. */
  rendering: {
    path: /^src\/rendering\//,
    of: ['rendering', 'domain'],
    packages: /^(csv-parse\b|node:)/,
  },
  /** Traces: nothing is imported but Node.js, so that every place can have them. */
  tracing: { path: /^src\/runtime\/tracing\//, of: ['tracing'], packages: /^node:/ },
  /** What several processes stand on: settings, logging, the connection to Temporal. */
  foundation: {
    path: /^src\/(config|runtime\/(process|metrics|temporal))\//,
    of: ['foundation', 'domain', 'crypto', 'workflows', 'tracing'],
    typesOf: ['activities'],
  },
  outside: { path: /^(test|bench|chaos|docs)\/|^[^/]+$/, of: 'everything' },
} satisfies Record<string, Place>;

interface Place {
  path: RegExp;
  of: 'everything' | string[];
  typesOf?: string[];
  packages?: RegExp;
}

interface Import {
  from: string;
  isTypeOnly: boolean;
}

function placeOf(file: string): (Place & { name: string }) | undefined {
  const found = Object.entries<Place>(PLACES).find(([, place]) => place.path.test(file));
  return found && { name: found[0], ...found[1] };
}

/** The imports of a file. Its own text only: what stands in comments does not begin a statement. */
export function importsOf(text: string): Import[] {
  const statement =
    /^\s*(?:import|export)\s+(type\s+)?(?:[\w*{][^'"`;=()]*?\bfrom\s*)?['"]([^'"]+)['"]/gm;
  const call = /(typeof\s+)?\b(?:import|require)\(\s*['"]([^'"]+)['"]/g;
  return [...text.matchAll(statement), ...code(text).matchAll(call)].map(([, type, from = '']) => ({
    from,
    isTypeOnly: type !== undefined,
  }));
}

/** The text without the lines of comments. */
const code = (text: string) => text.replace(/^\s*(?:\/?\*|\/\/).*$/gm, '');

/** What is wrong with one import, or undefined. */
export function importProblem(file: string, { from, isTypeOnly }: Import): string | undefined {
  const importer = placeOf(file);
  if (!importer) return `${file} belongs to no place of the architecture`;
  if (!from.startsWith('.')) {
    const isAllowed = importer.packages?.test(from) ?? true;
    return isAllowed ? undefined : `${file} (${importer.name}) must not import ${from}`;
  }
  if (importer.of === 'everything') return undefined;
  const target = posix.join(posix.dirname(file), from).replace(/\.js$/, '.ts');
  const place = placeOf(target);
  if (!place) return `${file} imports ${target}, which belongs to no place`;
  if (importer.of.includes(place.name)) return undefined;
  if (isTypeOnly && importer.typesOf?.includes(place.name)) return undefined;
  const what = isTypeOnly
    ? 'types of '
    : importer.typesOf?.includes(place.name)
      ? 'values of '
      : '';
  return `${file} (${importer.name}) must not import ${what}${target} (${place.name})`;
}

export function pathProblem(file: string): string | undefined {
  if (!placeOf(file)) return `${file} belongs to no place of the architecture`;
  const segments = file.replace(/(\.\w+)*\.ts$/, '').split('/');
  const misnamed = segments.find((segment) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(segment));
  if (misnamed) return `${file}: ${misnamed} is not in kebab-case`;
  const folder = segments.slice(0, -1).find((name) => VAGUE_FOLDERS.includes(name));
  return folder && `${file}: a folder called ${folder} says nothing of what is in it`;
}

const VAGUE_FOLDERS = ['services', 'utils', 'helpers', 'common', 'types'];

export function environmentProblem(file: string, text: string): string | undefined {
  if (file === 'src/config/config.ts' || placeOf(file)?.name === 'outside') return undefined;
  const reads = /\bprocess\s*(\.\s*env\b|\[)|\benv\b[^;]*\bfrom 'node:process'/.test(code(text));
  return reads ? `${file} reads process.env; only src/config/config.ts may` : undefined;
}

/**
 * What is wrong with the state of a module of workflows: a worker loads it once for all workflows, so
 * that a variable of the module would belong to all of them.
 */
export function moduleStateProblem(file: string, text: string): string | undefined {
  if (placeOf(file)?.name !== 'workflows') return undefined;
  const keeps =
    /^(?:export )?(?:let|var)\s|^(?:export )?const [^=\n]+= (?:new (?:Weak)?(?:Map|Set)\b|\[\];|\{\};)/m;
  return keeps.test(code(text)) ? `${file} keeps state that all workflows would share` : undefined;
}

/**
 * What is wrong with the SQL of a file: behind PgBouncer the next transaction may get another session
 * (docs/decisions/0019-leave-nothing-in-a-session.md).
 */
export function sessionProblem(file: string, text: string): string | undefined {
  if (placeOf(file)?.name === 'outside') return undefined;
  const leaves =
    /advisory_(?:un)?lock|`\s*(?:set (?!local\b)\w+ (?:=|to)\s|(?:listen|declare|prepare) \w|create temp)/i;
  return leaves.test(code(text))
    ? `${file} leaves something in a session of the database`
    : undefined;
}
