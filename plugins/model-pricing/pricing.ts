import type { Cost, Host, MaybePromise, PriceQuestion } from 'portcullis/sdk';
import { rounded, sumOf } from './cost.ts';
import { drawingCost, drawingTool, withDrawing } from './drawing.ts';
import type { PriceList } from './listing.ts';
import { createQuotes, type Holder } from './quotes.ts';

const nobody: Holder = { prices: undefined, entry: undefined };

/** Answers what requests cost. No promise where the directory gives none. */
export function createPricing(host: Pick<Host, 'directory' | 'metrics' | 'log'>, lists: readonly PriceList[]) {
  const unpricedRequests = host.metrics.counter(
    'portcullis_price_unknown_total',
    'Questions for the cost of a request whose price is not known; a request may be asked about before and after it.',
    ['provider'],
  );
  const unpricedTools = host.metrics.counter(
    'portcullis_tool_price_unknown_total',
    'Uses of server tools that have no price, and were left out of the cost.',
    ['provider', 'tool'],
  );
  const quoteOf = createQuotes({
    lists,
    onFault: (entry, model, error) =>
      host.log.warn('price_at_fault', { integration: entry.integrationSlug, model, error: String(error) }),
  });

  function answer(question: PriceQuestion, holder: Holder): Cost | undefined {
    const { provider, model, usage, at, tier, region } = question;
    const quote = quoteOf(provider, model, at, holder);
    const charges = quote.charges?.(tier, region, usage.input);
    const sum = charges === undefined ? undefined : sumOf(charges, usage);
    if (charges === undefined || sum === undefined) {
      unpricedRequests.add([provider]);
      return undefined;
    }
    const drawer = drawingTool(usage, charges);
    const drawing = drawer === undefined ? undefined : drawingCost(drawer, question, holder, quoteOf);
    for (const tool of sum.unpriced) {
      if (drawing === undefined || tool !== drawer?.tool) unpricedTools.add([provider, tool]);
    }
    const cost = rounded(sum, charges.perNanoUsd, quote.source);
    return drawing === undefined ? cost : withDrawing(cost, drawing);
  }

  return (question: PriceQuestion): MaybePromise<Cost | undefined> => {
    const { organisationId, workspaceId, providerSlug } = question;
    if (organisationId === undefined) return answer(question, nobody);
    const prices = host.directory('prices', organisationId);
    const entry =
      workspaceId === undefined || providerSlug === undefined
        ? undefined
        : host.directory('provider', organisationId, workspaceId, providerSlug);
    if (!(prices instanceof Promise) && !(entry instanceof Promise)) return answer(question, { prices, entry });
    return Promise.all([prices, entry]).then(([known, saved]) => answer(question, { prices: known, entry: saved }));
  };
}
