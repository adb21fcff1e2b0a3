import { createServer } from 'node:http';
import { offerToParent } from './offer.ts';

/** What the store of logs does at the moment. */
export type StoreMood = 'well' | 'frozen' | 'failing' | 'slow';

export interface StoreCounts {
  readonly requests: number;
  /** Lines of the batches that it took. */
  readonly rows: number;
}

// A store of logs that speaks HTTP and answers as it is told, a process of its own: `mood:frozen` changes its mood.
let mood: StoreMood = 'well';
const counts = { requests: 0, rows: 0 };
const slowMs = 20_000;

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    counts.requests += 1;
    const answer = () => {
      const text = Buffer.concat(parts);
      const lines = text
        .subarray(text.indexOf('\n') + 1)
        .toString('latin1')
        .split('\n');
      if (request.url?.includes('INSERT') === true || text.includes('INSERT'))
        counts.rows += lines.filter(Boolean).length;
      response.end('');
    };
    switch (mood) {
      case 'well':
        return answer();
      case 'slow':
        return void setTimeout(answer, slowMs);
      case 'failing':
        response.statusCode = 500;
        return void response.end('Code: 999. It is not well.');
      case 'frozen':
        return undefined;
    }
  });
});

offerToParent(server, (message) => {
  const text = String(message);
  if (!text.startsWith('mood:')) return counts;
  mood = text.slice(5) as StoreMood;
  return undefined;
});
