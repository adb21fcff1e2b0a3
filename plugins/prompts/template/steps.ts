import { GatewayError } from 'portcullis/sdk';
import { bounds } from './bounds.ts';

/** Counts the work of one rendering. It counts and does not look at a clock, so that the same always ends the same. */
export class Steps {
  #spent = 0;

  /** @throws GatewayError `bad_request` */
  readonly spend = (steps: number): void => {
    this.#spent += steps;
    if (this.#spent <= bounds.steps) return;
    throw new GatewayError('bad_request', `The template takes more than ${bounds.steps} steps to render.`, {
      param: 'variables',
    });
  };
}
