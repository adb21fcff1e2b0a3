import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A process that sends a form with a file of so many bytes to a URL, and tells what it was answered. */
const [, , url = '', fileBytes = '0', headers = '{}'] = process.argv;
const piece = Buffer.alloc(65_536, 'a line of a file\n');

function* form(bytes: number): Generator<Uint8Array> {
  yield Buffer.from('--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nm\r\n');
  yield Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\n\r\n');
  for (let sent = 0; sent < bytes; sent += piece.length) yield piece.subarray(0, Math.min(piece.length, bytes - sent));
  yield Buffer.from('\r\n--b--\r\n');
}

const sending = request(url, {
  method: 'POST',
  headers: { 'content-type': 'multipart/form-data; boundary=b', ...JSON.parse(headers) },
});
const answered = new Promise<string>((resolve, reject) => {
  sending.on('error', reject).on('response', async (response) => {
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    resolve(JSON.stringify({ status: response.statusCode, text }));
  });
});
await pipeline(Readable.from(form(Number(fileBytes))), sending);
process.stdout.write(await answered);
