/** Bodies that are no JSON: kept whole in memory or on disk, so that every attempt can send them anew. */
export { encodeForm } from './encode-form.ts';
export { type Form, readForm } from './read-form.ts';
export type { RoomBounds } from './room.ts';
export { type Spooled, type SpoolLimits, spool } from './spool.ts';
