import cluster from 'node:cluster';
import { createMetrics } from '../../../core/telemetry/metrics.ts';
import { answerWorkers, textOfAllWorkers } from '../../../core/telemetry/worker-metrics.ts';

/** Two workers count 2 and 3; when both have, each asks for the text over all and prints it as a line of JSON. */
const counts = [2, 3];

if (cluster.isPrimary) {
  answerWorkers();
  let ready = 0;
  for (const count of counts) {
    const worker = cluster.fork({ COUNT: String(count) });
    worker.on('message', (message: unknown) => {
      if (message !== 'counted') return;
      ready += 1;
      if (ready === counts.length) for (const other of Object.values(cluster.workers ?? {})) other?.send('look');
    });
  }
} else {
  const metrics = createMetrics();
  const text = textOfAllWorkers(metrics);
  const counter = metrics.counter('a_total', 'A', ['x']);
  const histogram = metrics.histogram('b_seconds', 'B', [], [1, 2]);
  const count = Number(process.env.COUNT);
  counter.add(['y'], count);
  histogram.observe([], count);
  metrics.gauge('depth', 'Depth', [], () => [{ labels: [], value: count }]);
  process.on('message', async (message) => {
    if (message !== 'look') return;
    const all = await text();
    process.stdout.write(`${JSON.stringify(all)}\n`, () => process.send?.('seen', () => process.disconnect()));
  });
  process.send?.('counted');
}
