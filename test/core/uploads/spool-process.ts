import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { encodeForm, readForm, spool } from '../../../core/uploads/index.ts';

/** A process that spools forms, encodes them anew and reads the result; tells its resident memory when it is asked and at its highest. */
let highest = 0;
const watch = () => {
  highest = Math.max(highest, process.memoryUsage.rss());
};
setInterval(watch, 10).unref();

const server = createServer(async (request, reply) => {
  if (request.method === 'GET') {
    // What the last request left behind is no growth.
    await pause(200);
    highest = 0;
    watch();
    reply.end(JSON.stringify({ rss: highest }));
    return;
  }
  const spooled = await spool(request, { maxBytes: Number.MAX_SAFE_INTEGER });
  const form = await readForm(spooled, request.headers['content-type'] ?? '');
  const { body } = encodeForm({ ...form.fields, model: 'other' }, form.files);
  let bytes = 0;
  for await (const piece of body.open()) bytes += piece.length;
  await spooled.release();
  watch();
  reply.end(
    JSON.stringify({ rss: highest, spooled: spooled.size, encoded: body.size, bytes, file: form.files[0]?.size }),
  );
});
server.listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as AddressInfo).port);
});
