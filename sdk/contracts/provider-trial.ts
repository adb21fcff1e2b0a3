import type { ProviderEntry } from './directory.ts';

/** What a provider is asked to find out whether it takes credentials: the cheapest first. */
export const trialEndpoints = ['listModels', 'chatComplete', 'embed'] as const;

/** Credentials of a provider that are to be tried. */
export interface ProviderTrial {
  /** As the data plane would get it; its limits count for nothing. */
  readonly entry: ProviderEntry;
  /** As the provider names it. Absent: the list of models is asked for where there is one, else the first enabled model. */
  readonly model?: string;
}

export interface TrialResult {
  /** The provider has answered, and not with an error. */
  readonly success: boolean;
  /** As a request would get it from the provider; undefined: no reply came. */
  readonly status: number | undefined;
  readonly latencyMs: number;
  /** The model that was asked; undefined: none was. */
  readonly model: string | undefined;
  readonly endpoint: (typeof trialEndpoints)[number];
  /** Without any credential. */
  readonly error: { readonly message: string; readonly code: string } | undefined;
}
