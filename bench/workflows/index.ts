export * from '../../workflows/index.js';
export { bare } from './bare.js';
