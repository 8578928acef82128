import type { ClientLog, LogEntry } from './clients/client-log.ts';
import type { MadeFault } from './faults/make-faults.ts';
import type { Finding } from './oracle/find-problems.ts';

export interface ChaosResult {
  readonly seed: number;
  readonly log: ClientLog;
  readonly faults: readonly MadeFault[];
  readonly findings: readonly Finding[];
  /** What each provider took, in a line for people. */
  readonly shares: string;
}

const COLUMNS = ['done', 'refused', 'open', 'lost', 'unheard'] as const;

/** Everything for people: calls by operation and outcome, reasons, faults, findings. */
export function report({ seed, log, faults, findings, shares }: ChaosResult): string {
  const outcomes = log.entries.map(({ outcome }) => outcome);
  return [
    operationTable(log.entries),
    `Refused: ${counts(outcomes.flatMap((one) => ('reason' in one ? one.reason : [])))}`,
    `Open or unheard: ${counts(outcomes.flatMap((one) => ('why' in one ? one.why : [])))}`,
    `Providers: ${shares}`,
    `Faults: ${faults.length}`,
    ...faults.map(({ name, at, what }) => `  ${at.toFixed(1).padStart(6)} s  ${name}: ${what}`),
    findings.length === 0
      ? `Seed ${seed}: ${log.entries.length} calls, and everything is explained`
      : `Seed ${seed}: ${findings.length} findings`,
    ...[...new Set(findings.map(({ check }) => check))].flatMap((check) =>
      findingsOf(
        check,
        findings.filter((one) => one.check === check),
      ),
    ),
  ].join('\n');
}

const SHOWN_FINDINGS = 10;

function findingsOf(check: string, findings: readonly Finding[]): string[] {
  const shown = findings.slice(0, SHOWN_FINDINGS).map(({ fault }) => `    ${fault}`);
  const left = findings.length - shown.length;
  return [
    `  ${check}: ${findings.length}`,
    ...shown,
    ...(left > 0 ? [`    and ${left} more`] : []),
  ];
}

function operationTable(entries: readonly LogEntry[]): string {
  const rows = new Map<string, number[]>();
  for (const { call, outcome, response } of entries) {
    const row = rows.get(call.operation) ?? COLUMNS.map(() => 0);
    const isLost = outcome.kind === 'open' && response.kind === 'lost';
    const column = isLost ? 'lost' : outcome.kind;
    const index = COLUMNS.indexOf(column);
    row[index] = (row[index] ?? 0) + 1;
    rows.set(call.operation, row);
  }
  const lines = [['', ...COLUMNS], ...[...rows].map(([name, row]) => [name, ...row.map(String)])];
  return lines
    .map(
      ([name = '', ...cells]) => name.padEnd(22) + cells.map((cell) => cell.padStart(8)).join(''),
    )
    .join('\n');
}

function counts(names: readonly string[]): string {
  const byName = new Map<string, number>();
  for (const name of names) byName.set(name, (byName.get(name) ?? 0) + 1);
  const sorted = [...byName].sort(([, one], [, other]) => other - one);
  return sorted.length === 0
    ? 'none'
    : sorted.map(([name, count]) => `${count} ${name}`).join(', ');
}
