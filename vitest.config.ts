import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that need neither PostgreSQL nor Temporal, and so do not wait for them. */
const unitTests = [
  'test/architecture.test.ts',
  'test/docs/**/*.test.ts',
  'test/docker-compose.test.ts',
  'test/config/*.test.ts',
  'test/{crypto,domain,providers,sandbox}/**/*.test.ts',
  'test/local/{data-directory,port,temporal-binary,temporal-installation}.test.ts',
  'test/**/*.unit.test.ts',
];

/**
 * Slow proofs against faults, races, limits, foreign tools and whole processes, which `npm run test:proofs` runs: each
 * takes from a quarter of a minute to several minutes. CI runs them too.
 */
const slowProofs = [
  'test/chaos.test.ts',
  'test/chaos/interrupted.test.ts',
  'test/demo.test.ts',
  'test/admin/process.test.ts',
  'test/bench/growth.test.ts',
  'test/admin/import/{import,refused-imports}.test.ts',
  'test/clients/{bruno,python-client}.test.ts',
  'test/db/ledger/{archives,archived-sales}.test.ts',
  'test/db/reports/day-report-emails.test.ts',
  'test/local/{postgres,temporal-server}.test.ts',
  'test/end-to-end/{crashes,faults,processes}/**/*.test.ts',
  'test/end-to-end/access/{rate-limits,revoked-in-the-middle,rotated-digests}.test.ts',
  'test/end-to-end/gift/{open-breakers,races-of-redemptions,two-workers}.test.ts',
  'test/end-to-end/idempotency/lost-starts.test.ts',
  'test/end-to-end/lists/{busy-lists,heard-statements,hostile-lists,provider-plans,query-plans}.test.ts',
  'test/end-to-end/model/*.test.ts',
  'test/end-to-end/recovery/recover.test.ts',
  'test/end-to-end/signature/x-signature-{clients,replays}.test.ts',
  'test/end-to-end/repairs/{provider-changes,races-of-*}.test.ts',
  'test/end-to-end/statements/typed-differences.test.ts',
  'test/end-to-end/topups/{broken-topups,retry-signals,topup-workflow-ids}.test.ts',
  'test/examples/{examples,webhook-checks}.test.ts',
  'test/monitoring/*.test.ts',
  'test/deploy/*.test.ts',
  'test/docs-site/browser-journey.test.ts',
  'test/openapi/{breaking-changes,schemathesis}.test.ts',
  'test/pages/portal/amharic.test.ts',
  'test/pages/portal/account/sign-in-limits.test.ts',
  'test/pages/portal/journeys/*.test.ts',
  'test/pages/portal/statements/statement-emails.test.ts',
  'test/runtime/temporal/{copied-results,every-copied-command,rotated-payload-keys}.test.ts',
  'test/runtime/worker/workflow-threads/endless-workflow.test.ts',
  'test/workflows/{nudge-flood,outlived-tasks,refused-calls,refused-steps,steps-in-turn,temporal-ui-pictures,watched-steps}.test.ts',
];

/** The image, built and run: it needs root on Debian, and minutes. `npm run test:image` runs it. */
const imageProofs = ['test/image/*.test.ts'];

/** Small files that take minutes: Vitest would leave them for the end, with nothing beside them. */
const startFirst = [
  '/chaos.test.ts',
  '/crashes/killed-steps.test.ts',
  '/crashes/failed-steps.test.ts',
  '/admin/process.test.ts',
  '/processes/invitations.test.ts',
  '/processes/rolling.test.ts',
];

/** The files of a project follow one another, because its processes run no other project's. */
class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId, project }: TestSpecification) => {
      if (startFirst.some((file) => moduleId.endsWith(file))) return 0;
      return project.name === 'unit' ? 2 : 1;
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

const common = {
  // Temporal's native library does not bear worker threads.
  pool: 'forks' as const,
  // Loading the service anew for each file takes longer than many files do.
  isolate: false,
  setupFiles: 'test/support/property-seed.ts',
  // Several conditions of a test may each take as long as the poll below.
  testTimeout: 400_000,
  hookTimeout: 300_000,
  // A condition is awaited for as long as a machine may take that has much else to do.
  expect: { poll: { timeout: 180_000, interval: 50 } },
};

/** What tests share that need PostgreSQL and Temporal. */
const withServers = {
  ...common,
  globalSetup: 'test/support/global-setup.ts',
  setupFiles: [
    common.setupFiles,
    'test/support/temporal-runtime.ts',
    'test/harness/record-statements.ts',
  ],
};

export default defineConfig({
  test: {
    maxWorkers: 4,
    teardownTimeout: 60_000,
    sequence: { sequencer: ByProject },
    projects: [
      { test: { ...common, name: 'unit', include: unitTests } },
      {
        test: {
          ...withServers,
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: [...unitTests, ...slowProofs, ...imageProofs],
        },
      },
      { test: { ...withServers, name: 'proofs', include: slowProofs } },
      { test: { ...withServers, name: 'image', include: imageProofs } },
    ],
  },
});
