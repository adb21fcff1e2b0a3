import { asObject, asString, parseJson } from 'portcullis/sdk';
import { startServer } from './children.ts';
import { cpuMicros } from './cpu.ts';
import { storedGatewayRow } from './gateway.ts';
import { applyLoad, type Load } from './load.ts';
import type { Plan } from './measure.ts';
import { quantile } from './quantile.ts';
import { requestBody } from './traffic.ts';
import type { UpstreamCounts } from './upstream.ts';

export interface PromptPlan {
  readonly bound: Load['bound'];
  readonly repeats: number;
  readonly cores: Plan['cores'];
}

/** CPU time of the gateway for one request, each repeat beside the other kind. */
export interface PromptCosts {
  readonly chat: readonly number[];
  readonly prompt: readonly number[];
  readonly failed: number;
}

const connections = 64;
const warmUpSeconds = 8;

/** The chat request of the bench, as a template with one variable. */
const subject = 'bridges, gates and towers of the twelfth century';

/**
 * Measures a saved prompt beside the same chat completion sent directly: in one process, in turns, so that slow moments of
 * the machine fall on both.
 */
export async function promptCosts({ bound, repeats, cores }: PromptPlan): Promise<PromptCosts> {
  const { model, messages, ...parameters } = asObject(parseJson(requestBody('json'))) ?? {};
  let slug = '';
  const row = storedGatewayRow([], {
    policies: false,
    prompt: async (create) => {
      const string = JSON.stringify(messages).replaceAll(subject, '{{subject}}');
      const made = await create({ name: 'Bench', string, parameters, model: asString(model) ?? '' });
      slug = asString(made.slug) ?? '';
    },
  });
  const { child: upstream, origin } = await startServer('upstream.ts', cores.load);
  const running = await row.start(origin, cores.proxy);
  try {
    const asks = { path: `/v1/prompts/${slug}/completions`, body: JSON.stringify({ variables: { subject } }) };
    const kinds = { chat: {}, prompt: { asks } } as const;
    const costs = { chat: [] as number[], prompt: [] as number[] };
    let failed = 0;
    const run = async (kind: keyof typeof kinds, length: Load['bound']) => {
      const before = { cpu: cpuMicros(running.pid ?? 0), ...((await upstream.ask('counts')) as UpstreamCounts) };
      const result = await applyLoad({ target: running, scenario: 'json', connections, bound: length, ...kinds[kind] });
      const { replies } = (await upstream.ask('counts')) as UpstreamCounts;
      failed += result.failed;
      return (cpuMicros(running.pid ?? 0) - before.cpu) / (replies - before.replies);
    };
    for (const kind of ['chat', 'prompt'] as const)
      await run(kind, 'seconds' in bound ? { seconds: warmUpSeconds } : bound);
    for (let repeat = 0; repeat < repeats; repeat += 1)
      for (const kind of ['chat', 'prompt'] as const) costs[kind].push(await run(kind, bound));
    return { ...costs, failed };
  } finally {
    await Promise.allSettled([running.stop(), upstream.stop()]);
  }
}

export function renderPromptCosts({ chat, prompt, failed }: PromptCosts): string {
  const ratios = prompt.map((cost, index) => cost / (chat[index] ?? cost));
  const line = (name: string, values: readonly number[]) =>
    `${name}: best ${Math.min(...values).toFixed(1)} µs, median ${quantile(values, 0.5).toFixed(1)} µs`;
  return [
    line('chat completion', chat),
    line('saved prompt', prompt),
    `ratio of neighbours: median ${quantile(ratios, 0.5).toFixed(3)}, least ${Math.min(...ratios).toFixed(3)}, most ${Math.max(...ratios).toFixed(3)}; failed ${failed}`,
  ].join('\n');
}
