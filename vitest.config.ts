import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that need neither PostgreSQL nor Temporal, and so do not wait for them. */
const unitTests = [
  'test/architecture.test.ts',
  'test/docs/**/*.test.ts',
  'test/docker-compose.test.ts',
  'test/config/config.test.ts',
  'test/{crypto,domain,providers,sandbox}/**/*.test.ts',
  'test/embedded/{data-directory,port,temporal-binary}.test.ts',
  'test/**/*.unit.test.ts',
];

/**
 * Slow proofs against faults, foreign tools and whole processes, which `npm run test:proofs` runs: each
 * takes from half a minute to several. CI runs them too.
 */
const slowProofs = [
  'test/chaos.test.ts',
  'test/demo.test.ts',
  'test/admin/process.test.ts',
  'test/end-to-end/crashes/**/*.test.ts',
  'test/end-to-end/model/*.test.ts',
  'test/end-to-end/processes/{processes,roles}.test.ts',
  'test/end-to-end/signature/x-signature-clients.test.ts',
  'test/examples/examples.test.ts',
  'test/docs-site/browser-journey.test.ts',
  'test/openapi/breaking-changes.test.ts',
  'test/portal/journeys/*.test.ts',
];

/** Small files that take minutes: Vitest would leave them for the end, with nothing beside them. */
const startFirst = [
  '/chaos.test.ts',
  '/crashes/killed-steps.test.ts',
  '/crashes/failed-steps.test.ts',
  '/admin/process.test.ts',
  '/processes/invitations.test.ts',
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
  testTimeout: 120_000,
  hookTimeout: 300_000,
  // A condition is awaited for as long as a machine may take that has much else to do.
  expect: { poll: { timeout: 60_000, interval: 50 } },
};

/** What tests share that need PostgreSQL and Temporal. */
const withServers = {
  ...common,
  globalSetup: 'test/support/global-setup.ts',
  setupFiles: 'test/support/temporal-runtime.ts',
};

export default defineConfig({
  test: {
    maxWorkers: 2,
    teardownTimeout: 60_000,
    sequence: { sequencer: ByProject },
    projects: [
      { test: { ...common, name: 'unit', include: unitTests } },
      {
        test: {
          ...withServers,
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: [...unitTests, ...slowProofs],
        },
      },
      { test: { ...withServers, name: 'proofs', include: slowProofs } },
    ],
  },
});
