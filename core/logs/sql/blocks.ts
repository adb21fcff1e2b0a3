import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { LogBodies, LogEntry } from 'portcullis/sdk';
import { bodiesIn, type PackedBlock, rowLines } from '../packed-batch.ts';
import { marks, pieces, type Sql } from './sql.ts';

/** Blocks that are unpacked at once. */
const atOnce = 16;
/**
 * What one call of the compressor gives; the standard one would be called for every few requests. From 128 KiB on, allocators
 * get memory of the system each time, which has to be cleared first.
 */
const chunkSize = 98_304;
/** Of a block once it is unpacked: more is no block of ours. */
const maxOutputLength = 64 * 1024 * 1024;

/** Keeps the block. Gives its number. */
export function addBlock(sql: Sql, { rows, bodies, headsAt, lastAt }: PackedBlock): Promise<number> {
  return sql.add(
    'log_blocks',
    ['last_at', 'packed_rows', 'packed_bodies', 'heads_at'],
    [Math.ceil(lastAt), pack(rows), bodies.length === 0 ? null : pack(bodies), headsAt],
  );
}

/** Where a request stands. */
export interface Place {
  readonly block: number;
  readonly item: number;
}

/** What the blocks have at the places, in their order. */
export async function readPlaces(
  sql: Sql,
  places: readonly Place[],
  withBodies: boolean,
): Promise<readonly LogEntry[]> {
  const entries = new Array<LogEntry>(places.length);
  const byBlock = Map.groupBy(places.keys(), (index) => places[index]?.block ?? 0);
  const columns = withBodies ? 'seq, packed_rows, packed_bodies, heads_at' : 'seq, packed_rows';
  for (const blocks of pieces([...byBlock.keys()], atOnce)) {
    const found = await sql.all(`SELECT ${columns} FROM log_blocks WHERE seq IN (${marks(blocks.length)})`, blocks);
    for (const { seq, packed_rows: rows, packed_bodies: bodies, heads_at: headsAt } of found) {
      const rowAt = rowLines(unpack(rows));
      const bodiesAt = bodies instanceof Uint8Array ? bodiesIn(unpack(bodies), Number(headsAt)) : noBodies;
      for (const index of byBlock.get(Number(seq)) ?? []) {
        const { item } = places[index] as Place;
        entries[index] = { row: rowAt(item), bodies: bodiesAt(item) };
      }
    }
  }
  return entries;
}

/** At the lowest level, which takes half the time of the standard one, and a twentieth more room. */
function pack(bytes: Uint8Array): Uint8Array {
  const params = { [constants.ZSTD_c_compressionLevel]: 1 };
  return zstdCompressSync(bytes, { chunkSize, pledgedSrcSize: bytes.length, params });
}

function unpack(packed: unknown): Uint8Array {
  return zstdDecompressSync(packed as Uint8Array, { maxOutputLength });
}

function noBodies(): LogBodies | undefined {
  return undefined;
}
