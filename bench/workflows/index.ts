export * from '../../workflows/index.js';
export { bare, bareSlow } from './bare.js';
export { bareLife } from './bare-life.js';
