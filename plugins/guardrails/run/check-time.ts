import { GatewayError, type RequestContext } from 'portcullis/sdk';

/** Milliseconds that the checks of one request may keep the gateway from doing anything else. */
const mostMs = 2000;

/** Counts how long the checks of each request have run in the gateway itself. */
export class CheckTime {
  readonly #used = new WeakMap<RequestContext, number>();

  /** @throws GatewayError `check_failed` once it is used up */
  refuseLate(request: RequestContext, id: string): void {
    if ((this.#used.get(request) ?? 0) <= mostMs) return;
    throw new GatewayError('check_failed', `${id} did not run: the checks of this request have used up their time.`);
  }

  add(request: RequestContext, ms: number): void {
    if (ms > 0) this.#used.set(request, (this.#used.get(request) ?? 0) + ms);
  }
}
