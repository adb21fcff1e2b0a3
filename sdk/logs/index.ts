export * from './columns.ts';
export { type LogPlace, logFilterFields, orNone, readLogFilter } from './filter.ts';
export * from './groups.ts';
export * from './money.ts';
export { ownKeys, securityIn } from './own-keys.ts';
export * from './period.ts';
