import { createServer, type ServerResponse } from 'node:http';
import { offerToParent } from './offer.ts';
import { answerText, chunkGapMs, modelOf, streamChunks, streamEnd } from './traffic.ts';

/** What the fake provider has sent since it started. */
export interface UpstreamCounts {
  readonly replies: number;
  readonly chunks: number;
}

// The fake provider, a process of its own: started by `startUpstream`, asked for its counts by message.
const answer = Buffer.from(answerText());
const chunks = streamChunks().map((chunk) => Buffer.from(chunk));
const end = Buffer.from(streamEnd);
const saturated = Buffer.from(modelOf('saturated'));
const spaced = Buffer.from(modelOf('spaced'));
const jsonHeaders = { 'content-type': 'application/json', 'content-length': answer.length };
const streamHeaders = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' };
const chunksPerTurn = 10;
const counts = { replies: 0, chunks: 0 };

const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const body = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
    if (body.includes(spaced)) sendSpaced(response);
    else if (body.includes(saturated)) sendSaturated(response);
    else {
      response.writeHead(200, jsonHeaders);
      response.end(answer);
      counts.replies += 1;
    }
  });
});

// Ten chunks a turn: more than a proxy on Node can take from one core, and still not the whole stream in one write.
function sendSaturated(response: ServerResponse, sent = 0): void {
  if (sent === 0) response.writeHead(200, streamHeaders);
  if (sent >= chunks.length || response.destroyed) {
    response.end(end);
    counts.replies += 1;
    return;
  }
  const burst = chunks.slice(sent, sent + chunksPerTurn);
  for (const chunk of burst) response.write(chunk);
  counts.chunks += burst.length;
  setImmediate(sendSaturated, response, sent + burst.length);
}

function sendSpaced(response: ServerResponse): void {
  response.writeHead(200, streamHeaders);
  let next = 0;
  const timer = setInterval(() => {
    const chunk = chunks[next];
    if (chunk === undefined || response.destroyed) {
      clearInterval(timer);
      response.end(end);
      counts.replies += 1;
      return;
    }
    response.write(chunk);
    next += 1;
    counts.chunks += 1;
  }, chunkGapMs);
}

offerToParent(server, () => counts);
