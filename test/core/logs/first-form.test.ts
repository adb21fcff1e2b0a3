import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { packBatch } from '../../../core/logs/batch-writer.ts';
import { rowLines } from '../../../core/logs/packed-batch.ts';
import { sqlEngine } from '../../../core/logs/sql/engine.ts';
import { openSqlite } from '../../../core/logs/sql/sqlite.ts';
import { bodiesOf, logRow, start } from './rows.ts';
import { freshFile } from './stores.ts';

/** As the first version of the tables had them in its blocks. */
const lines = `["old-1","org-1","ws-1",${start},"trace-1","0123456789abcdef",null,null,"POST","/v1/chat/completions","chatComplete",200,null,"openai","gpt-4o-mini","gpt-4o-mini","main","key-1",null,null,"pc-main",null,null,"config.targets[0]",100,50,150,null,null,null,"provider",1500000,null,false,0,false,"MISS",120.5,null,"gateway",{},[],[0.1,0.2,0,0.05,119.5,0,119.90000001],[["config.targets[0]","openai",200,${start},119.5,null]]]
["old-2","org-1","ws-1",${start},"trace-2","0123456789abcdef",null,null,"POST","/v1/chat/completions","chatComplete",200,null,"openai","gpt-4o-mini","gpt-4o-mini","main","key-1",null,null,"pc-main",null,null,"config.targets[0]",100,50,150,null,null,null,"provider",1500000,null,false,0,false,"MISS",120.5,null,"gateway",{"team":"a"},[],[0.1,0.2,0,0.05,119.5,0,null],[],3]
`;
const second = logRow({
  id: 'old-2',
  createdAt: start,
  traceId: 'trace-2',
  metadata: { team: 'a' },
  promptVersion: 3,
  attempts: [],
  timings: { parse: 0.1, prepare: 0.2, guardrailsBefore: 0, cache: 0.05, upstream: 119.5, guardrailsAfter: 0 } as never,
});
const first = logRow({
  id: 'old-1',
  createdAt: start,
  traceId: 'trace-1',
  timings: { ...logRow().timings, firstByte: 119.90000001 },
});

it('reads blocks that are older than some of the fields that requests share', () => {
  const row = logRow();
  const { blocks } = packBatch([{ row, bodies: undefined }]);
  const { rows = new Uint8Array() } = blocks[0] ?? {};
  const text = Buffer.from(rows).toString();
  const older = text.replace(/,"(?:configVersionId|promptVersionId|sentAs)":null|,"replyUntouched":false/g, '');
  assert.doesNotMatch(older, /VersionId|sentAs|replyUntouched/);
  assert.deepEqual(rowLines(Buffer.from(older))(0), row);
});

it('reads attempts that stand in milliseconds, as they once did', () => {
  const row = logRow({ createdAt: start });
  const { blocks } = packBatch([{ row, bodies: undefined }]);
  const text = Buffer.from(blocks[0]?.rows ?? []).toString();
  const older = text.replace(/("openai",200,)0,119500,null,1000\]/, (_, head: string) => `${head}${start},119.5,null]`);
  assert.notEqual(older, text);
  assert.deepEqual(rowLines(Buffer.from(older))(0), row);
});

describe('a store of the first version', () => {
  it('is opened, read and written on', async () => {
    const file = freshFile();
    const before = await sqlEngine(openSqlite(file, false), { bodies: 'row' }, false);
    const bodies = bodiesOf('question', 'answer');
    await before.write(packBatch([first, second].map((row) => ({ row, bodies }))));
    await before.close();
    const database = openSqlite(file, false);
    await database.run('UPDATE log_schema SET version = 1');
    await database.run('UPDATE log_blocks SET packed_rows = ?', [zstdCompressSync(lines)]);
    const engine = await sqlEngine(database, { bodies: 'row', settleRows: 2 }, false);
    assert.deepEqual(await engine.find('org-1', 'old-1'), { row: first, bodies });
    assert.deepEqual(await engine.find('org-1', 'old-2'), { row: second, bodies });
    const later = logRow({ createdAt: start + 1 });
    await engine.write(packBatch([{ row: later, bodies: undefined }]));
    const { entries } = await engine.list(
      { organisationId: 'org-1', from: start, to: start + 10 },
      { limit: 9, offset: 0 },
    );
    assert.deepEqual(
      entries.map(({ row }) => row),
      [later, second, first],
    );
    assert.deepEqual(
      [
        await database.all('SELECT MAX(version) AS version FROM log_schema'),
        await database.all('SELECT seq FROM log_settled'),
      ].map((rows) => rows.map((row) => ({ ...row }))),
      [[{ version: 2 }], [{ seq: 3 }]],
    );
    await engine.close();
  });
});
