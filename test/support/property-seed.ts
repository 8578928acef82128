import fc from 'fast-check';

/**
 * The generated cases are the same in each run, so that a verdict is about the change and not about the
 * draw. Others: `PROPERTY_SEED=7 npm test`.
 */
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 20_261_121) });
