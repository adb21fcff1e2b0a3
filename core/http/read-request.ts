import type { IncomingMessage } from 'node:http';
import { GatewayError } from 'portcullis/sdk';
import { type ServerConfig, standardUploadBytes } from '../config/gateway-config.ts';
import { isJsonType } from '../json-type.ts';
import type { Exchange } from '../pipeline/exchange.ts';
import type { Runtime } from '../pipeline/runtime.ts';
import { readForm, type SpoolLimits, spool } from '../uploads/index.ts';
import { checkJsonType, parseBody, readBody } from './body.ts';
import type { InferenceRoute } from './inference.ts';

/** Reads what a client sends into its exchange, in the way of its route. @throws GatewayError when it cannot be read */
export async function readRequest(
  request: IncomingMessage,
  route: InferenceRoute,
  exchange: Exchange,
  { config: { server } }: Runtime,
): Promise<void> {
  const { body } = route;
  if (body === undefined || exchange.method === 'GET' || exchange.method === 'HEAD') return;
  const since = performance.now();
  const type = request.headers['content-type'] ?? '';
  if (body === 'form' || (body === 'json or form' && isForm(type))) {
    await readUpload(request, route, exchange, spoolLimits(exchange, server));
  } else if (body === 'bytes' && !isJsonType(type)) {
    exchange.upload = { spooled: await spool(request, spoolLimits(exchange, server)) };
    exchange.rawBody = exchange.upload.spooled.bytes;
  } else {
    if (body !== 'bytes' && body !== 'loose') checkJsonType(request);
    const bytes = await readBody(request, server.bodyLimit);
    exchange.rawBody = bytes;
    if (body === 'loose' && bytes.length > 0) checkJsonType(request);
    if (body !== 'bytes' && !(body === 'loose' && bytes.length === 0)) exchange.body = parseBody(bytes);
  }
  if (route.shape !== undefined) exchange.body = route.shape(exchange.body, exchange.params);
  exchange.clock.spend('parse', since);
}

/** So many bodies of the largest size may be held at once. */
const largestAtOnce = 8;

function spoolLimits({ principal }: Exchange, { maxUploadBytes, timeouts }: ServerConfig): SpoolLimits {
  const maxBytes = maxUploadBytes ?? standardUploadBytes;
  const room = { maxBytes: maxBytes * largestAtOnce, owner: principal.id };
  return { maxBytes, room, gapMs: timeouts.gapMs };
}

function isForm(type: string): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(type);
}

async function readUpload(
  request: IncomingMessage,
  { files: needed = [] }: InferenceRoute,
  exchange: Exchange,
  limits: SpoolLimits,
): Promise<void> {
  const type = request.headers['content-type'] ?? '';
  if (!isForm(type)) {
    const text = `The content type "${type.slice(0, 60)}" is not accepted here: send multipart/form-data.`;
    throw new GatewayError('unsupported_media_type', text, { param: 'content-type' });
  }
  const spooled = await spool(request, limits);
  exchange.upload = { spooled };
  const form = await readForm(spooled, type);
  exchange.upload = { spooled, form };
  exchange.body = form.fields;
  const [first] = needed;
  if (first === undefined || form.files.some(({ field }) => needed.includes(field))) return;
  throw new GatewayError('bad_request', `${first} is required: a file of the form.`, { param: first });
}
