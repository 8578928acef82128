import { kebab } from '../fields.js';
import { inWords, type RecordKind } from '../records/record-kind.js';
import { importLimits } from './import-row.js';

/** What help says of an import: how it works, and every column. */
export function importDetails(kind: RecordKind): { details: string; detailLines: string[] } {
  const identity = kind.identity.map(kebab).join(' and ');
  const names = Object.keys(kind.fields).map(kebab);
  const width = Math.max(...names.map((name) => name.length));
  return {
    details:
      `A row adds a ${inWords(kind.kind)}; where there is one with the same ${identity}, it changes that ` +
      'one, so an import can be repeated. An empty cell leaves what is there. All rows are ' +
      'carried out or none: if any is wrong, all problems are shown and nothing is changed. ' +
      'CSV is in UTF-8, and its first row names the columns, in any order; JSON is an array of ' +
      `objects with the same names. At most ${importLimits.rows.toLocaleString('en')} rows and ` +
      `${importLimits.bytes / 1024 / 1024} MB.`,
    detailLines: [
      `Columns (* is needed to add a ${inWords(kind.kind)}):`,
      ...Object.entries(kind.fields).map(
        ([name, { description, isRequired, whenLeftOut }]) =>
          `  ${isRequired ? '*' : ' '} ${kebab(name).padEnd(width)}  ${description}` +
          (whenLeftOut === undefined ? '' : `; ${whenLeftOut} in a new one if left out`),
      ),
      '',
      'A file in CSV:',
      ...kind.help.importSample.map((line) => `  ${line}`),
    ],
  };
}

/** What follows the program's name. */
export const importExamples = ({ plural }: RecordKind): string[] => [
  `import ${plural} --file ${plural}.csv --dry-run`,
  `import ${plural} --file ${plural}.csv`,
  `import ${plural} --file - --format json < ${plural}.json`,
];
