import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that need neither PostgreSQL nor Temporal, and so do not wait for them. */
const unitTests = [
  'test/architecture.test.ts',
  'test/docker-compose.test.ts',
  'test/config.test.ts',
  'test/{crypto,domain,providers,sandbox}/**/*.test.ts',
  'test/embedded/{data-directory,port,progress,temporal-binary}.test.ts',
  'test/**/*.unit.test.ts',
];

/** Small files that take long, most of it waiting: at the end nothing would be left beside them. */
const longFiles = ['/chaos.test.ts', '/killed-steps.test.ts', '/invitations.test.ts'];

class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      longFiles.some((end) => moduleId.endsWith(end));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const shared = {
  // Temporal's native library does not bear worker threads.
  pool: 'forks' as const,
  testTimeout: 30_000,
  hookTimeout: 120_000,
};

export default defineConfig({
  test: {
    maxWorkers: 2,
    teardownTimeout: 60_000,
    sequence: { sequencer: LongFilesFirst },
    projects: [
      { test: { ...shared, name: 'unit', include: unitTests } },
      {
        test: {
          ...shared,
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: unitTests,
          globalSetup: 'test/support/global-setup.ts',
        },
      },
    ],
  },
});
