import { kebab } from '../fields.ts';
import { inWords, type RecordKind } from '../records/record-kind.ts';
import { importLimits } from './import-row.ts';

/** The help of an import: its rules and its columns. */
export function importDetails(kind: RecordKind): { details: string; detailLines: string[] } {
  const identity = kind.identity.map(kebab).join(' and ');
  const names = Object.keys(kind.fields).map(kebab);
  const width = Math.max(...names.map((name) => name.length));
  return {
    details:
      `A row adds a ${inWords(kind.kind)}, or changes the one with the same ${identity}, so an ` +
      'import can be repeated. An empty cell changes nothing. The import is atomic: if a row is ' +
      'invalid, all problems are shown and nothing is changed. ' +
      'CSV is in UTF-8, and its first row names the columns, in any order; JSON is an array of ' +
      `objects with the same names. At most ${importLimits.rows.toLocaleString('en')} rows and ` +
      `${importLimits.bytes / 1024 / 1024} MB.`,
    detailLines: [
      `Columns (* is required to add a ${inWords(kind.kind)}):`,
      ...Object.entries(kind.fields).map(
        ([name, { description, isRequired, whenLeftOut }]) =>
          `  ${isRequired ? '*' : ' '} ${kebab(name).padEnd(width)}  ${description}` +
          (whenLeftOut === undefined ? '' : `; ${whenLeftOut} by default`),
      ),
      '',
      'A file in CSV:',
      ...kind.help.importSample.map((line) => `  ${line}`),
    ],
  };
}

/** The arguments after the program's name. */
export const importExamples = ({ plural }: RecordKind): string[] => [
  `import ${plural} --file ${plural}.csv --dry-run`,
  `import ${plural} --file ${plural}.csv`,
  `import ${plural} --file - --format json < ${plural}.json`,
];
