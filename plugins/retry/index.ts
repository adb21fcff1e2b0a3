import {
  type Host,
  type Outcome,
  plugin,
  type RetryRule,
  type Static,
  schema,
  type TargetContext,
} from 'portcullis/sdk';

const config = schema.Object(
  {
    initial_delay: schema.Integer({
      minimum: 1,
      maximum: 60_000,
      default: 1000,
      description: 'Milliseconds before the first retry; doubled for each further one.',
    }),
    max_wait: schema.Integer({
      minimum: 1,
      maximum: 600_000,
      default: 60_000,
      description: 'Milliseconds that all waits of one target may add up to.',
    }),
  },
  { additionalProperties: false },
);

export default plugin({
  config,
  setup: (settings, host) => ({
    attempt: (target, next) => {
      const rule = target.retry;
      return rule === undefined || rule.attempts === 0 ? next() : retried(target, rule, next, settings, host);
    },
  }),
});

async function retried(
  target: TargetContext,
  rule: RetryRule,
  next: () => Promise<Outcome>,
  { initial_delay: initialDelay, max_wait: maxWait }: Static<typeof config>,
  host: Host,
): Promise<Outcome> {
  let waited = 0;
  for (let retries = 0; ; retries += 1) {
    const outcome = await next();
    if (!rule.onStatusCodes.includes(outcome.status)) return { ...outcome, retries };
    if (retries === rule.attempts) return { ...outcome, retries: -1 };

    const asked = rule.useRetryAfter ? outcome.retryAfterMs : undefined;
    // Half of each step is left to chance, so that clients that failed together do not come back together.
    const wait = asked ?? Math.round(initialDelay * 2 ** retries * (0.5 + host.random() / 2));
    waited += wait;
    if (wait >= maxWait || waited > maxWait) return { ...outcome, retries: -1 };
    giveUp(outcome);
    await host.sleep(wait, target.request.signal);
  }
}

function giveUp({ body }: Outcome): void {
  if (body.kind === 'stream') body.stream.abort();
}
