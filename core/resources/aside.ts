import { setImmediate as nextTurn } from 'node:timers/promises';
import { GatewayError, type Operation } from 'portcullis/sdk';

/** More is asked for by operations alone whose records others change all the time. */
const mostWorks = 8;

/** Thrown out of a transaction that must not wait for what is awaited: it is begun anew afterwards. */
export class Awaiting extends Error {
  readonly awaited: Promise<unknown>;

  constructor(awaited: Promise<unknown>) {
    super('The operation waits outside of its transaction.');
    this.awaited = awaited;
  }
}

/** The works of one call that go on while its transaction is undone. */
export class AsideWorks {
  readonly #works = new Map<string, Promise<unknown>>();

  readonly run: Operation['aside'] = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const done = (this.#works.get(key) as Promise<T> | undefined) ?? this.#begun(key, work);
    // What is done soon costs no second transaction.
    if (!(await isOverSoon(done))) throw new Awaiting(done);
    return done;
  };

  #begun<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.#works.size === mostWorks)
      throw new GatewayError('not_ready', 'The record was changed again and again meanwhile. Try again in a moment.');
    const done = work();
    this.#works.set(key, done);
    // Who asks for it again is told.
    done.catch(() => {});
    return done;
  }
}

function isOverSoon(done: Promise<unknown>): Promise<boolean> {
  const over = done.then(
    () => true,
    () => true,
  );
  return Promise.race([over, nextTurn(false)]);
}
