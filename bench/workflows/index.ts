export * from '../../workflows/index.ts';
export { bare, bareSlow } from './bare.ts';
export { bareLife } from './bare-life.ts';
