import type { Reaction } from 'portcullis/sdk';
import { labelReactions } from './labels/assign.ts';
import { promptReactions } from './records/reactions.ts';
import { reactions as sharingReactions } from './sharing/reactions.ts';

type Reactions = Readonly<Record<string, Reaction>>;

/** Those of all parts; several may wait for one event. */
export const reactions: Reactions = together([promptReactions, labelReactions, sharingReactions]);

function together(parts: readonly Reactions[]): Reactions {
  const events = new Set(parts.flatMap((part) => Object.keys(part)));
  return Object.fromEntries([...events].map((event) => [event, inTurn(parts.flatMap((part) => part[event] ?? []))]));
}

function inTurn(all: readonly Reaction[]): Reaction {
  return async (...event) => {
    for (const react of all) await react(...event);
  };
}
