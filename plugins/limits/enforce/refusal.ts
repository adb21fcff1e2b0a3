import { GatewayError, type TargetContext } from 'portcullis/sdk';
import type { Meter } from '../limit/meter.ts';
import { addRateHeaders } from './rate-headers.ts';

/** The refusal of a request for which a limit has no room; it names whose limit it is, never by a masked id. */
export function refusalOf(meter: Meter, { request }: TargetContext, now: number): GatewayError {
  const { end } = meter.period(now);
  return meter.kind === 'rate' ? rateRefusal(meter, request.dialect, end ?? now, now) : budgetRefusal(meter, end);
}

function rateRefusal(
  { whose, terms, measure, most }: Meter,
  dialect: TargetContext['request']['dialect'],
  end: number,
  now: number,
): GatewayError {
  const seconds = Math.max(1, Math.ceil((end - now) / 1000));
  const standing = { limit: most, remaining: 0, resetsAt: end };
  const standings = {
    requests: measure === 'requests' ? standing : undefined,
    tokens: measure === 'tokens' ? standing : undefined,
  };
  const headers = { 'retry-after': String(seconds) };
  addRateHeaders(headers, standings, dialect, now);
  const text = `The rate limit of ${whose} is reached: ${terms}. Try again in ${seconds} s.`;
  return new GatewayError('rate_limited', text, { headers });
}

function budgetRefusal({ whose, terms }: Meter, end: number | undefined): GatewayError {
  const until = end === undefined ? '' : ` It is reset at ${new Date(end).toISOString().replace('.000Z', 'Z')}.`;
  return new GatewayError(
    'budget_exhausted',
    `The usage limit of ${whose}, ${terms}, is used up: it leaves no room for this request.${until}`,
  );
}

/** @param model '' where the cost would be unknown whatever the model */
export function unpricedRefusal(meter: Meter, { provider }: TargetContext, model: string): GatewayError {
  const what = model === '' ? `what is asked of ${provider}` : `the model "${model.slice(0, 100)}" of ${provider}`;
  return new GatewayError(
    'budget_exhausted',
    `No price is known for ${what}, and the cost limit of ${meter.whose} admits none without a price.`,
    model === '' ? {} : { param: 'model' },
  );
}
