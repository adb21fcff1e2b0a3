import type { PhaseName } from 'portcullis/sdk';

/** How the hooks of a phase combine, what a throw does, and whether the phase runs once a request or once a target. */
export interface Phase {
  readonly scope: 'request' | 'target';
  /** first: until one answers. chain: each sees what the last one made. each: all in order. around: nested. detached: not waited for. */
  readonly kind: 'first' | 'chain' | 'each' | 'around' | 'detached';
  /** closed: a throw ends the request or target. open: a throw is logged and the request goes on. */
  readonly fail: 'closed' | 'open';
}

export const phases: Readonly<Record<PhaseName, Phase>> = {
  identify: { scope: 'request', kind: 'first', fail: 'closed' },
  resolve: { scope: 'request', kind: 'chain', fail: 'closed' },
  admit: { scope: 'request', kind: 'each', fail: 'closed' },
  prepare: { scope: 'target', kind: 'chain', fail: 'closed' },
  beforeRequest: { scope: 'target', kind: 'chain', fail: 'closed' },
  lookup: { scope: 'target', kind: 'first', fail: 'open' },
  attempt: { scope: 'target', kind: 'around', fail: 'closed' },
  afterRequest: { scope: 'target', kind: 'chain', fail: 'closed' },
  settle: { scope: 'request', kind: 'each', fail: 'open' },
  log: { scope: 'request', kind: 'detached', fail: 'open' },
};
